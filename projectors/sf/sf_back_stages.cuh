#ifndef GT_PROJECTORS_SF_SF_BACK_STAGES_CUH
#define GT_PROJECTORS_SF_SF_BACK_STAGES_CUH
/* Device code of sf_back_cuda.cu. Finds the columns and rows under a block in each view, and fills stages in shared
 * memory by bulk copies. Computes the position of a voxel column in a view. */
#include "projectors/sf/sf_device.cuh"

#ifndef GT_SF_BACK_STAGES /* stages of four views, in flight or in use: 2, 3 */
#define GT_SF_BACK_STAGES 2
#endif
#ifndef GT_SF_BACK_HIGHER /* rows per lane beyond slices in the highest windows, if not all rows fit one: 0 to 2 */
#define GT_SF_BACK_HIGHER 1
#endif

enum {
	WARP = GT_SF_WARP,
	WARPS = 8,
	SIDE = 8,             /* voxels of a block along x and y; a warp owns 4 x 2 */
	VOXELS = 8,           /* voxels of a warp */
	FOUR = 4,             /* views of a group */
	QUADS = 2,            /* groups of 2 x 2 voxels of a warp */
	GROUPS = WARP / FOUR, /* groups of a launch: one lane of a warp prepares each view */
	FEW = 8,              /* maximum slices for the separate kernel */
	WIDE = 8,             /* columns of a quad per pass over a stage: even */
	SLACK = 4             /* floats after the 32 R entries of a line: the next one, and alignment */
};
static const size_t VIEWS = WARP;

struct args {
	gt_sf d;
	const float *sums; /* [view of the batch][column][stride] */
	float *volume;     /* [y][x][deep], from first_y on */
	size_t first, in_batch;
	int views, stride, deep, height, tiles_x, tiles_y, first_y, fresh;
};

/* ANY: a block chooses the height of its windows, from WIDTH entries on in steps of WARP. Windows have two rows fewer
 * than entries and no entry after the last row, so that they begin at pairs. */
template <bool ANY> static __host__ __device__ constexpr int rows_of(int width) { return ANY ? width - 2 : width; }
static __host__ __device__ constexpr int highest_of(int width) { return width + GT_SF_BACK_HIGHER * WARP; }
template <int WIDTH> static __host__ __device__ constexpr unsigned line_bytes() { return (WIDTH + SLACK) * (unsigned)sizeof(float); }
template <int WIDTH, int COLUMNS> static __host__ __device__ constexpr unsigned view_bytes() { return COLUMNS * line_bytes<WIDTH>(); }
template <int WIDTH, int COLUMNS> static __host__ __device__ constexpr unsigned stage_bytes()
{
	return FOUR * view_bytes<WIDTH, COLUMNS>();
}

/* Entries of a line of running sums: whole windows of rows; any: of any height up to `higher` more rows per lane. */
[[maybe_unused]] static int line_of(const gt_sf *d, int width, int any, int higher)
{
	const int rows = any ? rows_of<true>(width + higher * WARP) : width;
	return pieces(pieces(d->rows, rows) * rows + (any ? 2 : 0), 4) * 4 + SLACK;
}

/* Parameters of a view in a block. Positions are relative to the block's first voxel and to `column`. Windows have
 * equal heights and begin at a multiple of 2. Columns and windows are 0 if the block does not meet the view. */
struct part {
	/* V in slices, N and M in units with one row per unit of V/M; M without its constant */
	float N[3], M[2], V1, V2, toward[2][2];
	gt_sf_lens_f lens;
	double M0, V, row; /* V at the centre of the tile's height */
	int column, first_column, columns, first_row, windows;
};

/* Four views: entries of a window, maximum windows and pieces of any view, columns of a piece, which a stage holds for
 * each view. */
struct shape {
	int width, windows, pieces, columns;
};

/* Four views; a window of rows of each, and a piece of its columns. */
struct item {
	int group, window, piece;
};

static __device__ __forceinline__ bool next_item(const struct shape *shape, struct item *i)
{
	if (i->group >= 0 && ++i->piece < shape[i->group].pieces)
		return true;
	i->piece = 0;
	if (i->group >= 0 && ++i->window < shape[i->group].windows)
		return true;
	i->window = 0;
	while (++i->group < GROUPS)
		if (shape[i->group].windows && shape[i->group].pieces)
			return true;
	return false;
}

/* Finds the columns and rows that a block's voxels may meet, from its corners; four lanes take one corner each and get
 * the same result. Rows begin at a multiple of `multiple`. Returns the number of rows. */
static __device__ int find_part(const struct args *a, int at, int x0, int y0, int z0, int multiple, struct part *p)
{
	const gt_sf_view *v = &a->d.view[a->first + min(at, a->views - 1)];
	const int c = threadIdx.x % 4;
	const double x = x0 - 0.5 + (c & 1) * min(SIDE, a->d.n[0] - x0), y = y0 - 0.5 + (c >> 1) * min(SIDE, a->d.n[1] - y0);
	const gt_sf_corner corner = gt_sf_corner_at(v, x, y);
	double low = v->frame.column + corner.column, high = low, stretch = corner.stretch;
	double bottom = v->row + gt_sf_at(v->V, x, y, z0 - 0.5) * stretch,
	       top = v->row + gt_sf_at(v->V, x, y, z0 - 0.5 + a->height) * stretch;
	for (int o = 1; o < 4; o <<= 1) {
		low = min(low, __shfl_xor_sync(~0u, low, o));
		high = max(high, __shfl_xor_sync(~0u, high, o));
		bottom = min(bottom, __shfl_xor_sync(~0u, bottom, o));
		top = max(top, __shfl_xor_sync(~0u, top, o));
		stretch = max(stretch, __shfl_xor_sync(~0u, stretch, o));
	}
	if (a->d.trapezoid && v->frame.lens.arc) { /* the nearest point of a side may be nearer than its ends */
		const double side = SIDE * max(a->d.pitch[0], a->d.pitch[1]) * stretch / v->frame.lens.rows,
			     nearer = side * side / 8 * max(abs(bottom - v->row), abs(top - v->row));
		bottom -= nearer;
		top += nearer;
	}
	const int rows = a->d.rows, last = min(a->d.columns - 1, (int)floor(min(high, 2e9) + 0.01));
	p->column = (int)floor((low + high) / 2);
	const gt_sf_frame f = gt_sf_turned(&v->frame, p->column);
	const double unit = f.lens.rows * v->V[3];
	for (int c = 0; c < 3; c++)
		p->N[c] = (float)((c ? f.N[c] : gt_sf_at(f.N, x0, y0, 0)) / unit);
	for (int c = 0; c < 2; c++)
		p->M[c] = (float)(f.M[1 + c] / unit);
	p->M0 = gt_sf_at(f.M, x0, y0, 0) / unit;
	p->V = gt_sf_at(v->V, x0, y0, z0 + a->height * 0.5 - 0.5) / v->V[3];
	p->V1 = (float)(v->V[1] / v->V[3]);
	p->V2 = (float)(v->V[2] / v->V[3]);
	p->row = v->row;
	p->lens = gt_sf_lens_in_float(&f.lens);
	for (int c = 0; c < 2; c++) {
		p->toward[c][0] = (float)(v->toward[c][0] + v->toward[c][1] * (c ? y0 : x0));
		p->toward[c][1] = (float)v->toward[c][1];
	}
	p->first_column = (int)max(0., floor(low - 0.01));
	p->columns = at < a->views ? max(0, last - p->first_column + 1) : 0;
	p->first_row = max(0, (int)floor(min(bottom, (double)rows))) / multiple * multiple;
	return at < a->views && p->columns && bottom - 1 < rows && top + 1 > 0 ? max(1, (int)ceil(min(top, (double)rows)) - p->first_row)
	                                                                       : 0;
}

/* Sets the windows of a group's views, of `rows` rows each, and their shape; four lanes per view. Windows are only as
 * high as their number requires. */
template <int WIDTH, int COLUMNS, bool ANY>
static __device__ void fill_shape(const struct args *a, int rows, struct part *p, struct shape *shape)
{
	const int highest = ANY ? highest_of(WIDTH) : WIDTH;
	int most = rows, columns = p->columns, width = WIDTH;
	for (int o = 4; o < 4 * FOUR; o <<= 1) {
		most = max(most, __shfl_xor_sync(~0u, most, o));
		columns = max(columns, __shfl_xor_sync(~0u, columns, o));
	}
	const int windows = pieces(most, rows_of<ANY>(highest));
	while (width < highest && pieces(most, rows_of<ANY>(width)) > windows)
		width += WARP;
	const int fit = view_bytes<WIDTH, COLUMNS>() / ((width + SLACK) * sizeof(float));
	p->windows = pieces(rows, rows_of<ANY>(width));
	if (ANY)
		p->first_row = min(p->first_row, a->stride - SLACK - 2 - p->windows * (width - 2));
	else
		p->first_row = a->d.rows <= width ? 0 : min(p->first_row, a->stride - SLACK - p->windows * width);
	if (threadIdx.x % (4 * FOUR) == 0)
		*shape = { width, windows, pieces(columns, fit), fit };
}

struct control {
	struct part part[WARP];
	alignas(16) struct shape shape[GROUPS];
	alignas(8) unsigned long long full[GT_SF_BACK_STAGES], empty[GT_SF_BACK_STAGES];
};

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
/* Columns of an item in one of its views. */
static __device__ __forceinline__ int columns_of(const struct part *p, const struct item *i, int most)
{
	return i->window < p->windows ? max(0, min(p->columns - i->piece * most, most)) : 0;
}

/* Clamps far enough from the integer limits to add and subtract columns. */
static __device__ __forceinline__ int whole_of(float x) { return (int)min(max(x, -1e9f), 1e9f); }

/* Warps of a block that have voxels: rank of this one, and their number. */
struct team {
	int rank, warps;
};

/* Each warp of the team copies its part of the running sums of an item. Windows have WIDTH rows or, if ANY, the item's
 * height. */
template <int WIDTH, int COLUMNS, bool ANY>
static __device__ __forceinline__ void fetch(const struct args &a, const struct control &s, const struct team &team, const struct item &i,
                                             unsigned to, unsigned bar)
{
	const int lane = threadIdx.x % WARP, view = i.group * FOUR + lane % FOUR;
	const struct part *p = &s.part[view];
	const int width = ANY ? s.shape[i.group].width : WIDTH, most = ANY ? s.shape[i.group].columns : COLUMNS;
	const int row = p->first_row + i.window * rows_of<ANY>(width);
	const unsigned line = (width + SLACK) * (unsigned)sizeof(float);
	const int columns = columns_of(p, &i, most), total = __reduce_add_sync(~0u, lane < FOUR ? columns : 0);
	const float *from = a.sums + ((a.in_batch + view) * a.d.columns + p->first_column + i.piece * most) * (size_t)a.stride + (row & ~3);
	const unsigned place = to + lane % FOUR * view_bytes<WIDTH, COLUMNS>();
	if (team.rank == 0 && lane == 0)
		barrier_expect(bar, total * line);
	__syncwarp();
	if (a.stride * sizeof(float) != line) {
		for (int k = lane / FOUR * team.warps + team.rank; k < columns; k += WARP / FOUR * team.warps)
			bulk_copy(place + k * line, from + (size_t)k * a.stride, line, bar);
	} else if (lane % team.warps == team.rank && lane < FOUR && columns > 0) {
		bulk_copy(place, from, columns * line, bar);
	}
	__syncwarp();
}

/* A voxel column in a view, held by one lane. */
struct lane_voxel {
	gt_sf_trapezoid_f columns;
	float chord, scale, shift; /* edges relative to the tile's centre, in the window: see struct edge */
	float2 rest;
	float ramp0, ramp1, ramp; /* SF-TT: half width |ramp0 + ramp1 e| + ramp, in rows */
	int reach;
};

/* Number of knots that the edges within the window and the tile may meet, for fine lines. */
static __device__ __forceinline__ int reach_within(const struct lane_voxel *l, float most, float width)
{
	const float in = gt_rcp_approx(l->scale), low = min(max(-l->shift * in, -most), most),
		    high = min(max((width - l->shift) * in, -most), most);
	const float half = max(fabsf(fmaf(l->ramp1, low, l->ramp0)), fabsf(fmaf(l->ramp1, high, l->ramp0))) + l->ramp;
	return reach_of_half(half * gt_rcp_approx(1 - min(fabsf(l->ramp1) * in, 0.5f)));
}

/* NEAR: all rows are in one window, and magnifications may be rounded unless positions are fine. */
template <int EDGES, bool NEAR>
static __device__ __forceinline__ void place_voxel(const struct args &a, const struct part *p, int x, int y, int row, double in_width,
                                                   struct lane_voxel *l)
{
	const float fx = (float)x, fy = (float)y;
	const double fine_M = p->M0 + (double)fmaf(p->M[0], fx, p->M[1] * fy);
	const float N = fmaf(p->N[1], fx, fmaf(p->N[2], fy, p->N[0])),
		    M = NEAR && EDGES == GT_SF_STEPS ? fmaf(p->M[0], fx, fmaf(p->M[1], fy, (float)p->M0)) : (float)fine_M;
	float k[4], least, most;
	int nearest = 0, farthest = 0;
#pragma unroll
	for (int c = 0; c < 4; c++) {
		const float sx = c & 1 ? 0.5f : -0.5f, sy = c & 2 ? 0.5f : -0.5f;
		const float N1 = fmaf(sx, p->N[1], fmaf(sy, p->N[2], N)), M1 = fmaf(sx, p->M[0], fmaf(sy, p->M[1], M));
		k[c] = gt_sf_column_f(&p->lens, N1, M1);
		if (has_ramps(EDGES)) {
			const float stretch = gt_sf_stretch_f(&p->lens, N1, M1);
			farthest = c && stretch < least ? c : farthest;
			nearest = c && stretch > most ? c : nearest;
			least = c ? min(least, stretch) : stretch;
			most = c ? max(most, stretch) : stretch;
		}
	}
	l->columns = gt_sf_trapezoid_of_f(k[0], k[1], k[2], k[3]);
	l->chord = gt_sf_chord_f(fmaf(p->toward[0][1], fx, p->toward[0][0]), fmaf(p->toward[1][1], fy, p->toward[1][0]),
	                         (float)a.d.pitch[0], (float)a.d.pitch[1]);
	const auto stretch_of = [&](int c) {
		const float sx = c & 1 ? 0.5f : -0.5f, sy = c & 2 ? 0.5f : -0.5f;
		return gt_sf_stretch_fine(&p->lens, fmaf(sx, p->N[1], fmaf(sy, p->N[2], N)),
		                          fine_M + (double)fmaf(sx, p->M[0], sy * p->M[1]));
	};
	const double mean = has_ramps(EDGES)               ? (stretch_of(farthest) + stretch_of(nearest)) / 2
	                    : NEAR && EDGES == GT_SF_STEPS ? (double)gt_sf_stretch_f(&p->lens, N, M)
	                                                   : gt_sf_stretch_fine(&p->lens, N, fine_M);
	const double V = p->V + (double)fmaf(p->V1, fx, p->V2 * fy);
	if (has_ramps(EDGES)) {
		l->ramp0 = (float)V * (most - least) / 2;
		l->ramp1 = (most - least) / 2;
		l->ramp = (fabsf(p->V1) + fabsf(p->V2)) / 2 * (float)mean;
	}
	const double middle = fma(V, mean, p->row - row);
	l->scale = (float)(mean * in_width);
	l->shift = (float)(middle * in_width);
	if (is_fine(EDGES))
		split(mean, middle, &l->scale, &l->shift, &l->rest);
	l->reach = EDGES == GT_SF_WIDE ? reach_within(l, a.height * 0.5f, gt_rcp_approx((float)in_width)) : 0;
}

/* Position of a thread: the block's first voxel, and the warp's relative to it. */
struct place {
	int x0, y0, z0, x1, y1;
};
static __device__ __forceinline__ struct place place_of_block(const struct args &a)
{
	const int warp = threadIdx.x / WARP;
	struct place p;
	p.x0 = blockIdx.x % a.tiles_x * SIDE;
	p.y0 = a.first_y + blockIdx.x / a.tiles_x % a.tiles_y * SIDE;
	p.z0 = blockIdx.x / a.tiles_x / a.tiles_y * a.height;
	p.x1 = warp % 2 * 4;
	p.y1 = warp / 2 * 2;
	return p;
}

/* Initialises tables, barriers and `floats` zeros from `stages` on, and requests the first item. warps 0: this warp has
 * no voxels. */
template <int WIDTH, int COLUMNS, bool ANY>
static __device__ __forceinline__ struct team begin(const struct args &a, const struct place &at, struct control &s, unsigned stages,
                                                    unsigned floats)
{
	const int warp = threadIdx.x / WARP, wide = (min(a.d.n[0] - at.x0, SIDE) + 3) / 4;
	struct team team = { warp / 2 * wide + warp % 2, wide * ((min(a.d.n[1] - at.y0, SIDE) + 1) / 2) };
	for (unsigned i = threadIdx.x * 16; i < floats * 4; i += WARPS * WARP * 16)
		store4(stages + i, 0.f, 0.f, 0.f, 0.f);
	if (threadIdx.x < 4 * WARP) {
		const int view = threadIdx.x / 4;
		struct part p;
		const int rows = find_part(&a, view, at.x0, at.y0, at.z0, ANY ? 2 : 4, &p);
		fill_shape<WIDTH, COLUMNS, ANY>(&a, rows, &p, &s.shape[view / FOUR]);
		if (threadIdx.x % 4 == 0)
			s.part[view] = p;
	}
	if (threadIdx.x == 0) {
		for (int i = 0; i < GT_SF_BACK_STAGES; i++) {
			barrier_init(address_of(&s.full[i]), 1);
			barrier_init(address_of(&s.empty[i]), team.warps);
		}
		barrier_fence();
	}
	fence_for_bulk_copies();
	__syncthreads();
	if (at.x0 + at.x1 >= a.d.n[0] || at.y0 + at.y1 >= a.d.n[1]) {
		team.warps = 0;
		return team;
	}
	struct item first = { -1, 0, 0 };
	if (next_item(s.shape, &first))
		fetch<WIDTH, COLUMNS, ANY>(a, s, team, first, stages, address_of(&s.full[0]));
	return team;
}
/* While item number `done` is in use, requests the next one into the stage of the previous one. */
template <int WIDTH, int COLUMNS, bool ANY>
static __device__ __forceinline__ void ask_ahead(const struct args &a, const struct control &s, const struct team &team, struct item next,
                                                 unsigned stages, int done)
{
	const int stage = (done + 1) % GT_SF_BACK_STAGES, used = (done + 1) / GT_SF_BACK_STAGES;
	if (!next_item(s.shape, &next))
		return;
	if (used > 0)
		barrier_wait(address_of(&s.empty[stage]), (used - 1) & 1);
	fetch<WIDTH, COLUMNS, ANY>(a, s, team, next, stages + stage * stage_bytes<WIDTH, COLUMNS>(), address_of(&s.full[stage]));
}
/* Releases an item after use. */
static __device__ __forceinline__ void leave(struct control &s, int *stage, int *phase)
{
	__syncwarp();
	if (threadIdx.x % WARP == 0)
		barrier_arrive(address_of(&s.empty[*stage]));
	if (++*stage == GT_SF_BACK_STAGES) {
		*stage = 0;
		*phase ^= 1;
	}
}
#endif
#endif
