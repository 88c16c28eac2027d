/* Pairs of neighbours on the CPU. Gradients are computed in the type of the arrays; values, majorizers of all x and
 * lines in double. Gradients gather, so that each pair is seen from both sides; sums see the half of the neighbours that
 * comes later. Both in pieces of rows, in an order that does not depend on the threads. */
#include <gantry/threads.h>
#include "core/clones.h"
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

/* Voxels [first, first + n) of the array that have a neighbour `away` from them. */
struct run {
	size_t first, n;
	ptrdiff_t away;
	double weight;
};

/* Those of voxels [x, end) of row (y, z) that have neighbour o of 27; n = 0 if none. */
static struct run run_of(const gt_mrf *s, size_t row, size_t x, size_t end, int o)
{
	const int dx = o % 3 - 1, dy = o / 3 % 3 - 1, dz = o / 9 - 1;
	const size_t y = row % s->n[1], z = row / s->n[1];
	struct run r = { .weight = s->weight[(dx != 0) + 2 * (dy != 0) + 4 * (dz != 0)] };
	if (r.weight == 0 || (dy < 0 && y == 0) || (dy > 0 && y + 1 == s->n[1]) || (dz < 0 && z == 0) || (dz > 0 && z + 1 == s->n[2]))
		return r;
	x += dx < 0 && x == 0;
	end -= dx > 0 && end == s->n[0];
	r.first = row * s->n[0] + x;
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
GT_CLONES static void differences(gt_type type, const void *x, const struct run *r, double *t)
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
/* c times the weights of the pairs. */
GT_CLONES static void weigh(gt_type type, const void *kappa, const struct run *r, double *c)
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
GT_CLONES static void add(gt_type type, size_t first, size_t n, double factor, const double *sum, void *y)
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
#define VALUES(kind)                                                   \
	case GT_##kind:                                                \
		for (size_t i = 0; i < n; i++)                         \
			c[i] = gt_potential_value(GT_##kind, k, t[i]); \
		break;
GT_CLONES static void weights(gt_potential potential, const double *k, size_t n, const double *t, double *c)
{
	switch (potential) {
		GT_POTENTIALS(WEIGHTS)
	default:
		break;
	}
}
GT_CLONES static void values(gt_potential potential, const double *k, size_t n, const double *t, double *c)
{
	switch (potential) {
		GT_POTENTIALS(VALUES)
	default:
		break;
	}
}

#define WEIGHTS_SINGLE(kind)                                             \
	case GT_##kind:                                                  \
		for (size_t i = 0; i < n; i++)                           \
			c[i] = gt_potential_weightf(GT_##kind, k, t[i]); \
		break;
GT_INLINE void weights_single(gt_potential potential, const float *k, size_t n, const float *restrict t, float *restrict c)
{
	switch (potential) {
		GT_POTENTIALS(WEIGHTS_SINGLE)
	default:
		break;
	}
}

/* Gradient ----------------------------------------------------------------- */

/* One run of neighbours, all in single precision: g += weights times differences, d += weights. */
GT_INLINE void add_pairs(const gt_mrf *s, const float *x, const struct run *r, float *restrict g, float *restrict d)
{
	const float *X = x + r->first, *Y = X + r->away, weight = (float)r->weight;
	float t[PIECE] = { 0 }, c[PIECE], k[GT_NNUMBERS];
	for (int i = 0; i < GT_NNUMBERS; i++)
		k[i] = (float)s->number[i];
	for (size_t i = 0; i < r->n; i++)
		t[i] = X[i] - Y[i];
	weights_single(s->potential, k, r->n, t, c);
	if (s->kappa) {
		const float *K = (const float *)s->kappa + r->first, *L = K + r->away;
		for (size_t i = 0; i < r->n; i++)
			c[i] *= K[i] * L[i];
	}
	for (size_t i = 0; i < r->n; i++) {
		g[i] += weight * c[i] * t[i];
		d[i] += weight * c[i];
	}
}

GT_CLONES static void add_pairs_any(const gt_mrf *s, const float *x, const struct run *r, float *g, float *d) { add_pairs(s, x, r, g, d); }
GT_AVX2 static void add_pairs_avx2(const gt_mrf *s, const float *x, const struct run *r, float *g, float *d) { add_pairs(s, x, r, g, d); }

static void gather_single(const struct job *j, size_t row, size_t x, size_t end)
{
	const size_t start = row * j->s->n[0] + x;
	float g[PIECE] = { 0 }, d[PIECE] = { 0 };
	for (int o = 0; o < NEIGHBOURS; o++) {
		const struct run r = run_of(j->s, row, x, end, o);
		if (r.n)
			(GT_HAS_AVX2 ? add_pairs_avx2 : add_pairs_any)(j->s, j->x, &r, g + (r.first - start), d + (r.first - start));
	}
	for (size_t i = 0; j->g && i < end - x; i++)
		((float *)j->g)[start + i] += g[i];
	for (size_t i = 0; j->d && i < end - x; i++)
		((float *)j->d)[start + i] += 2 * d[i];
}

/* x = NULL: the majorizer of all x. */
static void gather(const struct job *j, size_t row, size_t x, size_t end)
{
	const gt_mrf *s = j->s;
	const size_t start = row * s->n[0] + x;
	double g[PIECE] = { 0 }, d[PIECE] = { 0 }, t[PIECE] = { 0 }, c[PIECE];
	for (int o = 0; o < NEIGHBOURS; o++) {
		const struct run r = run_of(s, row, x, end, o);
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

/* Majorizers of all x are made once; 1/delta must be a number of single precision. */
static int is_single(const struct job *j) { return j->x && j->s->type == GT_F32 && j->s->number[GT_PER_DELTA] < 1e30; }

static void gather_rows(void *self, size_t row, size_t last, int worker)
{
	const struct job *j = self;
	(void)worker;
	for (; row < last; row++)
		for (size_t x = 0; x < j->s->n[0]; x += PIECE)
			(is_single(j) ? gather_single : gather)(j, row, x, x + PIECE < j->s->n[0] ? x + PIECE : j->s->n[0]);
}

static void gradient(gt_backend *be, const gt_mrf *s, const void *x, void *g, void *d)
{
	struct job j = { .s = s, .x = x, .g = g, .d = d };
	gt_parallel(be->pool, s->n[1] * s->n[2], GRAIN, gather_rows, &j);
}

static void majorize(gt_backend *be, const gt_mrf *s, void *d) { gradient(be, s, NULL, NULL, d); }

/* Sums --------------------------------------------------------------------- */

static void sum_piece(const struct job *j, size_t row, size_t x, size_t end, double *sum)
{
	const gt_mrf *s = j->s;
	double t[PIECE], p[PIECE], c[PIECE];
	for (int o = SELF + 1; o < NEIGHBOURS; o++) {
		const struct run r = run_of(s, row, x, end, o);
		if (!r.n)
			continue;
		differences(s->type, j->x, &r, t);
		if (j->p) {
			differences(s->type, j->p, &r, p);
			for (size_t i = 0; i < r.n; i++)
				t[i] += j->a * p[i];
		}
		(j->p ? weights : values)(s->potential, s->number, r.n, t, c);
		weigh(s->type, s->kappa, &r, c);
		for (size_t i = 0; i < r.n; i++) {
			sum[0] += j->p ? c[i] * t[i] * p[i] : c[i];
			sum[1] += j->p ? c[i] * p[i] * p[i] : 0;
		}
	}
}

static void sum_parts(void *self, size_t k, size_t last, int worker)
{
	struct job *j = self;
	const size_t rows = j->s->n[1] * j->s->end, first = j->s->n[1] * j->s->from, nx = j->s->n[0];
	(void)worker;
	for (; k < last; k++) {
		const size_t end = first + (k + 1) * j->part_size < rows ? first + (k + 1) * j->part_size : rows;
		double sum[2] = { 0, 0 };
		for (size_t row = first + k * j->part_size; row < end; row++)
			for (size_t x = 0; x < nx; x += PIECE)
				sum_piece(j, row, x, x + PIECE < nx ? x + PIECE : nx, sum);
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
