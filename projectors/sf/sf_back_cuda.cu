/* Separable footprints on CUDA, adjoint, single precision, upright views.
 *
 * For one column of voxels and one view the rows of all heights are the same for every column k of the detector. So the columns are
 * mixed first, H[l] = sum of w1[k] C_k[l] over the 2 to 5 columns under the voxel, C_k the running sums of the weighted data along
 * the rows; then H is read once at each edge between slices: E_e = H(row of edge e), and b_j = E_{j+1} - E_j. Only E is accumulated;
 * the difference is taken after 32 views, which is exact up to rounding and halves the work.
 *
 * A warp owns 4 x 2 columns of voxels and up to 32 R slices. Its lanes are four views of each column of voxels while weights are
 * computed, pairs of rows while H is mixed (loads without conflicts), and edges between slices while H is read. 2 x 2 columns of
 * voxels are mixed together: they lie over 5.6 columns of the detector, where one alone lies over 3.3. A block of 8 x 8 columns of
 * voxels shares the C_k under it, which bulk copies bring four views at a time.
 *
 * Up to 8 slices: the lane that computes the weights of a voxel column in a view reads the C_k at all edges itself and adds up
 * differences.
 *
 * The limit, per column of voxels and view with 64 slices and rows: 1.5 columns x 3 passes of 128 bytes to mix, 3 to store H, 1 to
 * broadcast, about 6 to read it (two sets of 32 edges, two entries each, strides of 0.7 to 1.9 entries), 3 for weights: 17.5 passes;
 * and about 55 instructions.
 *
 * Launch parameters: name, default, legal values. */
#ifndef GT_SF_BACK_STAGES /* groups of four views on their way or in use: 2, 3 */
#define GT_SF_BACK_STAGES 2
#endif
#ifndef GT_SF_BACK_COLUMNS /* columns of each view in a stage: 8 to 64; wider shadows take several */
#define GT_SF_BACK_COLUMNS 22
#endif
#ifndef GT_SF_BACK_BLOCKS /* blocks per multiprocessor that registers must leave room for: 2, 3, 4 */
#define GT_SF_BACK_BLOCKS 3
#endif
#ifndef GT_SF_BACK_BYTES /* running sums held at a time */
#define GT_SF_BACK_BYTES ((size_t)256 << 20)
#endif
#include "core/cuda.h"
#include "projectors/sf/sf_cuda.h"
#include "projectors/sf/sf_back_stages.h"

/* Weights of a quad in a view: by column, then voxel; and how many columns there are, from that address on. Of a size that leaves
 * lanes of different quads on different banks. */
struct quad {
	float weight[WIDE][4];
	unsigned address;
	int columns, unused[2];
};

template <int R, int EDGES> struct shared {
	alignas(16) float4 record[WARPS][WARP]; /* by view and voxel: scale, shift, - H in the middle, entry after the last */
	alignas(16) float4 ramp[has_ramps(EDGES) ? WARPS : 1][WARP]; /* slope, middle, constant; reach */
	float2 rest[is_fine(EDGES) ? WARPS : 1][is_fine(EDGES) ? WARP : 1];
	alignas(16) struct quad quad[WARPS][FOUR * QUADS];
	alignas(16) float mixed[WARPS][4][WARP * R + SLACK];
	struct control control;
};

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
/* Weights of `columns` columns from `first` on, whose running sums begin at `address`; T += what the end of the tile gets. */
template <int R, int EDGES, bool WHOLE>
static __device__ __forceinline__ void weigh(struct shared<R, EDGES> &s, const struct lane_voxel *l, int first, int columns,
                                             unsigned address, float end, float *T)
{
	constexpr float width = WARP * R;
	const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, most = __reduce_max_sync(~0u, columns);
	const int voxel = lane % VOXELS, place = lane / VOXELS * QUADS + voxel / 2 % 2, member = voxel % 2 + voxel / 4 * 2;
	const struct edge at_end = { l->scale, end, l->shift, l->rest };
	const float half = fabsf(fmaf(l->ramp1, end, l->ramp0)) + l->ramp;
	float middle = 0, last = 0, low = gt_sf_area_f(&l->columns, first);
#pragma unroll 2
	for (int k = 0; k < (most < WIDE ? most + 1 : WIDE); k++) {
		const float high = gt_sf_area_f(&l->columns, first + k + 1), w = k < columns ? (high - low) * l->chord : 0.f;
		s.quad[warp][place].weight[k][member] = w;
		low = high;
		if (w != 0) {
			const unsigned line = address + k * line_bytes<WARP * R>();
			*T = fmaf(w, edge_sum_of<EDGES>(line, at_end, width, l->reach, [&](float) { return half; }), *T);
			if (!WHOLE) {
				last = fmaf(w, load1<WARP * R * 4>(line), last);
				middle = fmaf(w, load1<WARP * R * 2>(line), middle);
			}
		}
	}
	*T -= middle;
	s.record[warp][lane] = make_float4(l->scale, l->shift, -middle, last - middle);
	if (is_fine(EDGES))
		s.rest[warp][lane] = l->rest;
	if (has_ramps(EDGES))
		s.ramp[warp][lane] = make_float4(l->ramp0, l->ramp1, l->ramp, __int_as_float(l->reach));
	if (member == 0) {
		s.quad[warp][place].address = address;
		s.quad[warp][place].columns = columns;
	}
}

/* H goes to a buffer, with the entry after its last. All rows in one window: sums are centred, so that is minus the first. */
template <int R, bool WHOLE, int BUFFER>
static __device__ __forceinline__ void put(const float (&H)[R], const float4 &record, unsigned buffer)
{
	const float after[1] = { WHOLE ? -H[0] : record.w };
	store_some<R, BUFFER *(int)line_bytes<WARP * R>()>(buffer + threadIdx.x % WARP * 4 * R, H);
	if (threadIdx.x % WARP == 0)
		store_some<1, BUFFER *(int)line_bytes<WARP * R>() + WARP * R * 4>(buffer, after);
}

template <int R, int EDGES, int BUFFER>
static __device__ __forceinline__ void read_edges(const float4 &record, unsigned ramps, unsigned rests, unsigned buffer,
                                                  const float (&edge)[R], float (&E)[R])
{
	constexpr float width = WARP * R;
	constexpr int offset = BUFFER * (int)line_bytes<WARP * R>();
	const float2 rest = is_fine(EDGES) ? load2(rests) : make_float2(0, 0);
	const float4 ramp = has_ramps(EDGES) ? load4(ramps) : record;
	const int reach = EDGES == GT_SF_WIDE ? same(__float_as_int(ramp.w)) : 0;
#pragma unroll
	for (int r = 0; r < R; r++) {
		const struct edge e = { record.x, edge[r], record.y, rest };
		E[r] += edge_sum_of<EDGES, offset>(buffer, e, width, reach,
		                                   [&](float) { return fabsf(fmaf(ramp.y, edge[r], ramp.x)) + ramp.z; });
	}
}

/* Four voxels and a view: H, then E += H at the edges. */
template <int R, int EDGES, bool WHOLE, int QUAD>
static __device__ __forceinline__ void add_quad(unsigned quad, unsigned records, unsigned ramps, unsigned rests, unsigned buffer,
                                                const float (&edge)[R], float (&E)[VOXELS][R])
{
	constexpr int at = QUAD * (int)sizeof(struct quad), v = QUAD * 2;
	constexpr unsigned line = line_bytes<WARP * R>();
	const float4 info = load4<at + WIDE * 16>(quad);
	const int columns = __float_as_int(info.y);
	if (columns <= 0)
		return;
	const float4 record[4] = { load4<v * 16>(records), load4<v * 16 + 16>(records), load4<v * 16 + 64>(records),
		                   load4<v * 16 + 80>(records) };
	float H[4][R];
#pragma unroll
	for (int m = 0; m < 4; m++)
#pragma unroll
		for (int r = 0; r < R; r++)
			H[m][r] = WHOLE ? 0 : record[m].z;
	unsigned from = __float_as_uint(info.x) + threadIdx.x % WARP * 4 * R, weights = quad + at;
#pragma unroll 1
	for (int k = 0; k < columns; k += 2, from += 2 * line, weights += 32) {
		float one[R], two[R];
		load_some<R>(from, one);
		load_some<R, line>(from, two);
		const float4 w = load4(weights), u = load4<16>(weights);
#pragma unroll
		for (int r = 0; r < R; r++) {
			H[0][r] = fmaf(u.x, two[r], fmaf(w.x, one[r], H[0][r]));
			H[1][r] = fmaf(u.y, two[r], fmaf(w.y, one[r], H[1][r]));
			H[2][r] = fmaf(u.z, two[r], fmaf(w.z, one[r], H[2][r]));
			H[3][r] = fmaf(u.w, two[r], fmaf(w.w, one[r], H[3][r]));
		}
	}
	put<R, WHOLE, 0>(H[0], record[0], buffer);
	put<R, WHOLE, 1>(H[1], record[1], buffer);
	put<R, WHOLE, 2>(H[2], record[2], buffer);
	put<R, WHOLE, 3>(H[3], record[3], buffer);
	__syncwarp();
	read_edges<R, EDGES, 0>(record[0], ramps + v * 16, rests + v * 8, buffer, edge, E[v]);
	read_edges<R, EDGES, 1>(record[1], ramps + v * 16 + 16, rests + v * 8 + 8, buffer, edge, E[v + 1]);
	read_edges<R, EDGES, 2>(record[2], ramps + v * 16 + 64, rests + v * 8 + 32, buffer, edge, E[v + 4]);
	read_edges<R, EDGES, 3>(record[3], ramps + v * 16 + 80, rests + v * 8 + 40, buffer, edge, E[v + 5]);
	__syncwarp();
}

template <int R, int EDGES, bool WHOLE> static __device__ __forceinline__ void run_back(const struct args &a)
{
	constexpr int width = WARP * R;
	constexpr unsigned line = line_bytes<width>();
	extern __shared__ __align__(128) unsigned char memory[];
	struct shared<R, EDGES> &s = *(struct shared<R, EDGES> *)memory;
	struct control &c = s.control;
	const unsigned stages = address_of(memory) + (unsigned)((sizeof s + 127) / 128 * 128);
	const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, own_voxel = lane % VOXELS, own_view = lane / VOXELS;
	const struct place at = place_of_block(a);
	const int x0 = at.x0, y0 = at.y0, z0 = at.z0, x1 = at.x1, y1 = at.y1;

	for (int i = lane; i < 4 * (width + SLACK); i += WARP)
		s.mixed[warp][i / (width + SLACK)][i % (width + SLACK)] = 0;
	if (!begin<width>(a, at, c, stages, (GT_SF_BACK_STAGES * stage_bytes<width>() + WIDE * line) / 4))
		return;

	float E[VOXELS][R], T = 0, edge[R];
#pragma unroll
	for (int r = 0; r < R; r++)
		edge[r] = lane + WARP * r - a.height * 0.5f;
#pragma unroll
	for (int v = 0; v < VOXELS; v++)
#pragma unroll
		for (int r = 0; r < R; r++)
			E[v][r] = 0;

	const int x = x1 + own_voxel % 4, y = y1 + own_voxel / 4;
	const bool inside = x0 + x < a.d.n[0] && y0 + y < a.d.n[1];
	const unsigned records = address_of(s.record[warp]), ramps = address_of(s.ramp[has_ramps(EDGES) ? warp : 0]),
		       rests = address_of(s.rest[is_fine(EDGES) ? warp : 0]), quads = address_of(s.quad[warp]);
	const unsigned buffer = address_of(s.mixed[warp]);
	struct item now = { -1, 0, 0 };
	int stage = 0, phase = 0;
	for (int done = 0; next_item(c.part, &now); done++) {
		const struct part *p = &c.part[now.group * FOUR + own_view];
		/* Columns from here on are counted from p->column. */
		const int start = p->first_column + now.piece * GT_SF_BACK_COLUMNS - p->column, end = start + columns_of(p, &now);
		struct lane_voxel l;
		place_voxel<EDGES>(a, p, x, y, p->first_row + now.window * width, 1.f / width, &l);
		l.chord = inside ? l.chord : 0;
		/* Of all four voxels of the quad. */
		int first = max(start, whole_of(floorf(l.columns.at[0]))), after = min(end, whole_of(ceilf(l.columns.at[3])));
		first = min(first, __shfl_xor_sync(~0u, first, 1));
		first = min(first, __shfl_xor_sync(~0u, first, 4));
		after = max(after, __shfl_xor_sync(~0u, after, 1));
		after = max(after, __shfl_xor_sync(~0u, after, 4));
		barrier_wait(address_of(&c.full[stage]), phase);
		const unsigned base = stages + stage * stage_bytes<width>() + own_view * view_bytes<width>() - start * line;
		for (; __any_sync(~0u, after > first); first += WIDE) {
			const int columns = max(min(after - first, (int)WIDE), 0);
			weigh<R, EDGES, WHOLE>(s, &l, first, columns, columns ? base + first * line : stages, a.height * 0.5f, &T);
			__syncwarp();
#pragma unroll 1
			for (int view = 0; view < FOUR; view++) {
				const unsigned quad = quads + view * QUADS * sizeof(struct quad), here = view * VOXELS;
				add_quad<R, EDGES, WHOLE, 0>(quad, records + here * 16, ramps + here * 16, rests + here * 8, buffer, edge,
				                             E);
				add_quad<R, EDGES, WHOLE, 1>(quad, records + here * 16, ramps + here * 16, rests + here * 8, buffer, edge,
				                             E);
			}
		}
		leave<width>(a, c, stages, done, &stage, &phase);
	}
	for (int o = VOXELS; o < WARP; o <<= 1)
		T += __shfl_xor_sync(~0u, T, o);
#pragma unroll
	for (int v = 0; v < VOXELS; v++) {
		const float top = __shfl_sync(~0u, T, v);
		const int vx = x0 + x1 + v % 4, vy = y0 + y1 + v / 4;
		float *out = a.volume + ((size_t)(vy - a.first_y) * a.d.n[0] + vx) * a.deep + z0;
#pragma unroll
		for (int r = 0; r < R; r++) {
			const int e = lane + WARP * r;
			const float next = __shfl_down_sync(~0u, E[v][r], 1), over = __shfl_sync(~0u, E[v][r < R - 1 ? r + 1 : r], 0);
			const float above = e + 1 == a.height ? top : lane == WARP - 1 ? over : next;
			if (vx < a.d.n[0] && vy < a.d.n[1] && e < a.height && z0 + e < a.d.n[2])
				out[e] = (a.fresh ? 0.f : out[e]) + (above - E[v][r]);
		}
	}
}

/* Few slices: b[j] += what a voxel column gets from the columns [first, end) of a view, whose running sums are at base + k lines. */
template <int WIDTH, int EDGES>
static __device__ __forceinline__ void add_column(const struct args &a, const struct lane_voxel *l, int first, int end, unsigned base,
                                                  float (&b)[FEW])
{
	const float bottom = a.height * -0.5f;
	float low = gt_sf_area_f(&l->columns, first);
	for (int k = first; k < end; k++) {
		const float high = gt_sf_area_f(&l->columns, k + 1), w = (high - low) * l->chord;
		const auto edge_sum = [&](int j) {
			const float e = bottom + j;
			const struct edge at = { l->scale, e, l->shift, l->rest };
			return edge_sum_of<EDGES>(base + k * line_bytes<WIDTH>(), at, (float)WIDTH, l->reach,
			                          [&](float) { return fabsf(fmaf(l->ramp1, e, l->ramp0)) + l->ramp; });
		};
		float below = edge_sum(0);
		low = high;
#pragma unroll
		for (int j = 0; j < FEW; j++) {
			if (j >= a.height)
				break;
			const float above = edge_sum(j + 1);
			b[j] = fmaf(w, above - below, b[j]);
			below = above;
		}
	}
}

template <int WIDTH, int EDGES> static __device__ __forceinline__ void run_few(const struct args &a)
{
	extern __shared__ __align__(128) unsigned char memory[];
	struct control &c = *(struct control *)memory;
	const unsigned stages = address_of(memory) + (unsigned)((sizeof c + 127) / 128 * 128);
	const int lane = threadIdx.x % WARP, voxel = lane % VOXELS, view = lane / VOXELS;
	const struct place at = place_of_block(a);
	if (!begin<WIDTH>(a, at, c, stages, GT_SF_BACK_STAGES * stage_bytes<WIDTH>() / 4))
		return;
	const int x = at.x1 + voxel % 4, y = at.y1 + voxel / 4;
	const bool inside = at.x0 + x < a.d.n[0] && at.y0 + y < a.d.n[1];
	float b[FEW] = { 0 };
	struct item now = { -1, 0, 0 };
	int stage = 0, phase = 0;
	for (int done = 0; next_item(c.part, &now); done++) {
		const struct part *p = &c.part[now.group * FOUR + view];
		/* Columns from here on are counted from p->column. */
		const int start = p->first_column + now.piece * GT_SF_BACK_COLUMNS - p->column, end = start + columns_of(p, &now);
		struct lane_voxel l;
		place_voxel<EDGES>(a, p, x, y, p->first_row + now.window * WIDTH, 1.f / WIDTH, &l);
		const int first = max(start, whole_of(floorf(l.columns.at[0]))), after = min(end, whole_of(ceilf(l.columns.at[3])));
		barrier_wait(address_of(&c.full[stage]), phase);
		const unsigned base = stages + stage * stage_bytes<WIDTH>() + view * view_bytes<WIDTH>() - start * line_bytes<WIDTH>();
		add_column<WIDTH, EDGES>(a, &l, first, inside ? after : first, base, b);
		leave<WIDTH>(a, c, stages, done, &stage, &phase);
	}
	float *out = a.volume + ((size_t)(at.y0 + y - a.first_y) * a.d.n[0] + at.x0 + x) * a.deep + at.z0;
#pragma unroll
	for (int j = 0; j < FEW; j++) {
		for (int o = VOXELS; o < WARP; o <<= 1)
			b[j] += __shfl_xor_sync(~0u, b[j], o);
		if (inside && view == 0 && j < a.height && at.z0 + j < a.d.n[2])
			out[j] = (a.fresh ? 0.f : out[j]) + b[j];
	}
}
#endif

template <int R, int EDGES, bool WHOLE>
static __global__ void __launch_bounds__(WARPS *WARP, GT_SF_BACK_BLOCKS) back_kernel(const __grid_constant__ struct args a)
{
#if __CUDA_ARCH__ >= 900
	run_back<R, EDGES, WHOLE>(a);
#endif
}
template <int WIDTH, int EDGES>
static __global__ void __launch_bounds__(WARPS *WARP, GT_SF_BACK_BLOCKS) few_kernel(const __grid_constant__ struct args a)
{
#if __CUDA_ARCH__ >= 900
	run_few<WIDTH, EDGES>(a);
#endif
}

/* Data times the slant -> running sums along the rows, [view of the batch][column][stride]. */
static __global__ void sum_rows(gt_sf d, const float *y, float *sums, size_t first, int stride, int groups)
{
	const size_t in_batch = blockIdx.x / groups, view = first + in_batch;
	const gt_sf_view *v = &d.view[view];
	const gt_sf_ray *ray = d.ray + view * d.columns;
	float *const out[1] = { sums + in_batch * d.columns * stride };
	const size_t step[1] = { (size_t)stride };
	write_sums<1>([&](int k, int l) { return y[gt_sf_cell(&d, v, view, l, k)] * gt_sf_slant(v, &ray[k], l); },
	              blockIdx.x % groups * WARP, d.columns, d.rows, stride, out, step);
}

/* [y][x][deep] -> [z][y][x] */
static __global__ void publish(const float *volume, float *x, int nx, int ny, int nz, int deep, int tiles_x, int tiles_z)
{
	__shared__ float tile[WARP][WARP + 1];
	const int x0 = blockIdx.x % tiles_x * WARP, z0 = blockIdx.x / tiles_x % tiles_z * WARP;
	const size_t y = blockIdx.x / tiles_x / tiles_z;
	for (int i = threadIdx.y; i < WARP; i += blockDim.y)
		if (x0 + i < nx && z0 + threadIdx.x < nz)
			tile[i][threadIdx.x] = volume[(y * nx + x0 + i) * deep + z0 + threadIdx.x];
	__syncthreads();
	for (int i = threadIdx.y; i < WARP; i += blockDim.y)
		if (z0 + i < nz && x0 + threadIdx.x < nx)
			x[((size_t)(z0 + i) * ny + y) * nx + x0 + threadIdx.x] = tile[threadIdx.x][i];
}

/* Launches ------------------------------------------------------------------- */

static int deep_of(const gt_sf *d) { return (d->n[2] + 7) / 8 * 8; }
static int per_lane(const gt_sf *d) { return d->n[2] > WARP ? 2 : 1; }
static int is_few(const gt_sf *d) { return d->n[2] <= FEW; }
/* Rows of a window. */
static int width_of(const gt_sf *d) { return is_few(d) ? d->rows <= FEW ? FEW : WARP : WARP * per_lane(d); }
/* Slices of a tile: equal tiles, not higher than the lanes allow. */
static int height_of(const gt_sf *d)
{
	const int most = WARP * per_lane(d);
	return pieces(d->n[2], pieces(d->n[2], most));
}
/* Half of the limit is for the volume, half for the running sums. Lines of voxels along x that are held at a time: whole blocks. */
static int lines_of(const gt_sf *d, size_t limit)
{
	const size_t fit = limit / 2 / ((size_t)d->n[0] * deep_of(d) * sizeof(float)) / SIDE * SIDE;
	return fit < SIDE ? SIDE : fit < (size_t)d->n[1] ? (int)fit : d->n[1];
}
static size_t volume_floats(const gt_sf *d, size_t limit) { return (size_t)d->n[0] * lines_of(d, limit) * deep_of(d); }
static size_t batch_of(const gt_sf *d, size_t limit)
{
	const size_t one = (size_t)d->columns * line_of(d, width_of(d)) * sizeof(float),
		     fit = (limit / 2 < GT_SF_BACK_BYTES ? limit / 2 : GT_SF_BACK_BYTES) / one / VIEWS * VIEWS;
	return fit < VIEWS ? VIEWS : fit < d->views ? fit : d->views;
}

extern "C" size_t gt_sf_back_scratch(const gt_sf *d, size_t limit)
{
	const int width = width_of(d);
	return (volume_floats(d, limit) + batch_of(d, limit) * d->columns * line_of(d, width) + width) * sizeof(float);
}

typedef void (*kernel)(struct args);
template <int R, int EDGES> static kernel kernel_with(const gt_sf *d, size_t *bytes)
{
	*bytes = (sizeof(struct shared<R, EDGES>) + 127) / 128 * 128 + GT_SF_BACK_STAGES * stage_bytes<WARP * R>() +
	         WIDE * line_bytes<WARP * R>();
	return d->rows <= WARP * R ? back_kernel<R, EDGES, true> : back_kernel<R, EDGES, false>;
}
template <int WIDTH> static kernel kernel_of_few(const gt_sf *d, size_t *bytes)
{
	*bytes = (sizeof(struct control) + 127) / 128 * 128 + GT_SF_BACK_STAGES * stage_bytes<WIDTH>();
	return d->trapezoid ? few_kernel<WIDTH, GT_SF_WIDE> : few_kernel<WIDTH, GT_SF_FINE>;
}
template <int R> static kernel kernel_for(const gt_sf *d, int edges, size_t *bytes)
{
	return edges == GT_SF_WIDE     ? kernel_with<R, GT_SF_WIDE>(d, bytes)
	       : edges == GT_SF_NARROW ? kernel_with<R, GT_SF_NARROW>(d, bytes)
	       : edges == GT_SF_FINE   ? kernel_with<R, GT_SF_FINE>(d, bytes)
	                               : kernel_with<R, GT_SF_STEPS>(d, bytes);
}
static kernel kernel_of(const gt_sf *d, int edges, size_t *bytes)
{
	if (is_few(d))
		return width_of(d) == FEW ? kernel_of_few<FEW>(d, bytes) : kernel_of_few<WARP>(d, bytes);
	return per_lane(d) == 1 ? kernel_for<1>(d, edges, bytes) : kernel_for<2>(d, edges, bytes);
}
extern "C" int gt_sf_back_window(const gt_sf *d) { return width_of(d); }

extern "C" gt_status gt_sf_back_make(gt_backend *be, const gt_sf *d, int edges)
{
	size_t bytes;
	const kernel k = kernel_of(d, edges, &bytes);
	gt_cuda_queue(be);
	if (cudaFuncSetAttribute((const void *)k, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes) != cudaSuccess)
		return gt_fail(GT_ERR_DEVICE, "the separable-footprint kernels need %zu bytes of shared memory on %s", bytes, be->name);
	return GT_OK;
}

/* The lines of voxels [a->first_y, + lines) from all views. */
static void back_lines(cudaStream_t queue, const gt_sf *d, int edges, size_t batch, int lines, const float *y, float *sums, struct args *a)
{
	size_t bytes;
	const kernel run = kernel_of(d, edges, &bytes);
	const int groups = pieces(d->columns, WARP);
	a->tiles_y = pieces(lines, SIDE);
	const size_t blocks = (size_t)a->tiles_x * a->tiles_y * pieces(d->n[2], a->height);
	for (size_t first = 0; first < d->views; first += batch) {
		const size_t views = d->views - first < batch ? d->views - first : batch;
		sum_rows<<<(unsigned)(views * groups), dim3(WARP, GT_SF_PARTS), 0, queue>>>(*d, y, sums, first, a->stride, groups);
		for (a->in_batch = 0; a->in_batch < views; a->in_batch += VIEWS) {
			a->first = first + a->in_batch;
			a->views = (int)(views - a->in_batch < VIEWS ? views - a->in_batch : VIEWS);
			a->fresh = a->first == 0;
			run<<<(unsigned)blocks, WARPS * WARP, bytes, queue>>>(*a);
		}
	}
}

extern "C" void gt_sf_back(gt_backend *be, const gt_sf *d, int edges, size_t limit, const float *y, float *x)
{
	cudaStream_t queue = gt_cuda_queue(be);
	const int slab = lines_of(d, limit), tiles_x = pieces(d->n[0], WARP), tiles_z = pieces(d->n[2], WARP);
	struct args a;
	float *const sums = (float *)gt_scratch(be) + volume_floats(d, limit);
	a.d = *d;
	a.volume = (float *)gt_scratch(be);
	a.sums = sums;
	a.stride = line_of(d, width_of(d));
	a.deep = deep_of(d);
	a.height = height_of(d);
	a.tiles_x = pieces(d->n[0], SIDE);
	for (a.first_y = 0; a.first_y < d->n[1]; a.first_y += slab) {
		const int lines = d->n[1] - a.first_y < slab ? d->n[1] - a.first_y : slab;
		back_lines(queue, d, edges, batch_of(d, limit), lines, y, sums, &a);
		publish<<<(unsigned)((size_t)tiles_x * tiles_z * lines), dim3(WARP, 8), 0, queue>>>(a.volume,
		                                                                                    x + (size_t)a.first_y * d->n[0],
		                                                                                    d->n[0], d->n[1], d->n[2], a.deep,
		                                                                                    tiles_x, tiles_z);
	}
	gt_cuda_check(be, cudaGetLastError(), "separable footprint, adjoint");
}
