/* Weights, filter, tails and layout in one kernel. A block processes two rows as the real and the imaginary part of one
 * complex row, transformed in registers and shared memory (fused_fft.cuh). Each number is read and written once. */
#include "analytic/fbp/filter_rows.cuh"
#include "analytic/fbp/fused_fft.cuh"

/* Variants. */
#ifndef RESIDENT
#define RESIDENT 640 /* threads per multiprocessor that limit the registers: 512, 640 */
#endif

/* Two rows of a view. An odd last row is used twice and written twice. */
struct two_rows {
	const struct gt_preweight<float> *preweights;
	const float *from[2];
	float height[2];
};

static __device__ __forceinline__ struct two_rows rows_of(const struct gt_rows_in<float> &in, unsigned view, unsigned l)
{
	const struct gt_back_view *w = &in.view[view];
	struct two_rows rows = { in.preweights + w->table * in.row.columns };
	for (unsigned r = 0; r < 2; r++) {
		const unsigned row = l + r < in.rows ? l + r : l;
		rows.from[r] = in.data + ((size_t)view * in.rows + gt_back_row(w, in.rows, row)) * in.row.columns;
		rows.height[r] = (float)(w->height + (double)row * in.row_pitch);
	}
	return rows;
}

/* Loads column k of both rows, or zero. */
static __device__ __forceinline__ gt_c load(const struct two_rows &rows, unsigned columns, unsigned k)
{
	if (k >= columns)
		return make_float2(0, 0);
	const struct gt_preweight<float> preweight = rows.preweights[k];
	return make_float2(gt_weigh(preweight, rows.from[0][k], rows.height[0]), gt_weigh(preweight, rows.from[1][k], rows.height[1]));
}

/* Means of the pixels at the ends of both rows, by GT_EDGE_PIXELS lanes each: mean[before, after]. */
static __device__ __forceinline__ void find_means(const struct two_rows &rows, unsigned columns, gt_c *mean)
{
	const unsigned edge = columns < GT_EDGE_PIXELS ? columns : GT_EDGE_PIXELS;
	const unsigned lane = threadIdx.x % 32, k = lane % GT_EDGE_PIXELS, r = lane / GT_EDGE_PIXELS % 2,
		       after = lane / GT_EDGE_PIXELS / 2 % 2;
	const unsigned column = after ? columns - 1 - k : k;
	const float *from = r ? rows.from[1] : rows.from[0];
	double sum = k < edge ? gt_weigh(rows.preweights[column], from[column], r ? rows.height[1] : rows.height[0]) : 0;
	for (unsigned b = 1; b < GT_EDGE_PIXELS; b *= 2)
		sum += __shfl_xor_sync(0xffffffff, sum, b);
	((float *)&mean[after])[r] = (float)sum / (float)edge;
}

/* Stores filtered column i of both rows. It is sample i - lead of the buffer, a circle of n samples followed by the
 * first of them again. */
template <int R, int PAIRS>
static __device__ __forceinline__ void store(const gt_row_plan &row, const gt_c *room, unsigned i, float *const to[2])
{
	const gt_c *at = room + ((i - (unsigned)row.lead) & (256 * R - 1)), zero = make_float2(0, 0);
	const int inside = i + PAIRS < (unsigned)row.wide;
	const gt_c a = inside ? at[0] : zero;
	if (PAIRS) {
		const gt_c b = inside ? at[1] : zero;
		((float2 *)to[0])[i] = make_float2(a.x, b.x - a.x);
		((float2 *)to[1])[i] = make_float2(a.y, b.y - a.y);
	} else {
		to[0][i] = a.x;
		to[1][i] = a.y;
	}
}

template <int R, int PAIRS>
static __device__ __forceinline__ void store_rows(const gt_row_plan &row, const gt_c *room, unsigned pitch, float *const to[2])
{
#pragma unroll
	for (unsigned j = 0; j < 8; j++)
		if (threadIdx.x + 16 * R * j < pitch)
			store<R, PAIRS>(row, room, threadIdx.x + 16 * R * j, to);
	for (unsigned i = threadIdx.x + 128 * R; i < pitch; i += 16 * R)
		store<R, PAIRS>(row, room, i, to);
}

template <int R>
static __global__ void __launch_bounds__(gt_fft_shape<R>::THREADS, RESIDENT / gt_fft_shape<R>::THREADS)
	filter_rows(struct gt_rows_in<float> in, gt_layout layout, const float *__restrict__ response, const float *__restrict__ tail,
                    float *out)
{
	__shared__ gt_c room[gt_fft_shape<R>::ROOM], mean[2];
	const unsigned columns = (unsigned)in.row.columns, pairs = (in.rows + 1) / 2, view = blockIdx.x / pairs, l = blockIdx.x % pairs * 2;
	const struct two_rows rows = rows_of(in, view, l);
	gt_c x[16];
	/* Columns fill at most half of the transform. */
#pragma unroll
	for (int j = 0; j < 8; j++)
		x[j] = load(rows, columns, threadIdx.x + 16 * R * j);
#pragma unroll
	for (int j = 8; j < 16; j++)
		x[j] = make_float2(0, 0);
	if (tail && threadIdx.x < 32)
		find_means(rows, columns, mean);
	gt_fft_filter<R>(x, room, response);
	if (tail && (mean[0].x != 0 || mean[0].y != 0 || mean[1].x != 0 || mean[1].y != 0)) {
		const gt_c before = mean[0], after = mean[1];
#pragma unroll
		for (int j = 0; j < 16; j++) {
			const gt_c t = ((const gt_c *)tail)[threadIdx.x + 16 * R * j];
			x[j] = make_float2(x[j].x + (before.x * t.x + after.x * t.y), x[j].y + (before.y * t.x + after.y * t.y));
		}
	}
	__syncthreads();
#pragma unroll
	for (int j = 0; j < 16; j++)
		room[threadIdx.x + 16 * R * j] = x[j];
	if (threadIdx.x == 0)
		room[256 * R] = x[0];
	__syncthreads();
	const size_t pitch = layout.pitch * (layout.pairs ? 2 : 1), place = (size_t)view * (in.rows + 2 * layout.pad) + layout.pad + l;
	float *const to[2] = { out + place * pitch, out + (place + (l + 1 < in.rows)) * pitch };
	if (layout.pairs)
		store_rows<R, 1>(in.row, room, (unsigned)layout.pitch, to);
	else
		store_rows<R, 0>(in.row, room, (unsigned)layout.pitch, to);
}

int gt_block_filters(const gt_fbp_plan *p, gt_type type)
{
	const size_t n = p->row.n;
	return type == GT_F32 && (n == 512 || n == 1024 || n == 2048 || n == 4096) && 2 * p->columns <= n;
}

template <int R> static void order(const double *response, float *ordered)
{
	const int n = 256 * R;
	for (int j = 0; j < 16; j++)
		for (int t = 0; t < 16 * R; t++) {
			const int k = gt_fft_frequency<R>(t, j);
			ordered[j * 16 * R + t] = (float)response[k <= n / 2 ? k : n - k];
		}
	gt_fft_roots<R>((gt_c *)(ordered + n));
}

void gt_block_tail(const gt_fbp_plan *p, float *ordered)
{
	for (size_t i = 0; i < p->row.wide; i++) {
		const size_t at = i < p->row.lead ? p->row.n + i - p->row.lead : i - p->row.lead;
		ordered[2 * at] = (float)p->tail[0][i];
		ordered[2 * at + 1] = (float)p->tail[1][i];
	}
}

#define EACH_SIZE(X) X(512, 2) X(1024, 4) X(2048, 8) X(4096, 16)

size_t gt_block_response_size(size_t n)
{
#define SIZE(size, r)  \
	if (n == size) \
		return n + 2 * gt_fft_shape<r>::ROOTS;
	EACH_SIZE(SIZE)
#undef SIZE
	return 0;
}

void gt_block_response(size_t n, const double *response, float *ordered)
{
#define ORDER(size, r) \
	if (n == size) \
		order<r>(response, ordered);
	EACH_SIZE(ORDER)
#undef ORDER
}

void gt_block_filter(gt_backend *be, const struct gt_rows_in<float> *in, const gt_layout *layout, size_t views, const float *response,
                     const float *tail, float *out)
{
	cudaStream_t queue = gt_cuda_queue(be);
	const unsigned blocks = (unsigned)(views * ((in->rows + 1) / 2));
#define RUN(size, r)           \
	if (in->row.n == size) \
		filter_rows<r><<<blocks, gt_fft_shape<r>::THREADS, 0, queue>>>(*in, *layout, response, tail, out);
	EACH_SIZE(RUN)
#undef RUN
	gt_cuda_check(be, cudaGetLastError(), "filter of rows");
}
