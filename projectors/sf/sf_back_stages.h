#ifndef GT_SF_BACK_STAGES_H
#define GT_SF_BACK_STAGES_H
/* How a block of sf_back_cuda.cu comes by the running sums under its voxels, device code alone: which columns and rows those are in
 * each view, the stages in shared memory that bulk copies fill, and the place of a voxel column in a view. */
#include "projectors/sf/sf_device.h"

enum {
	WARP = GT_SF_WARP,
	WARPS = 8,
	SIDE = 8,             /* voxels of a block along x and y; of a warp: 4 x 2 */
	VOXELS = 8,           /* of a warp */
	FOUR = 4,             /* views of a group */
	QUADS = 2,            /* 2 x 2 voxels of a warp */
	GROUPS = WARP / FOUR, /* of a launch: one lane of a warp prepares each view */
	FEW = 8,              /* slices that have a kernel of their own */
	WIDE = 8,             /* columns of a quad that one pass over a stage serves: even */
	SLACK = 4             /* floats after the 32 R entries of a line: the next one, and alignment */
};
static const size_t VIEWS = WARP;

struct args {
	gt_sf d;
	const float *sums; /* [view of the batch][column][stride] */
	float *volume;     /* [y][x][deep], from y = first_y on */
	size_t first, in_batch;
	int views, stride, deep, height, tiles_x, tiles_y, first_y, fresh;
};

/* Entries of a line of running sums: whole windows of rows. */
static int line_of(const gt_sf *d, int width) { return pieces(d->rows, width) * width + SLACK; }

/* What a block needs of a view. Places are counted from the block's first voxel and from `column`; a window is of WIDTH rows from a
 * multiple of 4 on. Columns and windows are 0 where the block gives nothing. */
struct part {
	float N[3], M[2], V1, V2, toward[2][2]; /* V in slices, N and M in units that make a row per unit of V/M; M without its constant */
	gt_sf_lens_f lens;
	double M0, V, row; /* V in the middle of the tile's height */
	int column, first_column, columns, first_row, windows;
};

/* Four views; a window of rows of each, and as many columns as fit into a stage. */
struct item {
	int group, window, piece;
};

static __device__ __forceinline__ int windows_of(const struct part *p)
{
	return max(max(p[0].windows, p[1].windows), max(p[2].windows, p[3].windows));
}
static __device__ __forceinline__ int pieces_of(const struct part *p)
{
	const int most = max(max(p[0].columns, p[1].columns), max(p[2].columns, p[3].columns));
	return (most + GT_SF_BACK_COLUMNS - 1) / GT_SF_BACK_COLUMNS;
}
static __device__ __forceinline__ bool next_item(const struct part *part, struct item *i)
{
	if (i->group >= 0 && ++i->piece < pieces_of(part + i->group * FOUR))
		return true;
	i->piece = 0;
	if (i->group >= 0 && ++i->window < windows_of(part + i->group * FOUR))
		return true;
	i->window = 0;
	while (++i->group < GROUPS)
		if (windows_of(part + i->group * FOUR) && pieces_of(part + i->group * FOUR))
			return true;
	return false;
}

/* Columns and rows that a block's voxels may meet, from its corners. */
static __device__ void fill_part(const struct args *a, int at, int x0, int y0, int z0, int width, struct part *p)
{
	*p = part(); /* what is no view must not be garbage: its lanes go through the columns of the others */
	if (at >= a->views)
		return;
	const gt_sf_view *v = &a->d.view[a->first + at];
	double low = 1e300, high = -1e300, bottom = 1e300, top = -1e300, stretch = 0;
	for (int c = 0; c < 4; c++) {
		const double x = x0 - 0.5 + (c & 1) * min(SIDE, a->d.n[0] - x0), y = y0 - 0.5 + (c >> 1) * min(SIDE, a->d.n[1] - y0);
		const gt_sf_corner corner = gt_sf_corner_at(v, x, y);
		const double below = v->row + gt_sf_at(v->V, x, y, z0 - 0.5) * corner.stretch,
			     above = v->row + gt_sf_at(v->V, x, y, z0 - 0.5 + a->height) * corner.stretch;
		low = min(low, v->frame.column + corner.column);
		high = max(high, v->frame.column + corner.column);
		bottom = min(bottom, below);
		top = max(top, above);
		stretch = max(stretch, corner.stretch);
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
	p->columns = max(0, last - p->first_column + 1);
	p->first_row = rows <= width ? 0 : max(0, (int)floor(min(bottom, (double)rows))) & ~3;
	p->windows = bottom - 1 < rows && top + 1 > 0 ? 1 : 0;
	if (p->windows && rows > width) {
		p->windows = pieces((int)ceil(min(top, (double)rows)) - p->first_row, width);
		p->first_row = min(p->first_row, a->stride - SLACK - p->windows * width);
	}
}

/* Of warp 0, which asks for the stages: the next item and how many were asked for. In shared memory, to spare registers. */
struct queue {
	struct item item;
	int asked, more;
};

struct control {
	struct part part[WARP];
	struct queue queue;
	alignas(8) unsigned long long full[GT_SF_BACK_STAGES], empty[GT_SF_BACK_STAGES];
};

template <int WIDTH> static __host__ __device__ constexpr unsigned line_bytes() { return (WIDTH + SLACK) * (unsigned)sizeof(float); }
template <int WIDTH> static __host__ __device__ constexpr unsigned view_bytes() { return GT_SF_BACK_COLUMNS * line_bytes<WIDTH>(); }
template <int WIDTH> static __host__ __device__ constexpr unsigned stage_bytes() { return FOUR * view_bytes<WIDTH>(); }

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
/* Columns of an item that one of its views has. */
static __device__ __forceinline__ int columns_of(const struct part *p, const struct item *i)
{
	return i->window < p->windows ? max(0, min(p->columns - i->piece * GT_SF_BACK_COLUMNS, GT_SF_BACK_COLUMNS)) : 0;
}

/* So far from the largest numbers that columns can be added and subtracted. */
static __device__ __forceinline__ int whole_of(float x) { return (int)min(max(x, -1e9f), 1e9f); }

/* The whole warp: asks for the running sums of an item. */
template <int WIDTH>
static __device__ __forceinline__ void fetch(const struct args &a, const struct part *part, const struct item &i, unsigned to, unsigned bar)
{
	const int lane = threadIdx.x % WARP, view = i.group * FOUR + lane % FOUR;
	const struct part *p = &part[view];
	const int columns = columns_of(p, &i), total = __reduce_add_sync(~0u, lane < FOUR ? columns : 0);
	const float *from = a.sums +
	                    ((a.in_batch + view) * a.d.columns + p->first_column + i.piece * GT_SF_BACK_COLUMNS) * (size_t)a.stride +
	                    p->first_row + i.window * WIDTH;
	const unsigned place = to + lane % FOUR * view_bytes<WIDTH>();
	if (lane == 0)
		barrier_expect(bar, total * line_bytes<WIDTH>());
	__syncwarp();
	if (a.stride * sizeof(float) != line_bytes<WIDTH>()) {
		for (int k = lane / FOUR; k < columns; k += WARP / FOUR)
			bulk_copy(place + k * line_bytes<WIDTH>(), from + (size_t)k * a.stride, line_bytes<WIDTH>(), bar);
	} else if (lane < FOUR && columns > 0) {
		bulk_copy(place, from, columns * line_bytes<WIDTH>(), bar);
	}
}

/* Warp 0: asks for items until `most` have been. */
template <int WIDTH> static __device__ void refill(const struct args &a, struct control &s, unsigned stages, int most)
{
	struct queue q = s.queue;
	for (; q.more && q.asked < most; q.asked++) {
		const int next = q.asked % GT_SF_BACK_STAGES;
		if (q.asked >= GT_SF_BACK_STAGES)
			barrier_wait(address_of(&s.empty[next]), (q.asked / GT_SF_BACK_STAGES - 1) & 1);
		fetch<WIDTH>(a, s.part, q.item, stages + next * stage_bytes<WIDTH>(), address_of(&s.full[next]));
		q.more = next_item(s.part, &q.item);
	}
	__syncwarp();
	s.queue = q;
	__syncwarp();
}

/* A voxel column in a view, by one lane. */
struct lane_voxel {
	gt_sf_trapezoid_f columns;
	float chord, scale, shift; /* of edges counted from the tile's middle, in the window: as in struct edge */
	float2 rest;
	float ramp0, ramp1, ramp;  /* SF-TT: half width |ramp0 + ramp1 e| + ramp, rows */
	int reach;
};

/* Knots that the edges within the window and the tile may meet, of fine lines. */
static __device__ __forceinline__ int reach_within(const struct lane_voxel *l, float most, float width)
{
	const float in = gt_sf_in(l->scale), low = min(max(-l->shift * in, -most), most),
		    high = min(max((width - l->shift) * in, -most), most);
	const float half = max(fabsf(fmaf(l->ramp1, low, l->ramp0)), fabsf(fmaf(l->ramp1, high, l->ramp0))) + l->ramp;
	return reach_of_half(half * gt_sf_in(1 - min(fabsf(l->ramp1) * in, 0.5f)));
}

template <int EDGES>
static __device__ __forceinline__ void place_voxel(const struct args &a, const struct part *p, int x, int y, int row, float in_width,
                                                   struct lane_voxel *l)
{
	const float fx = (float)x, fy = (float)y;
	const double fine_M = p->M0 + (double)fmaf(p->M[0], fx, p->M[1] * fy);
	const float N = fmaf(p->N[1], fx, fmaf(p->N[2], fy, p->N[0])),
		    M = EDGES == GT_SF_STEPS ? fmaf(p->M[0], fx, fmaf(p->M[1], fy, (float)p->M0)) : (float)fine_M;
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
		return gt_sf_stretch_fine(&p->lens, fmaf(sx, p->N[1], fmaf(sy, p->N[2], N)), fine_M + (double)fmaf(sx, p->M[0], sy * p->M[1]));
	};
	const double mean = has_ramps(EDGES)       ? (stretch_of(farthest) + stretch_of(nearest)) / 2
	                    : EDGES == GT_SF_STEPS ? (double)gt_sf_stretch_f(&p->lens, N, M)
	                                           : gt_sf_stretch_fine(&p->lens, N, fine_M);
	const double V = p->V + (double)fmaf(p->V1, fx, p->V2 * fy);
	if (has_ramps(EDGES)) {
		l->ramp0 = (float)V * (most - least) / 2;
		l->ramp1 = (most - least) / 2;
		l->ramp = (fabsf(p->V1) + fabsf(p->V2)) / 2 * (float)mean;
	}
	const double middle = fma(V, mean, p->row - row);
	l->scale = (float)mean * in_width;
	l->shift = (float)middle * in_width; /* in_width: a power of two */
	if (is_fine(EDGES))
		split(mean, middle, &l->scale, &l->shift, &l->rest);
	l->reach = EDGES == GT_SF_WIDE ? reach_within(l, a.height * 0.5f, 1 / in_width) : 0;
}

/* Of a thread: the block's first voxel, the warp's from there. */
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

/* Tables, barriers and `floats` zeros from `stages` on; asks for the first items. 0: the warp has no voxels. */
template <int WIDTH>
static __device__ __forceinline__ int begin(const struct args &a, const struct place &at, struct control &s, unsigned stages,
                                            unsigned floats)
{
	const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
	const int warps = (min(a.d.n[0] - at.x0, SIDE) + 3) / 4 * ((min(a.d.n[1] - at.y0, SIDE) + 1) / 2);
	for (unsigned i = threadIdx.x * 16; i < floats * 4; i += WARPS * WARP * 16)
		asm volatile("st.shared.v4.f32 [%0], {%1,%1,%1,%1};" ::"r"(stages + i), "f"(0.f) : "memory");
	if (warp == 0)
		fill_part(&a, lane, at.x0, at.y0, at.z0, WIDTH, &s.part[lane]);
	if (threadIdx.x == 0) {
		s.queue.asked = 0;
		for (int i = 0; i < GT_SF_BACK_STAGES; i++) {
			barrier_init(address_of(&s.full[i]), 1);
			barrier_init(address_of(&s.empty[i]), warps);
		}
		barrier_fence();
	}
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
	__syncthreads();
	if (at.x0 + at.x1 >= a.d.n[0] || at.y0 + at.y1 >= a.d.n[1])
		return 0;
	if (warp == 0) {
		struct item first = { -1, 0, 0 };
		s.queue.more = next_item(s.part, &first);
		s.queue.item = first;
		__syncwarp();
		refill<WIDTH>(a, s, stages, GT_SF_BACK_STAGES);
	}
	return 1;
}
/* An item was used: the next may come in its place. */
template <int WIDTH>
static __device__ __forceinline__ void leave(const struct args &a, struct control &s, unsigned stages, int done, int *stage, int *phase)
{
	__syncwarp();
	if (threadIdx.x % WARP == 0)
		barrier_arrive(address_of(&s.empty[*stage]));
	if (threadIdx.x / WARP == 0)
		refill<WIDTH>(a, s, stages, done + GT_SF_BACK_STAGES);
	if (++*stage == GT_SF_BACK_STAGES) {
		*stage = 0;
		*phase ^= 1;
	}
}
#endif
#endif
