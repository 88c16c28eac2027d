#ifndef GT_TESTS_TV_MODEL_H
#define GT_TESTS_TV_MODEL_H
/* Total variation by plain loops in double, and the penalties compared with it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/author/constants.h>
#include <gantry/regularizer.h>
#include "tests/support/support.h"

/* Definition --------------------------------------------- */

struct model {
	size_t n[3], stride[3], voxels;
	double w[3], strength, eps;
	int anisotropic;
};

static inline int has_next(const struct model *m, size_t v, int a) { return v / m->stride[a] % m->n[a] + 1 < m->n[a]; }

/* d[a * voxels + v] */
static inline void differences(const struct model *m, const double *u, double *d)
{
	for (int a = 0; a < 3; a++)
		for (size_t v = 0; v < m->voxels; v++)
			d[(size_t)a * m->voxels + v] = has_next(m, v, a) ? m->w[a] * (u[v + m->stride[a]] - u[v]) : 0;
}

static inline void transpose(const struct model *m, const double *d, double *u)
{
	memset(u, 0, m->voxels * sizeof *u);
	for (int a = 0; a < 3; a++)
		for (size_t v = 0; v < m->voxels; v++)
			if (has_next(m, v, a)) {
				u[v + m->stride[a]] += m->w[a] * d[(size_t)a * m->voxels + v];
				u[v] -= m->w[a] * d[(size_t)a * m->voxels + v];
			}
}

/* sum of sqrt(|d|^2 + eps^2); eps = 0: TV itself */
static inline double variation(const struct model *m, double eps, const double *u)
{
	const size_t n = m->voxels;
	double sum = 0, *d = malloc(3 * n * sizeof *d);
	differences(m, u, d);
	for (size_t v = 0; v < n; v++) {
		const double x = d[v], y = d[n + v], z = d[2 * n + v];
		sum += m->anisotropic ? sqrt(x * x + eps * eps) + sqrt(y * y + eps * eps) + sqrt(z * z + eps * eps)
		                      : sqrt(x * x + y * y + z * z + eps * eps);
	}
	free(d);
	return m->strength * sum;
}

static inline void into_ball(const struct model *m, double *p)
{
	const size_t n = m->voxels;
	for (size_t v = 0; v < n; v++) {
		const double size = sqrt(p[v] * p[v] + p[n + v] * p[n + v] + p[2 * n + v] * p[2 * n + v]);
		for (size_t k = v; k < 3 * n; k += n)
			p[k] = m->anisotropic ? fmax(-1, fmin(1, p[k])) : p[k] / fmax(1, size);
	}
}

static inline void to_primal(const struct model *m, double tau, double lo, double hi, const double *z, const double *p, double *u)
{
	transpose(m, p, u);
	for (size_t v = 0; v < m->voxels; v++)
		u[v] = fmax(lo, fmin(hi, z[v] - tau * u[v]));
}

/* Fast gradient projection, starting at p. */
static inline void plain_prox(const struct model *m, double tau, double lo, double hi, int iterations, const double *z, double *p,
                              double *u)
{
	const size_t n = m->voxels;
	double norm2 = 0, s = 1, *r = malloc(3 * n * sizeof *r), *d = malloc(3 * n * sizeof *d);
	memcpy(r, p, 3 * n * sizeof *r);
	for (int a = 0; a < 3; a++)
		norm2 += m->n[a] > 1 ? 4 * m->w[a] * m->w[a] * pow(cos(GT_PI / (2 * (double)m->n[a])), 2) : 0;
	for (int k = 0; k < iterations; k++) {
		to_primal(m, tau, lo, hi, z, r, u);
		differences(m, u, d);
		for (size_t i = 0; i < 3 * n; i++)
			d[i] = r[i] + d[i] / (tau * norm2);
		into_ball(m, d);
		const double next = (1 + sqrt(1 + 4 * s * s)) / 2;
		for (size_t i = 0; i < 3 * n; i++) {
			r[i] = d[i] + (s - 1) / next * (d[i] - p[i]);
			p[i] = d[i];
		}
		s = next;
	}
	to_primal(m, tau, lo, hi, z, p, u);
	free(r);
	free(d);
}

/* Test subjects --------------------------------------------------------- */

static const gt_grid grids[] = {
	{ { 7, 5, 4 }, { 1, 1, 1 }, { 0, 0, 0 } },        { { 6, 9, 5 }, { 0.5, 0.8, 1.25 }, { 3, -4, 2 } },
	{ { 1, 6, 3 }, { 2, 1, 0.7 }, { 0, 0, 0 } },      { { 8, 1, 5 }, { 1, 3, 1.5 }, { 0, 0, 0 } },
	{ { 9, 4, 1 }, { 1, 1, 9 }, { 0, 0, 0 } },        { { 1, 1, 11 }, { 1, 1, 2 }, { 0, 0, 0 } },
	{ { 1, 1, 1 }, { 1, 2, 3 }, { 0, 0, 0 } },        { { 2, 1, 1 }, { 1, 2, 3 }, { 0, 0, 0 } },
	{ { 131, 17, 3 }, { 1, 1.1, 0.9 }, { 0, 0, 0 } }, { { 5, 19, 131 }, { 1, 0.7, 2 }, { 0, 0, 0 } },
};
enum { GRIDS = sizeof grids / sizeof *grids };

struct subject {
	gt_backend *be;
	gt_type type;
	struct model m;
	gt_penalty *R;
	gt_array *x, *y, *g;
};

static inline struct subject subject(gt_backend *be, gt_type type, const gt_grid *g, int anisotropic, const char *more)
{
	struct subject s = { .be = be, .type = type, .m = { .strength = 1.7, .eps = 0.3, .anisotropic = anisotropic } };
	char spec[160];
	s.m.voxels = gt_grid_voxels(g);
	for (int a = 0; a < 3; a++) {
		s.m.n[a] = g->n[a];
		s.m.stride[a] = a ? s.m.stride[a - 1] * g->n[a - 1] : 1;
		s.m.w[a] = g->pitch[0] / g->pitch[a];
	}
	snprintf(spec, sizeof spec, "tv:strength=1.7,smooth=0.3,kind=%s%s", anisotropic ? "anisotropic" : "isotropic", more);
	ck_ok(gt_regularizer_new(spec, be, type, g, NULL, &s.R));
	ck_ok(gt_array_new(be, type, s.m.voxels, &s.x));
	ck_ok(gt_array_like(s.x, &s.y));
	ck_ok(gt_array_like(s.x, &s.g));
	return s;
}

static inline void drop(struct subject *s)
{
	ck_ok(gt_backend_status(s->be));
	gt_penalty_free(s->R);
	gt_array_free(s->x);
	gt_array_free(s->y);
	gt_array_free(s->g);
}

static inline double *numbers(size_t n, unsigned seed, double scale)
{
	float *f = malloc(n * sizeof *f);
	double *d = malloc(n * sizeof *d);
	gt_test_random(seed, n, f);
	for (size_t i = 0; i < n; i++)
		d[i] = scale * f[i];
	free(f);
	return d;
}

static inline void put(const double *values, gt_array *a)
{
	const size_t n = gt_array_size(a);
	float *single = malloc(n * sizeof *single);
	for (size_t i = 0; i < n; i++)
		single[i] = (float)values[i];
	gt_array_put(gt_array_type(a) == GT_F64 ? (const void *)values : single, a);
	free(single);
}

static inline double *get(const gt_array *a)
{
	const size_t n = gt_array_size(a);
	double *values = malloc(n * sizeof *values);
	float *single = malloc(n * sizeof *single);
	gt_array_get(a, gt_array_type(a) == GT_F64 ? (void *)values : single);
	for (size_t i = 0; i < n && gt_array_type(a) == GT_F32; i++)
		values[i] = single[i];
	free(single);
	return values;
}

static inline double dot(const double *a, const double *b, size_t n)
{
	double s = 0;
	for (size_t i = 0; i < n; i++)
		s += a[i] * b[i];
	return s;
}

static inline double farthest(const double *a, const double *b, size_t n)
{
	double max = 0;
	for (size_t i = 0; i < n; i++)
		if (!(fabs(a[i] - b[i]) <= max))
			max = fabs(a[i] - b[i]);
	return max;
}

static inline double *prox(const struct subject *s, double t, double lo, double hi, const double *z)
{
	put(z, s->x);
	gt_fill(NAN, s->y);
	gt_penalty_prox(s->R, t, lo, hi, s->x, s->y);
	return get(s->y);
}
#endif
