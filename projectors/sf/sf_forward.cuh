#ifndef GT_PROJECTORS_SF_SF_FORWARD_CUH
#define GT_PROJECTORS_SF_SF_FORWARD_CUH
/* CUDA kernel of the separable-footprint forward projection in single precision, for upright views (Long, Fessler,
 * Balter, IEEE Trans. Med. Imaging 29 (2010) 1839).
 *
 * A line of voxels along z contributes the same values, times w1[k], to the rows of every column k under it. The values
 * are differences of the running sum F of the line at the row edges. F is therefore sampled once per line and view, and
 * added with 8 weights to the sums of 8 columns. Sums are of values at row edges; differences are taken every few
 * slices, which is exact up to rounding.
 *
 * A warp owns 8 columns of one view and 32 R rows, and loops over slices and the voxels whose footprints meet its
 * columns. These are 5.7 per slice; without overlap between warps they would be 4.5. Weights are computed with a lane
 * per voxel. Two such warps for each of one, two or four adjacent views share the lines of a slice. One more warp finds
 * the lines and copies them by bulk copies into a ring of stages. With more than 64 slices it copies only the part of a
 * line that the rows reach. Adjacent views must have similar directions, because otherwise a stage would hold too few
 * slices to fill the lanes with voxels. Up to 8 rows: F is sampled where the weights are computed, by a lane per voxel,
 * and differences go to shared memory. A lane then owns a column and two rows.
 *
 * Limit, per column of voxels and view with 64 slices and rows: 55 instructions and 12 shared-memory passes of 128
 * bytes. Sampling F takes 2 x (6 instructions, 2 loads of about 1.4 passes each). Adding takes 16 additions and 3
 * broadcasts, weights 10 instructions; all but the weights occur 1.3 times.
 *
 * Search space of `gantry tune`, read by tuner/space.c: one line per parameter, then the constraints. Lower-case names
 * are numbers of the problem's class. VIEWS: views of a block. TILE: rows of a warp.
 *
 * tune sf-forward
 * VIEWS 1 2 4
 * TILE 32 64
 * BLOCKS 1 2 3
 * STAGES 2 3 4
 * BYTES 12288 18432 24576 30720 36864 43008 49152 61440 73728
 * MORE 0 6144 12288
 * WINDOW 64 96 128
 * FLUSH 64 128 256
 * keep TILE <= rows + 31
 * keep WINDOW == 128 || slices > 64
 * keep MORE == 0 || VIEWS == 4
 * keep STAGES * (BYTES / 6 * (2 + VIEWS) + MORE) <= 210000
 * keep STAGES * (BYTES / 6 * (2 + VIEWS) + MORE) <= shared
 * end
 *
 * Launch parameters: name, default, legal values. */
#ifndef GT_SF_AHEAD_STAGES /* stages, in flight or in use: 2 to 4 */
#define GT_SF_AHEAD_STAGES 2
#endif
/* bytes of a stage for four views: multiples of 6144; larger slices are copied in several parts */
#ifndef GT_SF_AHEAD_BYTES
#define GT_SF_AHEAD_BYTES 36864
#endif
/* additional bytes for four views, doubled for GT_SF_STEPS: 0 or 6144 */
#ifndef GT_SF_AHEAD_MORE
#define GT_SF_AHEAD_MORE 6144
#endif
#ifndef GT_SF_AHEAD_WINDOW /* maximum slices of a line per copy: 64 to 192, multiples of 4 */
#define GT_SF_AHEAD_WINDOW 128
#endif
#ifndef GT_SF_AHEAD_BLOCKS /* minimum blocks of four views per multiprocessor: 2, 3 */
#define GT_SF_AHEAD_BLOCKS 2
#endif
#ifndef GT_SF_AHEAD_FLUSH /* voxels between differences: 64 to 512 */
#define GT_SF_AHEAD_FLUSH 128
#endif
#include "projectors/sf/sf_cuda.cuh"
#include "projectors/sf/sf_forward_lines.cuh"

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
/* Returns the running sum of a line at a row edge. ramp (SF-TT): half width |x + y entry| + z, in slices. */
template <int EDGES>
static __device__ __forceinline__ float line_at(unsigned address, const struct edge &e, float window, int reach, const float4 &ramp)
{
	return edge_sum_of<EDGES>(address, e, window, reach, [&](float knot) { return fabsf(fmaf(ramp.y, knot, ramp.x)) + ramp.z; });
}
/* Number of knots that edges between first and last may meet, for fine lines. */
static __device__ __forceinline__ int reach_between(const struct edge &first, const struct edge &last, float window, const float4 &ramp)
{
	const float k0 = min(max(fmaf(first.scale, first.at, first.shift), 0.f), window),
		    k1 = min(max(fmaf(last.scale, last.at, last.shift), 0.f), window);
	const float half = max(fabsf(fmaf(ramp.y, k0, ramp.x)), fabsf(fmaf(ramp.y, k1, ramp.x))) + ramp.z;
	return reach_of_half(half * gt_rcp_approx(1 - min(fabsf(ramp.y), 0.5f)));
}

/* One lane: voxel i of slice n, its position in the stage and its weights. */
template <int ROWS, int EDGES>
static __device__ __forceinline__ void prepare(const struct args &a, struct warp_memory<ROWS, EDGES> *m, int axis, int n, int i,
                                               unsigned address, float window, double in_window, int from, int l0, bool active)
{
	const gt_sf_near *near = &m->near;
	const int lane = threadIdx.x % WARP, x = axis ? i : n, y = axis ? n : i;
	const double fine_N = fma(near->N[1], (double)x, fma(near->N[2], (double)y, near->N[0]));
	const double fine_M = fma(near->M[1], (double)x, fma(near->M[2], (double)y, near->M[0]));
	const float N = (float)fine_N, M = (float)fine_M;
	float k[4], least, most;
	int nearest = 0, farthest = 0;
#pragma unroll
	for (int c = 0; c < 4; c++) {
		const float sx = c & 1 ? 1.f : -1.f, sy = c & 2 ? 1.f : -1.f;
		const float N1 = fmaf(sx, near->N1, fmaf(sy, near->N2, N)), M1 = fmaf(sx, near->M1, fmaf(sy, near->M2, M));
		k[c] = gt_sf_column_f(&near->lens, N1, M1);
		if (has_ramps(EDGES)) {
			const float stretch = gt_sf_stretch_f(&near->lens, N1, M1);
			farthest = c && stretch < least ? c : farthest;
			nearest = c && stretch > most ? c : nearest;
			least = c ? min(least, stretch) : stretch;
			most = c ? max(most, stretch) : stretch;
		}
	}
	const gt_sf_trapezoid_f columns = gt_sf_trapezoid_of_f(k[0], k[1], k[2], k[3]);
	const auto stretch_of = [&](int c) {
		const double sx = c & 1 ? 0.5 : -0.5, sy = c & 2 ? 0.5 : -0.5;
		return gt_sf_stretch_fine(&near->lens, fma(sx, near->N[1], fma(sy, near->N[2], fine_N)),
		                          fma(sx, near->M[1], fma(sy, near->M[2], fine_M)));
	};
	const double mean = has_ramps(EDGES) ? (stretch_of(farthest) + stretch_of(nearest)) / 2
	                                     : gt_sf_stretch_fine(&near->lens, fine_N, fine_M);
	const double fine_step = near->V[3] * mean, in_fine = gt_sf_in_fine(fine_step);
	const float step = (float)fine_step, in_step = (float)in_fine;
	const float factor = active ? chord_of(near, x, y, (float)a.d.pitch[0], (float)a.d.pitch[1]) * step : 0.f;
	const double V = fma(near->V[1], (double)x, fma(near->V[2], (double)y, fma(near->V[3], -0.5, near->V[0])));
	/* Entry of the central row of the tile, first relative to the source plane, then to the window. */
	const double middle = (l0 + ROWS / 2 - near->row) * in_fine - V * near->in_V - from;
	float scale = (float)(in_fine * in_window), shift = (float)(middle * in_window);
	float2 rest = make_float2(0, 0);
	if (is_fine(EDGES))
		split(in_fine, middle, &scale, &shift, &rest);
	float4 ramp = make_float4(0, 0, 0, 0);
	if (has_ramps(EDGES)) {
		const float slope = (float)near->V[3] * (most - least) / 2 * in_step;
		ramp.x = fmaf(slope, (float)from, (float)V * (most - least) / 2 * in_step);
		ramp.y = slope;
		ramp.z = (float)((fabs(near->V[1]) + fabs(near->V[2])) / 2 * mean) * in_step;
	}
	const struct edge first = { scale, -ROWS / 2, shift, rest }, last = { scale, ROWS / 2, shift, rest };
	const int reach = EDGES == GT_SF_WIDE && active ? reach_between(first, last, window, ramp) : 0;
	if (ROWS > FEW) {
		ramp.w = __int_as_float(reach);
		if (has_ramps(EDGES))
			m->ramp[lane] = ramp;
		m->record[lane] = make_float4(scale, shift, __uint_as_float(address), 0);
		if (is_fine(EDGES))
			m->rest[lane] = rest;
		m->end[lane] = line_at<EDGES>(address, last, window, reach, ramp);
	} else {
		float row[FEW], below = line_at<EDGES>(address, first, window, reach, ramp);
#pragma unroll
		for (int r = 0; r < FEW; r++) {
			row[r] = 0;
			if (r < a.d.rows) {
				const float above = line_at<EDGES>(address, { scale, r + 1.f - ROWS / 2, shift, rest }, window, reach,
				                                   ramp);
				row[r] = above - below;
				below = above;
			}
		}
		m->row[lane][0] = make_float4(row[0], row[1], row[2], row[3]);
		m->row[lane][1] = make_float4(row[4], row[5], row[6], row[7]);
	}
	float w[COLUMNS], low = gt_sf_area_f(&columns, 0);
#pragma unroll
	for (int c = 0; c < COLUMNS; c++) {
		const float high = gt_sf_area_f(&columns, c + 1);
		w[c] = (high - low) * factor;
		low = high;
	}
	m->weight[lane][0] = make_float4(w[0], w[1], w[2], w[3]);
	m->weight[lane][1] = make_float4(w[4], w[5], w[6], w[7]);
}

/* sum += differences of E along the rows; clears E and top. top: of column lane % COLUMNS, from a part of the
 * voxels. */
template <int R> static __device__ __forceinline__ void flush(float (&E)[COLUMNS][R], float &top, float (&sum)[COLUMNS][R])
{
	const int lane = threadIdx.x % WARP;
	for (int o = COLUMNS; o < WARP; o <<= 1)
		top += __shfl_xor_sync(~0u, top, o);
#pragma unroll
	for (int c = 0; c < COLUMNS; c++) {
		const float end = __shfl_sync(~0u, top, c);
#pragma unroll
		for (int r = 0; r < R; r++) {
			const float next = __shfl_down_sync(~0u, E[c][r], 1),
				    over = r < R - 1 ? __shfl_sync(~0u, E[c][r < R - 1 ? r + 1 : r], 0) : end;
			sum[c][r] += (lane == WARP - 1 ? over : next) - E[c][r];
		}
#pragma unroll
		for (int r = 0; r < R; r++)
			E[c][r] = 0;
	}
	top = 0;
}

/* Sums the values at the end of the rows; lanes divide columns and voxels. Records past the last voxel have weight
 * 0. */
template <int ROWS, int EDGES> static __device__ __forceinline__ float add_ends(const struct warp_memory<ROWS, EDGES> *m)
{
	const int lane = threadIdx.x % WARP;
	float sum = 0;
#pragma unroll
	for (int j = 0; j < WARP; j += WARP / COLUMNS)
		sum = fmaf(((const float *)m->weight[j + lane / COLUMNS])[lane % COLUMNS], m->end[j + lane / COLUMNS], sum);
	return sum;
}

template <int ROWS, int EDGES, int R>
static __device__ __forceinline__ void add_voxels(const struct warp_memory<ROWS, EDGES> *m, int count, float window, const float (&edge)[R],
                                                  float (&E)[COLUMNS][R])
{
	const unsigned records = address_of(m->record), weights = address_of(m->weight);
#pragma unroll 2
	for (int j = 0; j < count; j++) {
		const float4 record = load4(records + j * 16), low = load4(weights + j * 32), high = load4(weights + j * 32 + 16);
		const float w[COLUMNS] = { low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w };
		const float4 ramp = has_ramps(EDGES) ? m->ramp[j] : record;
		const float2 rest = is_fine(EDGES) ? m->rest[j] : make_float2(0, 0);
		const int reach = EDGES == GT_SF_WIDE ? same(__float_as_int(ramp.w)) : 0;
		float F[R];
#pragma unroll
		for (int r = 0; r < R; r++) {
			F[r] = line_at<EDGES>(__float_as_uint(record.z), { record.x, edge[r], record.y, rest }, window, reach, ramp);
		}
#pragma unroll
		for (int c = 0; c < COLUMNS; c++)
#pragma unroll
			for (int r = 0; r < R; r++)
				E[c][r] = fmaf(w[c], F[r], E[c][r]);
	}
}

/* Few rows: a lane owns column lane % COLUMNS and two rows. */
template <int ROWS, int EDGES>
static __device__ __forceinline__ void add_few(const struct warp_memory<ROWS, EDGES> *m, int count, float (&sum)[2])
{
	const int lane = threadIdx.x % WARP;
	const unsigned rows = address_of(m->row) + lane / COLUMNS * 8, weights = address_of(m->weight) + lane % COLUMNS * 4;
#pragma unroll 4
	for (int j = 0; j < count; j++) {
		const float w = load1(weights + j * 32);
		const float2 F = load2(rows + j * 32);
		sum[0] = fmaf(w, F.x, sum[0]);
		sum[1] = fmaf(w, F.y, sum[1]);
	}
}

static __device__ __forceinline__ void put_pixel(const struct args &a, const gt_sf_view *v, int view, int l, int k, float sum)
{
	if (l >= a.d.rows || k >= a.d.columns)
		return;
	float *out = a.out + gt_sf_pixel(&a.d, v, view, l, k);
	const float slant = (float)gt_sf_slant(v, &a.d.ray[(size_t)view * a.d.columns + k], l);
	*out = (a.first[v->axis] ? *out : 0.f) + sum * slant;
}

template <int ROWS, int EDGES, int V>
static __device__ __forceinline__ void compute(const struct args &a, struct shared<ROWS, EDGES, V> &s, unsigned stages, int view, int k0,
                                               int l0)
{
	constexpr int R = ROWS > FEW ? ROWS / WARP : 1;
	const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
	struct warp_memory<ROWS, EDGES> *m = &s.warp[warp];
	const gt_sf_view *v = &a.d.view[view];
	const int axis = v->axis;
	float E[COLUMNS][R], sum[COLUMNS][R], top = 0, edge[R], few[2] = { 0, 0 };
#pragma unroll
	for (int r = 0; r < R; r++)
		edge[r] = lane + WARP * r - ROWS * 0.5f;
#pragma unroll
	for (int c = 0; c < COLUMNS; c++)
#pragma unroll
		for (int r = 0; r < R; r++)
			E[c][r] = sum[c][r] = 0;
	int since = 0;
	for (int got = 0;; got++) {
		const int here = got % GT_SF_AHEAD_STAGES;
		barrier_wait(address_of(&s.full[here]), got / GT_SF_AHEAD_STAGES & 1);
		const struct stage *stage = &s.stage[here];
		if (stage->end)
			break;
		const int base = stage->base;
		const int4 slice = stage->slice[lane];
		double low = -1, high = 2e9;
		narrow(m->border, base + lane, &low, &high);
		const int2 i = voxels_between(low, high, slice.x, slice.x + slice.y);
		int sums = i.y - i.x;
		for (int o = 1; o < WARP; o <<= 1) {
			const int other = __shfl_up_sync(~0u, sums, o);
			sums += lane >= o ? other : 0;
		}
		const int total = __shfl_sync(~0u, sums, WARP - 1), before = sums - (i.y - i.x);
		const float window = (float)stage->window;
		const unsigned line = (stage->window + SLACK) * (unsigned)sizeof(float);
		const unsigned address = stages + here * stage_bytes<V, EDGES>() + slice.z - slice.x * line;
		for (int first = 0; first < total; first += WARP) {
			/* Finds the slice of the voxel: the last lane whose voxels begin at or before it. */
			const int voxel = first + lane;
			int from = 0;
#pragma unroll
			for (int o = WARP / 2; o; o >>= 1)
				from += __shfl_sync(~0u, before, (from + o) % WARP) <= voxel && from + o < WARP ? o : 0;
			const int at = voxel - __shfl_sync(~0u, before, from) + __shfl_sync(~0u, i.x, from);
			const unsigned place = __shfl_sync(~0u, address, from) + at * line;
			const int start = __shfl_sync(~0u, slice.w, from), count = min(WARP, total - first);
			prepare<ROWS, EDGES>(a, m, axis, base + from, at, lane < count ? place : stages, window, stage->in_window, start,
			                     l0, lane < count);
			__syncwarp();
			if (ROWS > FEW) {
				add_voxels<ROWS, EDGES>(m, count, window, edge, E);
				top += add_ends(m);
				since += count;
			} else {
				add_few(m, count, few);
			}
			__syncwarp();
			if (since >= GT_SF_AHEAD_FLUSH) {
				flush<R>(E, top, sum);
				since = 0;
			}
		}
		__syncwarp();
		if (lane == 0)
			barrier_arrive(address_of(&s.empty[here]));
	}
	if (ROWS <= FEW) {
		for (int r = 0; r < 2; r++)
			put_pixel(a, v, view, l0 + lane / COLUMNS * 2 + r, k0 + lane % COLUMNS, few[r]);
		return;
	}
	flush<R>(E, top, sum);
#pragma unroll
	for (int c = 0; c < COLUMNS; c++)
#pragma unroll
		for (int r = 0; r < R; r++)
			put_pixel(a, v, view, l0 + lane + WARP * r, k0 + c, sum[c][r]);
}

template <int ROWS, int EDGES, int V> static __device__ __forceinline__ void run_forward(const struct args &a)
{
	constexpr int warps = TWO * V;
	extern __shared__ __align__(128) unsigned char memory[];
	struct shared<ROWS, EDGES, V> &s = *(struct shared<ROWS, EDGES, V> *)memory;
	const unsigned stages = address_of(memory) + (unsigned)((sizeof s + 127) / 128 * 128);
	const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
	const int first = blockIdx.x % a.groups_of_columns * TWO * COLUMNS,
		  l0 = a.first_row + blockIdx.x / a.groups_of_columns % a.row_tiles * ROWS;
	const int *views = a.group + (size_t)(blockIdx.x / a.groups_of_columns / a.row_tiles) * V;
	const int view = warp < warps ? views[warp % V] : -1, k0 = first + warp / V * COLUMNS;
	const bool works = view >= 0 && k0 < a.d.columns;
	if (!a.lines[a.d.view[views[0]].axis])
		return;
	for (unsigned i = threadIdx.x * 16; i < GT_SF_AHEAD_STAGES * stage_bytes<V, EDGES>(); i += (warps + 1) * WARP * 16)
		store4(stages + i, 0.f, 0.f, 0.f, 0.f);
	if (works && lane == 0) {
		near_column(&a.d.view[view], k0, &s.warp[warp].near);
		fill_borders(&a.d.view[view], k0, min(k0 + COLUMNS, a.d.columns), s.warp[warp].border);
	}
	if (warp == warps && lane < V && views[lane] >= 0)
		fill_borders(&a.d.view[views[lane]], first, min(first + TWO * COLUMNS, a.d.columns), s.border[lane]);
	const int working = __syncthreads_count(works) / WARP;
	if (threadIdx.x == 0) {
		for (int i = 0; i < GT_SF_AHEAD_STAGES; i++) {
			barrier_init(address_of(&s.full[i]), 1);
			barrier_init(address_of(&s.empty[i]), working);
		}
		barrier_fence();
	}
	fence_for_bulk_copies();
	__syncthreads();
	if (warp == warps)
		bring(a, s, stages, views, l0);
	else if (works)
		compute(a, s, stages, view, k0, l0);
}
#endif

template <int ROWS, int EDGES, int V>
static __global__ void __launch_bounds__((TWO * V + 1) * WARP, GT_SF_AHEAD_BLOCKS *(V == 4   ? 1
                                                                                    : V == 2 ? 2
                                                                                             : 3))
	forward_kernel(const __grid_constant__ struct args a)
{
#if __CUDA_ARCH__ >= 900
	run_forward<ROWS, EDGES, V>(a);
#endif
}

/* [z][y][x] -> running sums along z, lines of [y][x] and of [x][y], of voxels from (x0, y0) up to x1. */
static __global__ void sum_slices(const float *x, float *by_y, float *by_x, int nx, int ny, int nz, int deep, int groups, int x0, int x1,
                                  int y0)
{
	const size_t line = blockIdx.x / groups, plane = (size_t)nx * ny;
	float *const out[2] = { by_y ? by_y + line * nx * deep : NULL, by_x ? by_x + line * deep : NULL };
	const size_t step[2] = { (size_t)deep, (size_t)ny * deep };
	const float *row = x + (y0 + line) * nx + x0;
	write_sums<2>([&](int k, int l) { return (double)row[l * plane + k]; }, blockIdx.x % groups * WARP, x1 - x0, nz, deep, out, step);
}
#endif
