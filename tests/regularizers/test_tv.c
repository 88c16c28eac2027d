/* Total variation against plain loops in double, closed forms, and the certificate of its dual.
 * labels: unit property */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "regularizers/regularizer.h"
#include "tests/support/support.h"

/* The definition, straight --------------------------------------------- */

struct model {
	size_t n[3], stride[3], voxels;
	double w[3], strength, eps;
	int anisotropic;
};

static int has_next(const struct model *m, size_t v, int a) { return v / m->stride[a] % m->n[a] + 1 < m->n[a]; }

/* d[a * voxels + v] */
static void differences(const struct model *m, const double *u, double *d)
{
	for (int a = 0; a < 3; a++)
		for (size_t v = 0; v < m->voxels; v++)
			d[(size_t)a * m->voxels + v] = has_next(m, v, a) ? m->w[a] * (u[v + m->stride[a]] - u[v]) : 0;
}

static void transpose(const struct model *m, const double *d, double *u)
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
static double variation(const struct model *m, double eps, const double *u)
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

static void into_ball(const struct model *m, double *p)
{
	const size_t n = m->voxels;
	for (size_t v = 0; v < n; v++) {
		const double size = sqrt(p[v] * p[v] + p[n + v] * p[n + v] + p[2 * n + v] * p[2 * n + v]);
		for (size_t k = v; k < 3 * n; k += n)
			p[k] = m->anisotropic ? fmax(-1, fmin(1, p[k])) : p[k] / fmax(1, size);
	}
}

static void to_primal(const struct model *m, double tau, double lo, double hi, const double *z, const double *p, double *u)
{
	transpose(m, p, u);
	for (size_t v = 0; v < m->voxels; v++)
		u[v] = fmax(lo, fmin(hi, z[v] - tau * u[v]));
}

/* Fast gradient projection, beginning at p. */
static void plain_prox(const struct model *m, double tau, double lo, double hi, int iterations, const double *z, double *p, double *u)
{
	const size_t n = m->voxels;
	double norm2 = 0, s = 1, *r = malloc(3 * n * sizeof *r), *d = malloc(3 * n * sizeof *d);
	memcpy(r, p, 3 * n * sizeof *r);
	for (int a = 0; a < 3; a++)
		norm2 += m->n[a] > 1 ? 4 * m->w[a] * m->w[a] * pow(cos(acos(-1) / (2 * (double)m->n[a])), 2) : 0;
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

/* What is tested --------------------------------------------------------- */

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

static struct subject subject(gt_backend *be, gt_type type, const gt_grid *g, int anisotropic, const char *more)
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

static void drop(struct subject *s)
{
	ck_ok(gt_backend_status(s->be));
	gt_penalty_free(s->R);
	gt_array_free(s->x);
	gt_array_free(s->y);
	gt_array_free(s->g);
}

static double *numbers(size_t n, unsigned seed, double scale)
{
	float *f = malloc(n * sizeof *f);
	double *d = malloc(n * sizeof *d);
	gt_test_random(seed, n, f);
	for (size_t i = 0; i < n; i++)
		d[i] = scale * f[i];
	free(f);
	return d;
}

static void put(const double *values, gt_array *a)
{
	const size_t n = gt_array_size(a);
	float *single = malloc(n * sizeof *single);
	for (size_t i = 0; i < n; i++)
		single[i] = (float)values[i];
	gt_array_put(gt_array_type(a) == GT_F64 ? (const void *)values : single, a);
	free(single);
}

static double *get(const gt_array *a)
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

static double dot(const double *a, const double *b, size_t n)
{
	double s = 0;
	for (size_t i = 0; i < n; i++)
		s += a[i] * b[i];
	return s;
}

static double farthest(const double *a, const double *b, size_t n)
{
	double most = 0;
	for (size_t i = 0; i < n; i++)
		if (!(fabs(a[i] - b[i]) <= most))
			most = fabs(a[i] - b[i]);
	return most;
}

static double *prox(const struct subject *s, double t, double lo, double hi, const double *z)
{
	put(z, s->x);
	gt_fill(NAN, s->y);
	gt_penalty_prox(s->R, t, lo, hi, s->x, s->y);
	return get(s->y);
}

/* Value, gradient, majorizer, line -------------------------------------- */

START_TEST(plain_loops_are_transposes)
{
	for (int k = 0; k < GRIDS; k++) {
		gt_backend *be = gt_test_backend();
		struct subject s = subject(be, GT_F64, &grids[k], 0, "");
		const size_t n = s.m.voxels;
		double *u = numbers(n, 1, 1), *p = numbers(3 * n, 2, 1), *Du = malloc(3 * n * sizeof *Du), *Dp = malloc(n * sizeof *Dp);
		differences(&s.m, u, Du);
		transpose(&s.m, p, Dp);
		ck_assert_double_eq_tol(dot(Du, p, 3 * n), dot(u, Dp, n), 1e-12 * (double)n);
		ck_assert(n == 1 || fabs(dot(u, Dp, n)) > 1e-3);
		free(u), free(p), free(Du), free(Dp);
		drop(&s);
		gt_backend_close(be);
	}
}
END_TEST

START_TEST(value_is_total_variation)
{
	gt_backend *be = gt_test_backend();
	for (int k = 0; k < 4 * GRIDS; k++) {
		const gt_type type = k % 2 ? GT_F64 : GT_F32;
		struct subject s = subject(be, type, &grids[k / 4], k / 2 % 2, "");
		double *x = numbers(s.m.voxels, 3, 1);
		put(x, s.x);
		const double want = variation(&s.m, 0, x);
		ck_assert_double_le(fabs(gt_penalty_value(s.R, s.x) - want), want * (type == GT_F64 ? 1e-13 : 1e-6));
		free(x);
		drop(&s);
	}
	gt_backend_close(be);
}
END_TEST

START_TEST(gradient_is_that_of_the_smoothed_value)
{
	gt_backend *be = gt_test_backend();
	for (int k = 0; k < 2 * GRIDS; k++) {
		struct subject s = subject(be, GT_F64, &grids[k / 2], k % 2, "");
		const size_t n = s.m.voxels;
		double *x = numbers(n, 4, 1);
		put(x, s.x);
		gt_fill(0.25, s.g);
		gt_penalty_gradient(s.R, s.x, s.g, NULL);
		double *g = get(s.g);
		for (size_t i = 0; i < n; i += 1 + n / 37) {
			const double h = 1e-5, at = x[i];
			x[i] = at + h;
			const double above = variation(&s.m, s.m.eps, x);
			x[i] = at - h;
			const double below = variation(&s.m, s.m.eps, x);
			x[i] = at;
			ck_assert_double_eq_tol(g[i] - 0.25, (above - below) / (2 * h), 1e-6);
		}
		free(x), free(g);
		drop(&s);
	}
	gt_backend_close(be);
}
END_TEST

/* TV_eps(x) + <g, u - x> + 1/2 sum D (u - x)^2 - TV_eps(u) >= 0 for u near and far; D from the gradient and from majorize(). */
START_TEST(majorizers_lie_above)
{
	gt_backend *be = gt_test_backend();
	for (int k = 0; k < 2 * GRIDS; k++) {
		struct subject s = subject(be, GT_F64, &grids[k / 2], k % 2, "");
		const size_t n = s.m.voxels;
		double *x = numbers(n, 5, 1), least = INFINITY;
		put(x, s.x);
		gt_fill(0, s.g);
		gt_fill(0, s.y);
		gt_penalty_gradient(s.R, s.x, s.g, s.y);
		double *g = get(s.g), *D = get(s.y);
		gt_fill(0, s.y);
		gt_penalty_majorize(s.R, s.y);
		double *largest = get(s.y);
		for (unsigned seed = 6; seed < 30; seed++) {
			double *h = numbers(n, seed, pow(10, (double)(seed % 6) - 4)), quadratic = 0;
			for (size_t i = 0; i < n; i++) {
				/* Signs in turn: the worst case for a majorizer by voxels. */
				h[i] = seed % 2 ? h[i] : fabs(h[i]) * ((i + i / s.m.n[0] + i / s.m.stride[2]) % 2 ? 1 : -1);
				quadratic += D[i] * h[i] * h[i] / 2;
				ck_assert(D[i] <= largest[i] * (1 + 1e-12));
				x[i] += h[i];
			}
			const double there = variation(&s.m, s.m.eps, x);
			for (size_t i = 0; i < n; i++)
				x[i] -= h[i];
			const double here = variation(&s.m, s.m.eps, x), slack = here + dot(g, h, n) + quadratic - there;
			ck_assert_double_ge(slack, -1e-12 * (here + there));
			least = fmin(least, slack);
			free(h);
		}
		ck_assert(n == 1 || least < 1);
		free(x), free(g), free(D), free(largest);
		drop(&s);
	}
	gt_backend_close(be);
}
END_TEST

/* Where x is constant both majorizers are the same: 2 w^2/eps per neighbour, 12/eps inside of a grid of cubes. */
START_TEST(majorizer_is_as_derived)
{
	gt_backend *be = gt_test_backend();
	for (int k = 0; k < 2 * GRIDS; k++) {
		struct subject s = subject(be, GT_F64, &grids[k / 2], k % 2, "");
		const size_t n = s.m.voxels;
		gt_fill(0.7, s.x);
		gt_fill(0, s.g);
		gt_fill(1, s.y);
		gt_penalty_gradient(s.R, s.x, s.g, s.y);
		double *g = get(s.g), *D = get(s.y);
		gt_fill(1, s.y);
		gt_penalty_majorize(s.R, s.y);
		double *largest = get(s.y);
		for (size_t v = 0; v < n; v++) {
			double want = 0;
			for (int a = 0; a < 3; a++)
				want += 2 * s.m.w[a] * s.m.w[a] * (has_next(&s.m, v, a) + (v / s.m.stride[a] % s.m.n[a] > 0));
			want = 1 + s.m.strength * want / s.m.eps;
			ck_assert_double_eq_tol(largest[v], want, 1e-12 * want);
			ck_assert_double_eq_tol(D[v], want, 1e-12 * want);
			ck_assert_double_eq_tol(g[v], 0, 1e-14);
		}
		if (k < 2)
			ck_assert_double_eq_tol(largest[1 + 7 + 35], 1 + 12 * s.m.strength / s.m.eps, 1e-11);
		free(g), free(D), free(largest);
		drop(&s);
	}
	gt_backend_close(be);
}
END_TEST

START_TEST(line_is_slope_and_parabola)
{
	gt_backend *be = gt_test_backend();
	for (int k = 0; k < 2 * GRIDS; k++) {
		struct subject s = subject(be, GT_F64, &grids[k / 2], k % 2, "");
		const size_t n = s.m.voxels;
		double *x = numbers(n, 40, 1), *p = numbers(n, 41, 1), *at = malloc(n * sizeof *at), slope, curvature;
		const double a = 0.6;
		put(x, s.x);
		put(p, s.y);
		gt_penalty_line(s.R, s.x, s.y, a, &slope, &curvature);
		for (size_t i = 0; i < n; i++)
			at[i] = x[i] + a * p[i];
		const double here = variation(&s.m, s.m.eps, at);
		double ends[2];
		for (int e = 0; e < 2; e++) {
			for (size_t i = 0; i < n; i++)
				at[i] = x[i] + (a + (e ? 1e-5 : -1e-5)) * p[i];
			ends[e] = variation(&s.m, s.m.eps, at);
		}
		ck_assert_double_eq_tol(slope, (ends[1] - ends[0]) / 2e-5, 1e-6 * (1 + here));
		for (double b = -3; b < 3; b += 0.31) {
			for (size_t i = 0; i < n; i++)
				at[i] = x[i] + b * p[i];
			ck_assert_double_ge(here + slope * (b - a) + curvature * (b - a) * (b - a) / 2,
			                    variation(&s.m, s.m.eps, at) * (1 - 1e-12));
		}
		ck_assert_double_le(curvature, s.m.strength / s.m.eps * 1e4 * (double)n);
		free(x), free(p), free(at);
		drop(&s);
	}
	gt_backend_close(be);
}
END_TEST

/* Proximal step ---------------------------------------------------------- */

/* Two calls, the second from where the first ended, against the plain loops. */
START_TEST(prox_follows_the_plain_loops)
{
	gt_backend *be = gt_test_backend();
	for (int k = 0; k < 4 * GRIDS; k++) {
		struct subject s = subject(be, k % 2 ? GT_F64 : GT_F32, &grids[k / 4], k / 2 % 2, ",inner=7");
		const size_t n = s.m.voxels;
		double *z = numbers(n, 50, 1), *p = calloc(3 * n, sizeof *p), *want = malloc(n * sizeof *want);
		for (int call = 0; call < 2; call++) {
			const double t = call ? 0.11 : 0.07, lo = call ? -0.4 : -INFINITY, hi = call ? 0.5 : INFINITY;
			plain_prox(&s.m, t * s.m.strength, lo, hi, n > 1 ? 7 : 0, z, p, want);
			double *got = prox(&s, t, lo, hi, z);
			ck_assert_double_lt(farthest(got, want, n), k % 2 ? 1e-13 : 2e-6);
			free(got);
		}
		free(z), free(p), free(want);
		drop(&s);
	}
	gt_backend_close(be);
}
END_TEST

/* Without bounds u = z - tau D'p, so that the dual value is (|z|^2 - |u|^2)/2, and what lies between it and the primal value is
 * |u|^2 - <u, z> + tau TV(u): 0 or more, and a bound on |u - the least|^2/2. */
static double gap(const struct subject *s, double t, const double *z, const double *u)
{
	return dot(u, u, s->m.voxels) - dot(u, z, s->m.voxels) + t * variation(&s->m, 0, u);
}

START_TEST(duality_gap_closes)
{
	gt_backend *be = gt_test_backend();
	for (int k = 0; k < 8; k++) {
		struct subject s = subject(be, GT_F64, &grids[k / 2], k % 2, ",inner=50");
		double *z = numbers(s.m.voxels, 60, 1), t = 0.15, first = gap(&s, t, z, z), last = first;
		for (int call = 0; call < 60; call++) {
			double *u = prox(&s, t, -INFINITY, INFINITY, z);
			last = gap(&s, t, z, u);
			ck_assert_double_ge(last, -1e-12 * first);
			free(u);
		}
		ck_assert_double_gt(first, 0.1);
		ck_assert_double_lt(last, 1e-6 * first);
		free(z);
		drop(&s);
	}
	gt_backend_close(be);
}
END_TEST

/* No step from the result inside the bounds lowers R(u) + |u - z|^2/(2t). */
START_TEST(bounded_prox_is_the_least)
{
	gt_backend *be = gt_test_backend();
	for (int k = 0; k < 4; k++) {
		struct subject s = subject(be, GT_F64, &grids[k / 2], k % 2, ",inner=3000");
		const size_t n = s.m.voxels;
		const double t = 0.1, lo = -0.2, hi = 0.15;
		double *z = numbers(n, 70, 1), *u = prox(&s, t, lo, hi, z), *v = malloc(n * sizeof *v);
		size_t at_bounds = 0, within = 0;
		for (size_t i = 0; i < n; i++) {
			ck_assert(u[i] >= lo && u[i] <= hi);
			at_bounds += u[i] == lo || u[i] == hi;
			within += u[i] > lo && u[i] < hi;
		}
		ck_assert(at_bounds > 0 && within > 0);
		double least = 0;
		for (size_t i = 0; i < n; i++)
			least += (u[i] - z[i]) * (u[i] - z[i]) / (2 * t);
		least += variation(&s.m, 0, u);
		for (unsigned seed = 71; seed < 111; seed++) {
			double *h = numbers(n, seed, pow(10, -(double)(seed % 4))), cost = 0, moved = 0;
			for (size_t i = 0; i < n; i++) {
				const double towards = seed % 3   ? u[i] + h[i]
				                       : seed % 2 ? u[i] + h[0]
				                                  : (1 - fabs(h[0])) * u[i] + fabs(h[0]) * z[i];
				v[i] = fmax(lo, fmin(hi, towards));
				cost += (v[i] - z[i]) * (v[i] - z[i]) / (2 * t);
				moved += (v[i] - u[i]) * (v[i] - u[i]) / (2 * t);
			}
			/* Strongly convex: by |v - u|^2/(2t) above the least. */
			ck_assert_double_ge(cost + variation(&s.m, 0, v), least + moved - 1e-6 * least);
			free(h);
		}
		free(z), free(u), free(v);
		drop(&s);
	}
	gt_backend_close(be);
}
END_TEST

/* The sum over axes has level sets of its own: bounds only cut its result. */
START_TEST(bounds_cut_the_anisotropic_result)
{
	gt_backend *be = gt_test_backend();
	struct subject free_ = subject(be, GT_F64, &grids[1], 1, ",inner=4000"), bound = subject(be, GT_F64, &grids[1], 1, ",inner=4000");
	const size_t n = free_.m.voxels;
	double *z = numbers(n, 80, 1), *u = prox(&free_, 0.1, -INFINITY, INFINITY, z), *v = prox(&bound, 0.1, -0.1, 0.2, z);
	size_t cut = 0;
	for (size_t i = 0; i < n; i++) {
		cut += u[i] < -0.1 || u[i] > 0.2;
		u[i] = fmax(-0.1, fmin(0.2, u[i]));
	}
	ck_assert(cut > 0 && cut < n);
	ck_assert_double_lt(farthest(u, v, n), 1e-4);
	free(z), free(u), free(v);
	drop(&free_);
	drop(&bound);
	gt_backend_close(be);
}
END_TEST

START_TEST(constant_images_stay)
{
	gt_backend *be = gt_test_backend();
	for (int k = 0; k < 2 * GRIDS; k++) {
		struct subject s = subject(be, k % 2 ? GT_F64 : GT_F32, &grids[k / 2], 0, "");
		gt_fill(0.75, s.x);
		gt_penalty_prox(s.R, 3, -INFINITY, INFINITY, s.x, s.y);
		ck_assert(gt_min(s.y) == 0.75 && gt_max(s.y) == 0.75);
		gt_penalty_prox(s.R, 3, 0, 0.5, s.x, s.y);
		ck_assert(gt_min(s.y) == 0.5 && gt_max(s.y) == 0.5);
		drop(&s);
	}
	gt_backend_close(be);
}
END_TEST

/* Along each axis: two voxels approach each other by tau w each until they meet. */
START_TEST(two_voxels)
{
	gt_backend *be = gt_test_backend();
	for (int k = 0; k < 12; k++) {
		gt_grid g = { { 1, 1, 1 }, { 0.6, 1.1, 0.9 }, { 0, 0, 0 } };
		g.n[k % 3] = 2;
		struct subject s = subject(be, k / 3 % 2 ? GT_F64 : GT_F32, &g, k / 6, ",inner=200");
		const double z[2] = { -0.3, 0.9 }, w = g.pitch[0] / g.pitch[k % 3];
		for (double t = 0.01; t < 2; t *= 3) {
			const double move = fmin(t * s.m.strength * w, 0.6), want[2] = { -0.3 + move, 0.9 - move };
			double *u = prox(&s, t, -INFINITY, INFINITY, z);
			ck_assert_double_lt(farthest(u, want, 2), s.type == GT_F64 ? 1e-12 : 1e-6);
			free(u);
		}
		drop(&s);
	}
	gt_backend_close(be);
}
END_TEST

/* A step along an axis of an image that is constant along the others: a level that reaches n voxels moves by tau w/n. */
START_TEST(step_shrinks_as_known)
{
	gt_backend *be = gt_test_backend();
	for (int k = 0; k < 6; k++) {
		const int a = k % 3;
		gt_grid g = { { 3, 2, 4 }, { 0.5, 0.8, 1.25 }, { 0, 0, 0 } };
		g.n[a] = 9;
		struct subject s = subject(be, GT_F64, &g, k / 3, ",inner=3000");
		const size_t n = s.m.voxels;
		double *z = malloc(n * sizeof *z), *want = malloc(n * sizeof *want), t = 0.2;
		const double tau = t * s.m.strength * s.m.w[a];
		for (size_t v = 0; v < n; v++) {
			const int high = v / s.m.stride[a] % 9 >= 6;
			z[v] = high ? 1 : -0.5;
			want[v] = high ? 1 - tau / 3 : -0.5 + tau / 6;
		}
		double *u = prox(&s, t, -INFINITY, INFINITY, z);
		ck_assert_double_lt(farthest(u, want, n), 1e-5);
		free(z), free(u), free(want);
		drop(&s);
	}
	gt_backend_close(be);
}
END_TEST

START_TEST(small_and_large_steps)
{
	gt_backend *be = gt_test_backend();
	for (int k = 0; k < 2; k++) {
		struct subject s = subject(be, GT_F64, &grids[1], k, ",inner=3000");
		const size_t n = s.m.voxels;
		double *z = numbers(n, 90, 1), mean = 0, *level = malloc(n * sizeof *level);
		for (size_t i = 0; i < n; i++)
			mean += z[i] / (double)n;
		for (size_t i = 0; i < n; i++)
			level[i] = mean;
		double *same = prox(&s, 0, -INFINITY, INFINITY, z), *near = prox(&s, 1e-9, -INFINITY, INFINITY, z),
		       *flat = prox(&s, 1e3, -INFINITY, INFINITY, z);
		ck_assert_double_eq(farthest(same, z, n), 0);
		ck_assert_double_lt(farthest(near, z, n), 1e-7);
		ck_assert_double_gt(farthest(near, z, n), 1e-10);
		ck_assert_double_lt(farthest(flat, level, n), 1e-6);
		/* x and z may be the same. */
		put(z, s.x);
		gt_penalty_prox(s.R, 1e3, -INFINITY, INFINITY, s.x, s.x);
		double *in_place = get(s.x);
		ck_assert_double_lt(farthest(in_place, level, n), 1e-6);
		free(z), free(same), free(near), free(flat), free(level), free(in_place);
		drop(&s);
	}
	gt_backend_close(be);
}
END_TEST

/* Calls of five iterations until the gap is small: the second image differs little from the first. */
static int calls_needed(const struct subject *s, const double *z)
{
	int calls = 0;
	const double t = 0.15, enough = 1e-4 * gap(s, t, z, z);
	for (double now = INFINITY; now > enough; calls++) {
		double *u = prox(s, t, -INFINITY, INFINITY, z);
		now = gap(s, t, z, u);
		free(u);
		ck_assert_int_lt(calls, 1000);
	}
	return calls;
}

START_TEST(warm_start_saves_iterations)
{
	gt_backend *be = gt_test_backend();
	for (int k = 0; k < 2; k++) {
		struct subject warm = subject(be, GT_F64, &grids[1], k, ",inner=5"), cold = subject(be, GT_F64, &grids[1], k, ",inner=5");
		const size_t n = warm.m.voxels;
		double *z = numbers(n, 91, 1), *change = numbers(n, 92, 0.01);
		calls_needed(&warm, z);
		for (size_t i = 0; i < n; i++)
			z[i] += change[i];
		const int from_warm = calls_needed(&warm, z), from_cold = calls_needed(&cold, z);
		ck_assert_msg(2 * from_warm <= from_cold, "%d calls warm, %d cold", from_warm, from_cold);
		free(z), free(change);
		drop(&warm);
		drop(&cold);
	}
	gt_backend_close(be);
}
END_TEST

/* One precision against the other, one number of threads against another, the GPU against the CPU ------ */

struct results {
	double value, slope, curvature, *g, *d, *u;
};

static struct results all(gt_backend *be, gt_type type, const gt_grid *g, int anisotropic)
{
	struct results r;
	struct subject s = subject(be, type, g, anisotropic, ",inner=15");
	double *x = numbers(s.m.voxels, 95, 1), *p = numbers(s.m.voxels, 96, 1);
	gt_array *along;
	ck_ok(gt_array_like(s.x, &along));
	put(x, s.x);
	put(p, along);
	r.value = gt_penalty_value(s.R, s.x);
	gt_penalty_line(s.R, s.x, along, 0.3, &r.slope, &r.curvature);
	gt_fill(0, s.g);
	gt_fill(0, s.y);
	gt_penalty_gradient(s.R, s.x, s.g, s.y);
	gt_penalty_majorize(s.R, s.y);
	r.g = get(s.g);
	r.d = get(s.y);
	for (int call = 0; call < 2; call++)
		gt_penalty_prox(s.R, 0.1, -0.6, 0.7, s.x, s.y);
	r.u = get(s.y);
	gt_array_free(along);
	free(x), free(p);
	drop(&s);
	return r;
}

static void compare(const struct results *a, const struct results *b, size_t n, double tolerance)
{
	ck_assert_double_le(fabs(a->value - b->value), tolerance * fabs(b->value));
	ck_assert_double_le(fabs(a->slope - b->slope), tolerance * fabs(b->curvature));
	ck_assert_double_le(fabs(a->curvature - b->curvature), tolerance * fabs(b->curvature));
	ck_assert_double_le(farthest(a->g, b->g, n), 10 * tolerance);
	ck_assert_double_le(farthest(a->d, b->d, n), 100 * tolerance);
	ck_assert_double_le(farthest(a->u, b->u, n), tolerance);
}

static void results_free(struct results *r)
{
	free(r->g);
	free(r->d);
	free(r->u);
}

static const gt_grid larger = { { 133, 37, 139 }, { 0.5, 0.6, 0.8 }, { 0, 0, 0 } };

START_TEST(single_agrees_with_double)
{
	gt_backend *be = gt_test_backend();
	for (int k = 0; k < 2; k++) {
		struct results single = all(be, GT_F32, &grids[1], k), twice = all(be, GT_F64, &grids[1], k);
		compare(&single, &twice, gt_grid_voxels(&grids[1]), 5e-6);
		results_free(&single);
		results_free(&twice);
	}
	gt_backend_close(be);
}
END_TEST

START_TEST(any_number_of_threads_gives_the_same)
{
	const gt_grid g = { { 33, 37, 39 }, { 0.5, 0.6, 0.8 }, { 0, 0, 0 } };
	for (int k = 0; k < 4; k++) {
		gt_backend *one, *three;
		ck_ok(gt_backend_open("cpu:1", &one));
		ck_ok(gt_backend_open("cpu:3", &three));
		struct results a = all(one, k % 2 ? GT_F64 : GT_F32, &g, k / 2), b = all(three, k % 2 ? GT_F64 : GT_F32, &g, k / 2);
		compare(&a, &b, gt_grid_voxels(&g), 0);
		results_free(&a);
		results_free(&b);
		gt_backend_close(one);
		gt_backend_close(three);
	}
}
END_TEST

START_TEST(backends_agree)
{
	gt_backend *cpu, *be = gt_test_backend();
	ck_ok(gt_backend_open("cpu", &cpu));
	for (int k = 0; k < 4 && gt_test_is_gpu(); k++) {
		const gt_type type = k % 2 ? GT_F64 : GT_F32;
		struct results a = all(be, type, &larger, k / 2), b = all(cpu, type, &larger, k / 2), again = all(be, type, &larger, k / 2);
		compare(&a, &b, gt_grid_voxels(&larger), type == GT_F64 ? 1e-12 : 1e-5);
		compare(&a, &again, gt_grid_voxels(&larger), 0);
		results_free(&a);
		results_free(&b);
		results_free(&again);
	}
	gt_backend_close(cpu);
	gt_backend_close(be);
}
END_TEST

/* Memory and refusals ---------------------------------------------------- */

START_TEST(allocates_when_made_alone)
{
	gt_backend *be = gt_test_backend();
	const gt_grid *g = &larger;
	for (int inner = 0; inner < 2; inner++) {
		const gt_counters before = gt_backend_counters(be);
		gt_penalty *R;
		ck_ok(gt_regularizer_new(inner ? "tv:inner=2" : "tv:inner=0", be, GT_F32, g, NULL, &R));
		const gt_counters made = gt_backend_counters(be);
		const size_t dual = inner ? 9 * gt_grid_voxels(g) * sizeof(float) : 0;
		ck_assert(made.bytes - before.bytes >= dual);
		/* and tables: a few rows per thread. */
		ck_assert_double_le((double)(made.bytes - before.bytes - dual), 65536. * (1 + gt_pool_threads(gt_backend_pool(be))));
		ck_assert(gt_penalty_is_convex(R));
		ck_assert_uint_eq(gt_penalty_has(R), GT_HAS_GRADIENT | GT_HAS_LINE | (inner ? GT_HAS_PROX : 0));
		gt_array *x = gt_test_array(be, GT_F32, gt_grid_voxels(g), 97), *y = gt_test_array(be, GT_F32, gt_grid_voxels(g), 98);
		const gt_counters start = gt_backend_counters(be);
		double slope, curvature;
		gt_penalty_value(R, x);
		gt_penalty_line(R, x, y, 1, &slope, &curvature);
		gt_penalty_gradient(R, x, y, NULL);
		gt_penalty_majorize(R, y);
		if (inner)
			gt_penalty_prox(R, 0.1, 0, 1, x, y);
		const gt_counters end = gt_backend_counters(be);
		ck_assert_uint_eq(start.allocations, end.allocations);
		ck_assert_uint_eq(start.puts + start.gets, end.puts + end.gets);
		ck_ok(gt_backend_status(be));
		gt_array_free(x);
		gt_array_free(y);
		gt_penalty_free(R);
		ck_assert_uint_eq(gt_backend_counters(be).bytes, before.bytes);
	}
	gt_backend_close(be);
}
END_TEST

START_TEST(wrong_input_is_refused)
{
	gt_backend *be = gt_test_backend();
	const gt_grid *g = &grids[0];
	gt_penalty *R = NULL;
#define REFUSED(spec, text) ck_refused(gt_regularizer_new(spec, be, GT_F32, g, NULL, &R), GT_ERR_ARG, text)
	REFUSED("tv:smooth=0", "smooth=0");
	REFUSED("tv:smooth=-1HU", "smooth=-1HU");
	REFUSED("tv:smooth=nan", "smooth=nan");
	REFUSED("tv:strength=-1", "strength=-1");
	REFUSED("tv:strength=nan", "strength=nan");
	REFUSED("tv:kind=round", "expected one of isotropic, anisotropic");
	REFUSED("tv:inner=-1", "inner=-1");
	REFUSED("tv:delta=1", "delta");
	gt_array *kappa = gt_test_array(be, GT_F32, gt_grid_voxels(g), 1);
	ck_refused(gt_regularizer_new("tv", be, GT_F32, g, kappa, &R), GT_ERR_UNSUPPORTED, "kappa");
	gt_array_free(kappa);
	struct subject s = subject(be, GT_F32, g, 0, "");
	gt_array *small = gt_test_array(be, GT_F32, 9, 1), *twice = gt_test_array(be, GT_F64, s.m.voxels, 1);
	ck_assert(isnan(gt_penalty_value(s.R, small)));
	ck_refused(gt_backend_status(be), GT_ERR_ARG, "tv is for 140 single values");
	gt_penalty_gradient(s.R, s.x, twice, NULL);
	ck_refused(gt_backend_status(be), GT_ERR_ARG, "double");
	gt_fill(1, s.x);
	gt_penalty_prox(s.R, -1, 0, 1, s.x, s.y);
	ck_refused(gt_backend_status(be), GT_ERR_ARG, "-1");
	gt_penalty_prox(s.R, NAN, 0, 1, s.x, s.y);
	ck_refused(gt_backend_status(be), GT_ERR_ARG, "nan");
	gt_penalty_prox(s.R, 1, 2, 1, s.x, s.y);
	ck_refused(gt_backend_status(be), GT_ERR_ARG, "bounds");
	gt_array_free(small);
	gt_array_free(twice);
	drop(&s);
	gt_backend_close(be);
}
END_TEST

static void fill(TCase *tc)
{
	tcase_add_test(tc, plain_loops_are_transposes);
	tcase_add_test(tc, value_is_total_variation);
	tcase_add_test(tc, gradient_is_that_of_the_smoothed_value);
	tcase_add_test(tc, majorizers_lie_above);
	tcase_add_test(tc, majorizer_is_as_derived);
	tcase_add_test(tc, line_is_slope_and_parabola);
	tcase_add_test(tc, prox_follows_the_plain_loops);
	tcase_add_test(tc, duality_gap_closes);
	tcase_add_test(tc, bounded_prox_is_the_least);
	tcase_add_test(tc, bounds_cut_the_anisotropic_result);
	tcase_add_test(tc, constant_images_stay);
	tcase_add_test(tc, two_voxels);
	tcase_add_test(tc, step_shrinks_as_known);
	tcase_add_test(tc, small_and_large_steps);
	tcase_add_test(tc, warm_start_saves_iterations);
	tcase_add_test(tc, single_agrees_with_double);
	tcase_add_test(tc, any_number_of_threads_gives_the_same);
	tcase_add_test(tc, backends_agree);
	tcase_add_test(tc, allocates_when_made_alone);
	tcase_add_test(tc, wrong_input_is_refused);
}

int main(void) { return gt_test_main("tv", fill); }
