#ifndef GT_ANALYTIC_FBP_BACK_TILE_UPRIGHT_CUH
#define GT_ANALYTIC_FBP_BACK_TILE_UPRIGHT_CUH
/* WAY of tile_loop.cuh for views with rows parallel to slices: positions of columns of voxels, and entries of views.
 * Entries are in shared memory, 64 bytes each; sums are in registers. */
#include "analytic/fbp/back/tile_loop.cuh"
#include "analytic/fbp/back/tile_rows.cuh"

#define SLACK_UPRIGHT 1e-3 /* columns and rows, for rounding */
#define MIRROR_SLACK 1e-8  /* rows of the detector, and slices */
#define TILE_HEIGHTS 1     /* 1, 2 or 4: more cost these kernels more than the rows they save */

/* Entry of a view for a block. Columns and rows are counted from the projection of the block's centre, and voxels
 * (x, y, z) from that centre. The numbers stay small, and so do the errors of single precision.
 * - flat, parallel: e = t = T . (x, y), s = 1 / (1 + t), column = u + A . (x, y) s
 * - arc: in units of the distance to the centre, lateral a = A . (x, y), along the ray 1 + t; e = |(a, 1 + t)| - 1,
 *   s = 1 / (1 + e), column = u + per_column atan(a / (1 + t))
 * - both: row = v - rise e s + z k s, weight = scale s^2 */
struct entry {
	float ai, aj, ti, tj, u, v, rise, k, scale;
	int byte;    /* byte of column 0 and row 0 in the tile */
	float first; /* the detector's column that others are counted from */
	float per_column;
	/* more: minus twice the bytes of row 0, which leads to its mirror image with two sides */
	struct gt_tile_at at;
};
static_assert(sizeof(struct entry) == ENTRY_BYTES, "four loads of 16 bytes");

/* Position of a column of voxels in a tile: whole and fractional column, row of its central voxel, rows per voxel. */
struct place {
	float whole, part, v, dv, weight;
	int byte, image;
};

/* Nearly correctly rounded: the instruction's error would dominate the error of columns far from the centre. */
static __device__ __forceinline__ float reciprocal(float x)
{
	const float r = gt_rcp_approx(x);
	return fmaf(r, fmaf(-x, r, 1.f), r);
}

/* Fills all but the column, which it returns; x, y from the block's centre. */
template <int SHAPE>
static __device__ __forceinline__ float find_place(const struct entry *e, float x, float y, struct place *p, float *first)
{
	const float4 *q = (const float4 *)e;
	const float4 q0 = q[0], q1 = q[1], q2 = q[2];
	const float a = fmaf(q0.y, y, q0.x * x), t = fmaf(q0.w, y, q0.z * x), inverse = reciprocal(1.f + t);
	float far = t, s = inverse, u;
	if (SHAPE == GT_ARC) {
		const float square = fmaf(a, a, t * (2.f + t)), angle = a * inverse, tt = angle * angle;
		s = rsqrtf(1.f + square);
		far = square / (1.f + (1.f + square) * s);
		u = fabsf(angle) < 0.1f ? angle * fmaf(tt, fmaf(tt, fmaf(tt, -1.f / 7, 1.f / 5), -1.f / 3), 1.f) : atanf(angle);
		u = fmaf(q2.w, u, q1.x);
	} else {
		u = fmaf(a, inverse, q1.x);
	}
	p->v = fmaf(-q1.z, far * s, q1.y);
	p->dv = q1.w * s;
	p->weight = q2.x * s * s;
	p->byte = __float_as_int(q2.y);
	*first = q2.z;
	return u;
}

/* Returns 0 if some corner is not in front of the source. */
static __host__ __device__ int find_extent(const struct gt_back_grid *g, const struct gt_back_view *w, const size_t from[3], int side,
                                           int slices, struct gt_extent *e)
{
	double lambda[2] = { INFINITY, 0 };
	e->column[0] = INFINITY;
	e->column[1] = -INFINITY;
	for (int c = 0; c < 4; c++) {
		double at[2], column, l;
		for (int a = 0; a < 2; a++) {
			const size_t last = from[a] + side - 1 < g->n[a] ? from[a] + side - 1 : g->n[a] - 1;
			at[a] = g->first[a] + (double)(c >> a & 1 ? last : from[a]) * g->pitch[a];
		}
		if (!gt_back_column(g->shape, w, at[0], at[1], &column, &l))
			return 0;
		e->column[0] = fmin(e->column[0], column);
		e->column[1] = fmax(e->column[1], column);
		lambda[0] = fmin(lambda[0], l);
		lambda[1] = fmax(lambda[1], l);
	}
	/* An arc is nearest to the source between corners: by a fraction of at most h^2 / 8 L^2, for a side h. */
	if (g->shape == GT_ARC) {
		const double x = side * g->pitch[0] * lambda[1] / w->radius, y = side * g->pitch[1] * lambda[1] / w->radius;
		lambda[1] *= 1 + 0.15 * (x * x + y * y);
	}
	e->step = lambda[1] * g->pitch[2] * fabs(w->per_row);
	e->min = lambda[0] * g->pitch[2] * fabs(w->per_row);
	const size_t top = from[2] + slices < g->n[2] ? from[2] + slices : g->n[2];
	e->row[0] = e->real[0] = INFINITY;
	e->row[1] = e->real[1] = -INFINITY;
	for (int c = 0; c < 6; c++) {
		const double z = g->first[2] + g->pitch[2] * (double)(c < 2 ? from[2] : c < 4 ? top - 1 : from[2] + slices - 1);
		const double row = w->row0 + lambda[c & 1] * (z - w->z0) * w->per_row;
		e->row[0] = fmin(e->row[0], row);
		e->row[1] = fmax(e->row[1], row);
		e->real[0] = c < 4 ? fmin(e->real[0], row) : e->real[0];
		e->real[1] = c < 4 ? fmax(e->real[1], row) : e->real[1];
	}
	return 1;
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

/* (x, y, z): the block's centre; sample, pitch: bytes from column to column and row to row. A is the part across the
 * central ray: along a flat detector, at a right angle to the ray for an arc. */
template <int SHAPE>
static __device__ __forceinline__ void make_entry(const struct gt_back_grid *g, const struct gt_back_view *w, double x, double y, double z,
                                                  int sample, int pitch, struct entry *e)
{
	const double straight = SHAPE == GT_FLAT && g->shape == GT_PARALLEL ? 0 : 1;
	const double dx = straight * w->depth[0], dy = straight * w->depth[1], depth = dx * x + dy * y + (straight > 0 ? w->depth[2] : 1);
	const double across = w->across[0] * x + w->across[1] * y + w->across[2];
	const double near = 1 / (SHAPE == GT_ARC ? hypot(across, depth) : depth), lambda = SHAPE == GT_ARC ? w->radius * near : near;
	const double c = SHAPE == GT_ARC ? depth * near : 1, s = across * near, back = SHAPE == GT_ARC ? s : 0;
	const double column = w->column0 + (SHAPE == GT_ARC ? w->per_column * atan2(across, depth) : s), whole = floor(column);
	const double rise = lambda * (z - w->z0) * w->per_row, row = floor(w->row0 + rise);
	const double px = g->pitch[0] * near, py = g->pitch[1] * near;
	e->ai = (float)((w->across[0] * c - dx * s) * px);
	e->aj = (float)((w->across[1] * c - dy * s) * py);
	e->ti = (float)((dx * c + w->across[0] * back) * px);
	e->tj = (float)((dy * c + w->across[1] * back) * py);
	e->u = (float)(column - whole);
	e->v = (float)(w->row0 + rise - row);
	e->rise = (float)rise;
	e->k = (float)(lambda * g->pitch[2] * w->per_row);
	e->scale = (float)(lambda * lambda);
	e->per_column = (float)w->per_column;
	e->first = (float)whole;
	e->at.more = -2 * ((int)row - e->at.row) * pitch;
	e->byte = ((int)row - e->at.row) * pitch + ((int)whole - e->at.column) * sample;
}

template <int SHAPE, int STEPS, int SQUARES_, int ZP, int COLUMNS, int FLOATS, int RUN> struct way {
	typedef struct entry entry;
	typedef struct place place;
	static constexpr int SQUARES = SQUARES_, HEIGHT = ZP, SAMPLE = 4 * FLOATS, PITCH = SAMPLE * COLUMNS;
	static constexpr float MIDDLE = 0.5f * (SQUARES * SIDE - 1);
	static constexpr int HEIGHTS = TILE_HEIGHTS, SIDES = GT_SIDES_OF(STEPS), PATCHES = 1, TOGETHER = 16;
	/* Slower with two squares, and with pairs of 32 sums. */
	static constexpr bool APART = SQUARES == 1 && (FLOATS == 1 || ZP * SIDES == 64);
	static constexpr double SLACK = SLACK_UPRIGHT;

	static __device__ int find_extent(const struct gt_back_grid *g, const struct gt_back_view *w, const size_t from[3],
	                                  struct gt_extent *e)
	{
		return ::find_extent(g, w, from, SQUARES * SIDE, ZP, e) &&
		       (STEPS != GT_STEPS_MIRRORED || (e->min > 1 - GT_NEAR && e->step < 1 + GT_NEAR));
	}
	static __device__ void fill(const struct gt_back_grid *g, const struct gt_back_view *w, const struct gt_extent *, double x,
	                            double y, double z, entry *e)
	{
		make_entry<SHAPE>(g, w, x + MIDDLE * g->pitch[0], y + MIDDLE * g->pitch[1], z + ZP / 2 * g->pitch[2], SAMPLE, PITCH, e);
	}
	static __device__ __forceinline__ place find(const entry *e, float i, float j, float last)
	{
		place p;
		float first;
		const float u = find_place<SHAPE>(e, i - MIDDLE, j - MIDDLE, &p, &first);
		p.whole = __fadd_rd(u, GT_MAGIC_SIGNED);
		p.part = u - (p.whole - GT_MAGIC_SIGNED);
		p.image = SIDES == 2 ? e->at.more : 0;
		/* Samples without their slopes would fade beyond the last column. */
		if (FLOATS == 1)
			p.weight = u + first >= 0 && u + first <= last ? p.weight : 0.f;
		return p;
	}
	static __device__ __forceinline__ void move(place *p, const entry *e, float, float i, float j, float last)
	{
		*p = find(e, i, j, last);
	}
	static __device__ __forceinline__ void add(const struct gt_tiles_in *in, float *sum, const char *stages, unsigned stage,
	                                           const place *p)
	{
		const unsigned at = __float_as_uint(p->whole) * (unsigned)SAMPLE + (stage + (unsigned)p->byte) -
		                    GT_MAGIC_SIGNED_BITS * (unsigned)(SAMPLE + PITCH);
		const unsigned other = at + (unsigned)(p->image + in->half_bytes + (in->rows - 1) * PITCH) +
		                       2 * GT_MAGIC_SIGNED_BITS * (unsigned)PITCH;
		gt_add_column<STEPS, ZP, RUN, PITCH, FLOATS>(sum, stages, at, other, &in->bias, p->part, p->v, p->dv, p->weight);
	}
};

#endif
#endif
