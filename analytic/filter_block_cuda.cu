/* Weights, filter, tails and layout in one kernel: a block takes two rows as the real and the imaginary part of one complex
 * row, whose transform never leaves its registers and shared memory (fft_block.h). Each number is read and written once. */
#include "analytic/fft_block.h"
#include "analytic/filter_rows.h"

/* Of each end of both rows, the cells whose mean continues a truncated row. */
struct ends {
	float cell[2][2][GT_EDGE_CELLS];
};

/* Column k of both rows, or zero; row[1] is NULL after the last row. */
static __device__ __forceinline__ gt_c load(const struct gt_rows_in<float> &in, const float *const row[2],
                                            const struct gt_cell<float> *const cells[2], const float height[2], unsigned k, struct ends *e)
{
	const unsigned columns = (unsigned)in.row.columns, edge = columns < GT_EDGE_CELLS ? columns : GT_EDGE_CELLS;
	float value[2] = { 0, 0 };
	for (int r = 0; r < 2; r++) {
		if (k >= columns || !row[r])
			continue;
		value[r] = gt_weighted(cells[r], row[r], height[r], k);
		if (k < edge)
			e->cell[r][0][k] = value[r];
		if (k + edge >= columns)
			e->cell[r][1][columns - 1 - k] = value[r];
	}
	return make_float2(value[0], value[1]);
}

static __device__ __forceinline__ float mean(const float *cell, size_t n)
{
	double sum = 0;
	for (size_t k = 0; k < n; k++)
		sum += cell[k];
	return (float)(sum / (double)n);
}

/* Both rows of the room into their places. Filtered column i is sample i - lead of a circle of n. */
static __device__ __forceinline__ void store_rows(const gt_row_plan &row, const gt_c *room, const gt_layout &layout, float *const to[2],
                                                  int both)
{
	const unsigned wide = (unsigned)row.wide, lead = (unsigned)row.lead, mask = (unsigned)row.n - 1, pitch = (unsigned)layout.pitch;
	for (unsigned i = threadIdx.x; i < pitch; i += blockDim.x) {
		const gt_c zero = make_float2(0, 0), a = i < wide ? room[(i - lead) & mask] : zero;
		if (layout.pairs) {
			const gt_c b = room[(i + 1 - lead) & mask];
			const int in = i + 1 < wide;
			((float2 *)to[0])[i] = in ? make_float2(a.x, b.x - a.x) : zero;
			if (both)
				((float2 *)to[1])[i] = in ? make_float2(a.y, b.y - a.y) : zero;
		} else {
			to[0][i] = a.x;
			if (both)
				to[1][i] = a.y;
		}
	}
}

template <int R>
static __global__ void __launch_bounds__(gt_fft_shape<R>::THREADS, R == 16 ? 2 : 32 / R)
	filter_rows(struct gt_rows_in<float> in, gt_layout layout, size_t rows, const float *__restrict__ response,
                    const float *__restrict__ tail, float *out)
{
	__shared__ gt_c room[gt_fft_shape<R>::ROOM];
	__shared__ struct ends ends;
	const size_t columns = in.row.columns, edge = columns < GT_EDGE_CELLS ? columns : GT_EDGE_CELLS;
	const float *row[2];
	const struct gt_cell<float> *cells[2];
	float height[2], *to[2];
	for (int r = 0; r < 2; r++) {
		const size_t index = 2 * (size_t)blockIdx.x + r, all = index < rows ? index : rows - 1, view = all / in.rows,
			     l = all % in.rows;
		const struct gt_back_view *w = &in.view[view];
		row[r] = index < rows ? in.data + ((size_t)view * in.rows + gt_back_row(w, in.rows, l)) * columns : NULL;
		cells[r] = in.cells + (size_t)view * columns;
		height[r] = (float)(w->height + (double)l * in.row_pitch);
		to[r] = out + ((size_t)view * (in.rows + 2 * layout.pad) + layout.pad + l) * layout.pitch * (layout.pairs ? 2 : 1);
	}
	gt_c x[16];
	/* Columns fill no more than half of the transform. */
#pragma unroll
	for (int j = 0; j < 8; j++)
		x[j] = load(in, row, cells, height, threadIdx.x + 16 * R * j, &ends);
#pragma unroll
	for (int j = 8; j < 16; j++)
		x[j] = make_float2(0, 0);
	gt_fft_filter<R>(x, room, response);
	gt_c before = make_float2(0, 0), after = before;
	if (tail) {
		before = make_float2(mean(ends.cell[0][0], edge), mean(ends.cell[1][0], edge));
		after = make_float2(mean(ends.cell[0][1], edge), mean(ends.cell[1][1], edge));
	}
	const int extended = before.x != 0 || before.y != 0 || after.x != 0 || after.y != 0;
	__syncthreads();
#pragma unroll
	for (int j = 0; j < 16; j++) {
		const int at = threadIdx.x + 16 * R * j;
		const float2 t = extended ? ((const float2 *)tail)[at] : make_float2(0, 0);
		room[at] = make_float2(x[j].x + (before.x * t.x + after.x * t.y), x[j].y + (before.y * t.x + after.y * t.y));
	}
	__syncthreads();
	store_rows(in.row, room, layout, to, row[1] != NULL);
}

int gt_block_filters(const gt_direct_plan *p, gt_type type)
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
}

void gt_block_tail(const gt_direct_plan *p, float *ordered)
{
	for (size_t i = 0; i < p->row.wide; i++) {
		const size_t at = i < p->row.lead ? p->row.n + i - p->row.lead : i - p->row.lead;
		ordered[2 * at] = (float)p->tail[0][i];
		ordered[2 * at + 1] = (float)p->tail[1][i];
	}
}

#define EACH_SIZE(X) X(512, 2) X(1024, 4) X(2048, 8) X(4096, 16)

void gt_block_response(size_t n, const double *response, float *ordered)
{
#define ORDER(size, r) \
	if (n == size) \
		order<r>(response, ordered);
	EACH_SIZE(ORDER)
#undef ORDER
}

void gt_block_filter(gt_backend *be, const struct gt_rows_in<float> *in, const gt_layout *layout, size_t rows, const float *response,
                     const float *tail, float *out)
{
	cudaStream_t queue = gt_cuda_queue(be);
	const unsigned blocks = (unsigned)((rows + 1) / 2);
#define RUN(size, r)           \
	if (in->row.n == size) \
		filter_rows<r><<<blocks, gt_fft_shape<r>::THREADS, 0, queue>>>(*in, *layout, rows, response, tail, out);
	EACH_SIZE(RUN)
#undef RUN
	gt_cuda_check(be, cudaGetLastError(), "filter of rows");
}
