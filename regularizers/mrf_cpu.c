/* Pairs of neighbours on the CPU. Pairs are computed in the type of the arrays, their sums over the volume and
 * majorizers of all x in double.
 * Double gradients gather, so each pair is computed from both voxels. Single gradients and sums visit the later half
 * of the neighbours. All work is split into blocks of rows, in an order independent of the threads. */
#include <string.h>
#include <gantry/threads.h>
#include "core/clones.h"
#include "core/vectors/sets.h"
#include "regularizers/mrf.h"

enum { PIECE = 256, PARTS = 256, GRAIN = 4 };
enum { NEIGHBOURS = 27, SELF = 13 };

struct job {
	const gt_mrf *s;
	const void *x, *p;
	void *g, *d;
	double a;
	size_t part_size;
	double part[PARTS][2];
};

/* Voxels [first, first + n) of the array that have a neighbour at the offset `away`. */
struct run {
	size_t first, n;
	ptrdiff_t away;
	double weight;
};

/* Selects voxels [x, end) of row (y, z) that have neighbour o of 27; n = 0 if none. */
GT_INLINE struct run run_of(const gt_mrf *s, size_t y, size_t z, size_t x, size_t end, int o)
{
	const int dx = o % 3 - 1, dy = o / 3 % 3 - 1, dz = o / 9 - 1;
	struct run r = { .weight = s->weight[(dx != 0) + 2 * (dy != 0) + 4 * (dz != 0)] };
	if (r.weight == 0 || (dy < 0 && y == 0) || (dy > 0 && y + 1 == s->n[1]) || (dz < 0 && z == 0) || (dz > 0 && z + 1 == s->n[2]))
		return r;
	x += dx < 0 && x == 0;
	end -= dx > 0 && end == s->n[0];
	r.first = (z * s->n[1] + y) * s->n[0] + x;
	r.n = end > x ? end - x : 0;
	r.away = dx + (ptrdiff_t)s->n[0] * (dy + (ptrdiff_t)s->n[1] * dz);
	return r;
}

#define DIFFERENCES(T)                                                  \
	{                                                               \
		const T *X = (const T *)x + r->first, *Y = X + r->away; \
		for (size_t i = 0; i < r->n; i++)                       \
			t[i] = (double)X[i] - (double)Y[i];             \
	}
GT_INLINE void differences(gt_type type, const void *x, const struct run *r, double *t)
{
	if (type == GT_F64)
		DIFFERENCES(double)
	else
		DIFFERENCES(float)
}

#define PRODUCTS(T)                                                         \
	{                                                                   \
		const T *X = (const T *)kappa + r->first, *Y = X + r->away; \
		for (size_t i = 0; i < r->n; i++)                           \
			c[i] *= (double)X[i] * (double)Y[i];                \
	}
/* Multiplies c by the weights of the pairs. */
GT_INLINE void weigh(gt_type type, const void *kappa, const struct run *r, double *c)
{
	for (size_t i = 0; i < r->n; i++)
		c[i] *= r->weight;
	if (kappa && type == GT_F64)
		PRODUCTS(double)
	else if (kappa)
		PRODUCTS(float)
}

#define ADDITION(T)                    \
	for (size_t i = 0; i < n; i++) \
		((T *)y)[first + i] = (T)((double)((T *)y)[first + i] + factor * sum[i]);
GT_INLINE void add(gt_type type, size_t first, size_t n, double factor, const double *sum, void *y)
{
	if (type == GT_F64)
		ADDITION(double)
	else
		ADDITION(float)
}

#define WEIGHTS(kind)                                                   \
	case GT_##kind:                                                 \
		for (size_t i = 0; i < n; i++)                          \
			c[i] = gt_potential_weight(GT_##kind, k, t[i]); \
		break;
GT_INLINE void weights(gt_potential potential, const double *k, size_t n, const double *t, double *c)
{
	switch (potential) {
		GT_POTENTIALS(WEIGHTS)
	default:
		break;
	}
}
/* Pairs in the type of the arrays ------------------------------------------ */

enum { LANES = 8 }; /* independent partial sums */

#define REAL float
#define IN_REAL(name) name##f
#include "regularizers/mrf_pairs_typed.inc"
#undef REAL
#undef IN_REAL
#define REAL double
#define IN_REAL(name) name
#include "regularizers/mrf_pairs_typed.inc"
#undef REAL
#undef IN_REAL

/* Gradient in single precision --------------------------------------------- */

enum { BAND = 16, DEEP = 16 }; /* rows and slices of a box */

/* Rows that a job adds to. Pairs across its border are computed in both boxes; each adds to its own rows. */
struct box {
	size_t y0, y1, z0, z1;
};

GT_INLINE void add_to(float *restrict to, float factor, size_t n, const float *restrict part)
{
	for (size_t i = 0; to && i < n; i++)
		to[i] += factor * part[i];
}

/* Adds the pairs of voxels [x, end) of a row with later neighbours to the rows in the box. */
GT_INLINE void add_piece(const struct job *j, const struct box *b, size_t row, size_t x, size_t end)
{
	const gt_mrf *s = j->s;
	const size_t y = row % s->n[1], z = row / s->n[1], start = row * s->n[0] + x;
	const int mine = y >= b->y0 && y < b->y1 && z >= b->z0 && z < b->z1;
	float *g = j->g, *d = j->d, own[PIECE], bound[PIECE];
	struct pairsf p;
	memset(own, 0, (end - x) * sizeof *own);
	memset(bound, 0, (end - x) * sizeof *bound);
	for (int o = SELF + 1; o < NEIGHBOURS; o++) {
		const size_t ny = y + (size_t)(o / 3 % 3) - 1, nz = z + (size_t)(o / 9) - 1; /* negative: outside */
		const int theirs = ny >= b->y0 && ny < b->y1 && nz >= b->z0 && nz < b->z1;
		const struct run r = mine || theirs ? run_of(s, y, z, x, end, o) : (struct run){ 0 };
		if (!r.n)
			continue;
		const size_t at = (size_t)((ptrdiff_t)r.first + r.away);
		make_pairsf(s, 0, &r, j->x, NULL, 0, &p);
		if (theirs) {
			add_to(g ? g + at : NULL, -1, r.n, p.pull);
			add_to(d ? d + at : NULL, 2, r.n, p.weight);
		}
		if (mine) {
			add_to(g ? own + (r.first - start) : NULL, 1, r.n, p.pull);
			add_to(d ? bound + (r.first - start) : NULL, 1, r.n, p.weight);
		}
	}
	if (mine) {
		add_to(g ? g + start : NULL, 1, end - x, own);
		add_to(d ? d + start : NULL, 2, end - x, bound);
	}
}

GT_CLONES static void add_piece_any(const struct job *j, const struct box *b, size_t row, size_t x, size_t end)
{
	add_piece(j, b, row, x, end);
}
GT_AVX2 static void add_piece_avx2(const struct job *j, const struct box *b, size_t row, size_t x, size_t end)
{
	add_piece(j, b, row, x, end);
}

static size_t bands(const gt_mrf *s) { return (s->n[1] + BAND - 1) / BAND; }
static size_t boxes(const gt_mrf *s) { return bands(s) * ((s->n[2] + DEEP - 1) / DEEP); }

/* Every voxel adds its pairs in row order, independent of the boxes. */
static void add_boxes(void *self, size_t i, size_t last, int worker)
{
	const struct job *j = self;
	const gt_mrf *s = j->s;
	const size_t nx = s->n[0], ny = s->n[1], nz = s->n[2];
	const int avx2 = gt_runs_here("avx2");
	(void)worker;
	for (; i < last; i++) {
		const size_t y0 = i % bands(s) * BAND, z0 = i / bands(s) * DEEP;
		const struct box b = { y0, y0 + BAND < ny ? y0 + BAND : ny, z0, z0 + DEEP < nz ? z0 + DEEP : nz };
		for (size_t z = z0 - (z0 > 0); z < b.z1; z++)
			for (size_t y = y0 - (y0 > 0); y < b.y1 + (b.y1 < ny); y++)
				for (size_t x = 0; x < nx; x += PIECE)
					(avx2 ? add_piece_avx2 : add_piece_any)(j, &b, z * ny + y, x, x + PIECE < nx ? x + PIECE : nx);
	}
}

/* Gradient ----------------------------------------------------------------- */

/* x = NULL: the majorizer of all x. */
GT_INLINE void gather(const struct job *j, size_t row, size_t x, size_t end)
{
	const gt_mrf *s = j->s;
	const size_t y = row % s->n[1], z = row / s->n[1], start = row * s->n[0] + x, size = (end - x) * sizeof(double);
	double g[PIECE], d[PIECE], t[PIECE], c[PIECE];
	memset(g, 0, size);
	memset(d, 0, size);
	if (!j->x)
		memset(t, 0, size);
	for (int o = 0; o < NEIGHBOURS; o++) {
		const struct run r = run_of(s, y, z, x, end, o);
		if (!r.n)
			continue;
		double *G = g + (r.first - start), *D = d + (r.first - start);
		if (j->x)
			differences(s->type, j->x, &r, t);
		weights(s->potential, s->number, r.n, t, c);
		weigh(s->type, s->kappa, &r, c);
		for (size_t i = 0; i < r.n; i++) {
			G[i] += c[i] * t[i];
			D[i] += c[i];
		}
	}
	if (j->g)
		add(s->type, start, end - x, 1, g, j->g);
	if (j->d)
		add(s->type, start, end - x, 2, d, j->d);
}

GT_CLONES static void gather_any(const struct job *j, size_t row, size_t x, size_t end) { gather(j, row, x, end); }
GT_AVX2 static void gather_avx2(const struct job *j, size_t row, size_t x, size_t end) { gather(j, row, x, end); }

/* Majorizers of all x are computed once, in double; 1/delta must be representable in single. */
static int is_single(const struct job *j) { return j->x && j->s->type == GT_F32 && j->s->number[GT_PER_DELTA] < 1e30; }

static void gather_rows(void *self, size_t row, size_t last, int worker)
{
	const struct job *j = self;
	const int avx2 = gt_runs_here("avx2");
	(void)worker;
	for (; row < last; row++)
		for (size_t x = 0; x < j->s->n[0]; x += PIECE)
			(avx2 ? gather_avx2 : gather_any)(j, row, x, x + PIECE < j->s->n[0] ? x + PIECE : j->s->n[0]);
}

static void gradient(gt_backend *be, const gt_mrf *s, const void *x, void *g, void *d)
{
	struct job j = { .s = s, .x = x, .g = g, .d = d };
	if (is_single(&j))
		gt_parallel(be->pool, boxes(s), 1, add_boxes, &j);
	else
		gt_parallel(be->pool, s->n[1] * s->n[2], GRAIN, gather_rows, &j);
}

static void majorize(gt_backend *be, const gt_mrf *s, void *d) { gradient(be, s, NULL, NULL, d); }

/* Sums --------------------------------------------------------------------- */

typedef void (*sum_of_piece)(const struct job *j, size_t row, size_t x, size_t end, double *sum);
static sum_of_piece sum_of(int single, int avx2)
{
	if (single)
		return avx2 ? sum_piece_avx2f : sum_piece_anyf;
	return avx2 ? sum_piece_avx2 : sum_piece_any;
}

static void sum_parts(void *self, size_t k, size_t last, int worker)
{
	struct job *j = self;
	const size_t rows = j->s->n[1] * j->s->end, first = j->s->n[1] * j->s->from, nx = j->s->n[0];
	const sum_of_piece add_piece_to = sum_of(j->s->type == GT_F32, gt_runs_here("avx2"));
	(void)worker;
	for (; k < last; k++) {
		const size_t end = first + (k + 1) * j->part_size < rows ? first + (k + 1) * j->part_size : rows;
		double sum[2] = { 0, 0 };
		for (size_t row = first + k * j->part_size; row < end; row++)
			for (size_t x = 0; x < nx; x += PIECE)
				add_piece_to(j, row, x, x + PIECE < nx ? x + PIECE : nx, sum);
		j->part[k][0] = sum[0];
		j->part[k][1] = sum[1];
	}
}

static void sum(gt_backend *be, const gt_mrf *s, const void *x, const void *p, double a, double *first, double *curvature)
{
	struct job j = { .s = s, .x = x, .p = p, .a = a, .part_size = (s->n[1] * (s->end - s->from) + PARTS - 1) / PARTS };
	gt_parallel(be->pool, PARTS, 1, sum_parts, &j);
	*first = 0;
	for (int k = 0; k < PARTS; k++)
		*first += j.part[k][0];
	if (p)
		*curvature = 0;
	for (int k = 0; p && k < PARTS; k++)
		*curvature += j.part[k][1];
}

const struct gt_mrf_impl gt_mrf_cpu = { .gradient = gradient, .majorize = majorize, .sum = sum };
