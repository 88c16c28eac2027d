#ifndef GT_PROJECTORS_SF_SF_BACK_CUH
#define GT_PROJECTORS_SF_SF_BACK_CUH
/* CUDA kernel of the separable-footprint adjoint in single precision, for upright views.
 *
 * For one column of voxels and one view, the rows of all heights are equal for every detector column k. So the columns
 * are mixed first: H[l] = sum of w1[k] C_k[l] over the 2 to 5 columns under the voxel. C_k is the running sum of the
 * weighted data along the rows. Then H is sampled once at each edge between slices: E_e = H(row of edge e), and b_j =
 * E_{j+1} - E_j. Only E is accumulated. The difference is taken after 32 views, which is exact up to rounding and
 * halves the work.
 *
 * A warp owns 4 x 2 columns of voxels and up to 32 R slices. Its lanes are four views of each column of voxels while
 * weights are computed. They are pairs of rows while H is mixed (loads without bank conflicts), and edges between
 * slices while H is sampled. The mixing processes 2 x 2 columns of voxels together, which cover 5.6 detector columns; a
 * single one covers 3.3. A block of 8 x 8 columns of voxels shares the C_k under it. Bulk copies load them four views
 * at a time; each warp issues some of them while it works on the previous views. If not all rows fit into 32 R entries,
 * blocks choose for each four views a window of this height or of 32 more. One window mostly serves all slices of a
 * tile. H at the centre of the window is subtracted, because the sums are large there. Up to 8 slices: the lane that
 * computes the weights of a voxel column in a view samples the C_k at all edges and adds up differences.
 *
 * Limit, per column of voxels and view with 64 slices and rows, in shared-memory passes of 128 bytes: 1.5 columns x 3
 * to mix, 3 to store H, 1 to broadcast, 3 for weights. Sampling takes about 6: two sets of 32 edges, two entries each,
 * strides of 0.7 to 1.9 entries. The sum is 17.5 passes, and about 55 instructions.
 *
 * Search space of `gantry tune`, read by tuner/space.c: one line per parameter, then the constraints. Lower-case names
 * are numbers of the problem's class.
 *
 * tune sf-back
 * BLOCKS 1 2 3 4
 * STAGES 2 3 4
 * COLUMNS 8 10 12 14 16 18 20 22 24 28 32 40 48
 * HIGHER 0 1
 * keep COLUMNS * STAGES <= 96
 * keep HIGHER == 1 || rows > 32
 * end
 *
 * Launch parameters: name, default, legal values. */
#ifndef GT_SF_BACK_COLUMNS /* maximum columns of each view in a stage: 8 to 64; wider footprints take several */
#define GT_SF_BACK_COLUMNS 22
#endif
#ifndef GT_SF_BACK_BLOCKS /* minimum blocks per multiprocessor: 2, 3, 4 */
#define GT_SF_BACK_BLOCKS 3
#endif
/* maximum shared memory of a block, in bytes, for this number of blocks per multiprocessor */
#ifndef GT_SF_BACK_SHARED
#define GT_SF_BACK_SHARED GT_SF_BACK_MIN(233472 / GT_SF_BACK_BLOCKS - 1024, GT_MAX_SHARED)
#endif
#ifndef GT_MAX_SHARED /* maximum shared memory of a block of the device, in bytes */
#define GT_MAX_SHARED 232448
#endif
#define GT_SF_BACK_MIN(a, b) ((a) < (b) ? (a) : (b))
#include "projectors/sf/sf_back_mix.cuh"
#include "projectors/sf/sf_cuda.cuh"

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
/* Columns of [start, end) under the four voxels of a lane's quad: the first, and the one after the last. */
static __device__ __forceinline__ int2 columns_of_quad(const gt_sf_trapezoid_f &t, int start, int end)
{
	int first = max(start, whole_of(floorf(t.at[0]))), after = min(end, whole_of(ceilf(t.at[3])));
	for (int o = 1; o <= 4; o += 3) {
		first = min(first, __shfl_xor_sync(~0u, first, o));
		after = max(after, __shfl_xor_sync(~0u, after, o));
	}
	return make_int2(first, after);
}

/* Adds differences of E to the volume; T is the value at the end of the tile. */
template <int R>
static __device__ __forceinline__ void give(const struct args &a, const struct place &at, const float (&E)[VOXELS][R], float T)
{
	const int lane = threadIdx.x % WARP;
	for (int o = VOXELS; o < WARP; o <<= 1)
		T += __shfl_xor_sync(~0u, T, o);
#pragma unroll
	for (int v = 0; v < VOXELS; v++) {
		const float top = __shfl_sync(~0u, T, v);
		const int vx = at.x0 + at.x1 + v % 4, vy = at.y0 + at.y1 + v / 4;
		float *out = a.volume + ((size_t)(vy - a.first_y) * a.d.n[0] + vx) * a.deep + at.z0;
#pragma unroll
		for (int r = 0; r < R; r++) {
			const int e = lane + WARP * r;
			const float next = __shfl_down_sync(~0u, E[v][r], 1), over = __shfl_sync(~0u, E[v][r < R - 1 ? r + 1 : r], 0);
			const float above = e + 1 == a.height ? top : lane == WARP - 1 ? over : next;
			if (vx < a.d.n[0] && vy < a.d.n[1] && e < a.height && at.z0 + e < a.d.n[2])
				out[e] = (a.fresh ? 0.f : out[e]) + (above - E[v][r]);
		}
	}
}

template <int R, int EDGES, bool WHOLE> static __device__ __forceinline__ void run_back(const struct args &a)
{
	constexpr bool any = !WHOLE;
	constexpr int columns = columns_for<R, EDGES, WHOLE>();
	extern __shared__ __align__(128) unsigned char memory[];
	struct shared<R, EDGES, WHOLE> &s = *(struct shared<R, EDGES, WHOLE> *)memory;
	struct control &c = s.control;
	const unsigned stages = address_of(memory) + (unsigned)((sizeof s + 127) / 128 * 128);
	const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, own_voxel = lane % VOXELS, own_view = lane / VOXELS;
	const struct place at = place_of_block(a);

	for (unsigned i = lane; i < sizeof s.mixed[warp] / sizeof(float); i += WARP)
		s.mixed[warp][i] = 0;
	const struct team team = begin<WARP * R, columns, any>(
		a, at, c, stages, (GT_SF_BACK_STAGES * stage_bytes<WARP * R, columns>() + highest_line<R, WHOLE>()) / 4);
	if (team.warps == 0)
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

	const int x = at.x1 + own_voxel % 4, y = at.y1 + own_voxel / 4;
	const bool inside = at.x0 + x < a.d.n[0] && at.y0 + y < a.d.n[1];
	const unsigned quads = address_of(s.quad[warp]), buffer = address_of(s.mixed[warp]);
	struct item now = { -1, 0, 0 };
	int stage = 0, phase = 0;
	for (int done = 0; next_item(c.shape, &now); done++) {
		const struct part *p = &c.part[now.group * FOUR + own_view];
		const int width = any ? same(c.shape[now.group].width) : WARP * R, most = any ? c.shape[now.group].columns : columns;
		const int rows = rows_of<any>(width), row = p->first_row + now.window * rows;
		const unsigned line = (width + SLACK) * (unsigned)sizeof(float);
		/* Columns are relative to p->column from here on. */
		const int start = p->first_column + now.piece * most - p->column, end = start + columns_of(p, &now, most);
		for (int pass = 0, more = 1; more; pass++) {
			/* recomputed for each pass, of which there is mostly one, to save registers */
			struct lane_voxel l;
			place_voxel<EDGES, WHOLE>(a, p, x, y, row, any ? gt_sf_in_fine(rows) : 1. / (WARP * R), &l);
			l.chord = inside ? l.chord : 0;
			const int2 of_quad = columns_of_quad(l.columns, start, end);
			const int first = of_quad.x + pass * WIDE, count = max(min(of_quad.y - first, (int)WIDE), 0);
			more = __any_sync(~0u, of_quad.y > first + WIDE);
			if (pass == 0) {
				barrier_wait(address_of(&c.full[stage]), phase);
				ask_ahead<WARP * R, columns, any>(a, c, team, now, stages, done);
			}
			if (!__any_sync(~0u, count))
				break;
			const unsigned base = stages + stage * stage_bytes<WARP * R, columns>() +
			                      own_view * view_bytes<WARP * R, columns>() + (first - start) * line +
			                      (any ? row % 4 * (int)sizeof(float) : 0);
			weigh<R, EDGES, WHOLE>(s, &l, width, first, count, count ? base : stages, a.height * 0.5f, &T);
			__syncwarp();
			add_window<R, EDGES, WHOLE>(width, quads, buffer, edge, E);
		}
		leave(c, &stage, &phase);
	}
	give<R>(a, at, E, T);
}

/* Few slices: b[j] += columns [first, end) of a view for a voxel column; running sums of column k begin at base + k
 * lines. */
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
	const struct team team = begin<WIDTH, GT_SF_BACK_COLUMNS, false>(a, at, c, stages,
	                                                                 GT_SF_BACK_STAGES * stage_bytes<WIDTH, GT_SF_BACK_COLUMNS>() / 4);
	if (team.warps == 0)
		return;
	const int x = at.x1 + voxel % 4, y = at.y1 + voxel / 4;
	const bool inside = at.x0 + x < a.d.n[0] && at.y0 + y < a.d.n[1];
	float b[FEW] = { 0 };
	struct item now = { -1, 0, 0 };
	int stage = 0, phase = 0;
	for (int done = 0; next_item(c.shape, &now); done++) {
		const struct part *p = &c.part[now.group * FOUR + view];
		/* Columns are relative to p->column from here on. */
		const int start = p->first_column + now.piece * GT_SF_BACK_COLUMNS - p->column,
			  end = start + columns_of(p, &now, GT_SF_BACK_COLUMNS);
		struct lane_voxel l;
		place_voxel<EDGES, false>(a, p, x, y, p->first_row + now.window * WIDTH, 1. / WIDTH, &l);
		const int first = max(start, whole_of(floorf(l.columns.at[0]))), after = min(end, whole_of(ceilf(l.columns.at[3])));
		barrier_wait(address_of(&c.full[stage]), phase);
		ask_ahead<WIDTH, GT_SF_BACK_COLUMNS, false>(a, c, team, now, stages, done);
		const unsigned base = stages + stage * stage_bytes<WIDTH, GT_SF_BACK_COLUMNS>() +
		                      view * view_bytes<WIDTH, GT_SF_BACK_COLUMNS>() - start * line_bytes<WIDTH>();
		add_column<WIDTH, EDGES>(a, &l, first, inside ? after : first, base, b);
		leave(c, &stage, &phase);
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
#endif
