/* Total generalised variation: its proximal step satisfies the optimality conditions, by plain loops in double;
 * ramps, limits, precisions.
 * labels: unit property */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/regularizer.h>
#include "core/penalty.h"
#include "tests/support/images.h"
#include "tests/support/support.h"

static const gt_grid grids[] = {
	{ { 5, 4, 3 }, { 0.5, 0.8, 1.25 }, { 3, -4, 2 } }, { { 1, 6, 3 }, { 2, 1, 1.7 }, { 0, 0, 0 } },
	{ { 7, 1, 5 }, { 1, 3, 1.5 }, { 0, 0, 0 } },       { { 5, 7, 1 }, { 1, 0.8, 9 }, { 0, 0, 0 } },
	{ { 1, 1, 9 }, { 1, 1, 2 }, { 0, 0, 0 } },
};
enum { GRIDS = sizeof grids / sizeof *grids };
static const double STRENGTH = 1.7, RATIO = 1.3;

/* By the definition: d[a][N] of D u - v, and e[a][b][N] of E v, each off-diagonal entry twice. */
struct model {
	size_t n[3], stride[3], voxels;
	double w[3];
};

static struct model model_of(const gt_grid *g)
{
	struct model m = { .voxels = gt_grid_voxels(g) };
	for (int a = 0; a < 3; a++) {
		m.n[a] = g->n[a];
		m.stride[a] = a ? m.stride[a - 1] * g->n[a - 1] : 1;
		m.w[a] = g->pitch[0] / g->pitch[a];
	}
	return m;
}

static size_t place(const struct model *m, size_t i, int a) { return i / m->stride[a] % m->n[a]; }

static void rise(const struct model *m, const double *u, const double *v, double *d)
{
	for (int a = 0; a < 3; a++)
		for (size_t i = 0; i < m->voxels; i++) {
			const size_t k = (size_t)a * m->voxels + i;
			d[k] = place(m, i, a) + 1 < m->n[a] ? m->w[a] * (u[i + m->stride[a]] - u[i]) - v[k] : 0;
		}
}

static void bend(const struct model *m, const double *v, double *e)
{
	const size_t N = m->voxels;
	for (size_t k = 0; k < 9 * N; k++)
		e[k] = 0;
	for (size_t a = 0; a < 3; a++)
		for (size_t b = 0; b < 3; b++)
			for (size_t i = 0; i < N; i++)
				if (place(m, i, (int)b)) {
					const double d = m->w[b] * (v[a * N + i] - v[a * N + i - m->stride[b]]) / 2;
					e[(3 * a + b) * N + i] += d;
					e[(3 * b + a) * N + i] += d;
				}
}

/* Sums the length of k numbers over the voxels. */
static double lengths(const struct model *m, const double *d, size_t k)
{
	double sum = 0;
	for (size_t i = 0; i < m->voxels; i++) {
		double s = 0;
		for (size_t c = 0; c < k; c++)
			s += d[c * m->voxels + i] * d[c * m->voxels + i];
		sum += sqrt(s);
	}
	return sum;
}

static double longest(const struct model *m, const double *d, size_t k)
{
	double max = 0;
	for (size_t i = 0; i < m->voxels; i++) {
		double s = 0;
		for (size_t c = 0; c < k; c++)
			s += d[c * m->voxels + i] * d[c * m->voxels + i];
		max = fmax(max, sqrt(s));
	}
	return max;
}

static double dot(const double *a, const double *b, size_t n)
{
	double s = 0;
	for (size_t i = 0; i < n; i++)
		s += a[i] * b[i];
	return s;
}

struct subject {
	gt_backend *be;
	struct model m;
	gt_penalty *R;
	gt_array *z, *x;
};

static struct subject subject(gt_backend *be, gt_type type, const gt_grid *g, const char *more)
{
	struct subject s = { .be = be, .m = model_of(g) };
	char spec[128];
	snprintf(spec, sizeof spec, "tgv:strength=1.7,ratio=1.3%s", more);
	ck_ok(gt_regularizer_new(spec, be, type, g, NULL, &s.R));
	s.z = gt_test_array(be, type, s.m.voxels, 4);
	ck_ok(gt_array_like(s.z, &s.x));
	return s;
}

static void drop(struct subject *s)
{
	ck_ok(gt_backend_status(s->be));
	gt_penalty_free(s->R);
	gt_array_free(s->z), gt_array_free(s->x);
}

/* Reads the state of the step: v, p and q, with q as all nine entries. */
static void dual_of(const struct subject *s, double *v, double *p, double *q)
{
	static const int pairs[3][3] = { { 0, 3, 4 }, { 3, 1, 5 }, { 4, 5, 2 } };
	gt_state_entry list[GT_STATE_MAX_PENALTY];
	const size_t N = s->m.voxels;
	ck_assert_uint_eq(gt_penalty_state(s->R, list), 2);
	double *field = gt_test_values(list[0].array), *dual = gt_test_values(list[1].array);
	memcpy(v, field, 3 * N * sizeof *v);
	memcpy(p, dual, 3 * N * sizeof *p);
	for (size_t a = 0; a < 3; a++)
		for (size_t b = 0; b < 3; b++)
			memcpy(q + (3 * a + b) * N, dual + (3 + (size_t)pairs[a][b]) * N, N * sizeof *q);
	free(field), free(dual);
}

/* Optimality: u = P(z - tau D'p); p and q have their maximal length along D u - v and E v if these are not 0; E'q =
 * p. The transposes are checked by products with random fields. */
static void check_optimal(const struct subject *s, double tau, double lo, double hi)
{
	const struct model *m = &s->m;
	const size_t N = m->voxels;
	double *all = calloc(40 * N, sizeof *all), *v = all, *p = v + 3 * N, *q = p + 3 * N, *d = q + 9 * N, *e = d + 3 * N,
	       *zero = e + 9 * N, *point = zero + 3 * N, *z = gt_test_values(s->z), *u = gt_test_values(s->x);
	dual_of(s, v, p, q);
	rise(m, u, v, d);
	bend(m, v, e);
	const double first = lengths(m, d, 3), second = lengths(m, e, 9),
		     cost = gt_distance2(s->x, s->z) / (2 * tau) + first + RATIO * second;
	ck_assert_double_le(longest(m, p, 3), 1 + 1e-12);
	ck_assert_double_le(longest(m, q, 9), RATIO * (1 + 1e-12));
	ck_assert_double_eq_tol(dot(p, d, 3 * N), first, 1e-6 * cost);
	ck_assert_double_eq_tol(dot(q, e, 9 * N), RATIO * second, 1e-6 * cost);
	for (size_t i = 0; i < 3 * N; i++) {
		point[i] = 1;
		bend(m, point, e);
		const int there = place(m, i % N, (int)(i / N)) + 1 < m->n[i / N];
		ck_assert_double_eq_tol(dot(q, e, 9 * N), there ? p[i] : 0, 1e-6);
		point[i] = 0;
	}
	for (size_t i = 0; i < N; i++) {
		point[i] = 1;
		rise(m, point, zero, d);
		ck_assert_double_eq_tol(u[i], fmax(lo, fmin(hi, z[i] - tau * dot(p, d, 3 * N))), 1e-6);
		point[i] = 0;
	}
	free(all), free(z), free(u);
}

GT_TEST(prox_is_the_least)
{
	gt_backend *be = gt_test_backend();
	for (int k = 0; k < 2 * GRIDS; k++) {
		struct subject s = subject(be, GT_F64, &grids[k / 2], ",step=0.02,inner=20000");
		const double t = 0.1, lo = k % 2 ? -0.2 : -INFINITY, hi = k % 2 ? 0.15 : INFINITY;
		gt_penalty_prox(s.R, t, lo, hi, s.z, s.x);
		check_optimal(&s, t * STRENGTH, lo, hi);
		drop(&s);
	}
	gt_backend_close(be);
}

GT_TEST(value_is_that_of_the_field)
{
	gt_backend *be = gt_test_backend();
	for (int k = 0; k < GRIDS; k++) {
		struct subject s = subject(be, GT_F64, &grids[k], ",inner=7");
		const size_t N = s.m.voxels;
		double *v = calloc(27 * N, sizeof *v), *d = v + 15 * N, *e = d + 3 * N, *z = gt_test_values(s.z);
		for (int call = 0; call < 2; call++) {
			rise(&s.m, z, v, d);
			bend(&s.m, v, e);
			const double want = STRENGTH * (lengths(&s.m, d, 3) + RATIO * lengths(&s.m, e, 9));
			ck_assert_double_eq_tol(gt_penalty_value(s.R, s.z), want, 1e-12 * want);
			gt_penalty_prox(s.R, 0.1, -INFINITY, INFINITY, s.z, s.x);
			dual_of(&s, v, v + 3 * N, v + 6 * N);
		}
		free(v), free(z);
		drop(&s);
	}
	gt_backend_close(be);
}

/* A linear slope through anisotropic voxels costs nothing once v is found, and is preserved; tv would staircase it. */
GT_TEST(slopes_stay)
{
	gt_backend *be = gt_test_backend();
	for (int k = 0; k < GRIDS; k++) {
		struct subject s = subject(be, GT_F64, &grids[k], ",step=0.02,inner=8000");
		double *z = gt_test_values(s.z);
		for (size_t i = 0; i < s.m.voxels; i++) {
			z[i] = 0.3;
			for (int a = 0; a < 3; a++)
				z[i] += (0.2 + 0.1 * a) * grids[k].pitch[a] * (double)place(&s.m, i, a);
		}
		gt_array_put(z, s.z);
		ck_assert_double_gt(gt_penalty_value(s.R, s.z), 0.1);
		gt_penalty_prox(s.R, 0.1, -INFINITY, INFINITY, s.z, s.x);
		ck_assert_double_lt(sqrt(gt_distance2(s.x, s.z) / (double)s.m.voxels), 1e-6);
		ck_assert_double_lt(gt_penalty_value(s.R, s.z), 1e-5);
		free(z);
		drop(&s);
	}
	gt_backend_close(be);
}

/* With a large ratio v stays constant; steps of length 0 change nothing; x may be z. */
GT_TEST(limits)
{
	gt_backend *be = gt_test_backend();
	struct subject s = subject(be, GT_F64, &grids[0], ",inner=3000");
	gt_penalty_prox(s.R, 0, -INFINITY, INFINITY, s.z, s.x);
	ck_assert_double_eq(gt_distance2(s.x, s.z), 0);
	gt_penalty_prox(s.R, 0, -0.2, 0.3, s.z, s.x);
	ck_assert(gt_min(s.x) == -0.2 && gt_max(s.x) == 0.3);
	gt_penalty_prox(s.R, 0.1, -0.2, 0.3, s.z, s.x);
	drop(&s);
	s = subject(be, GT_F64, &grids[0], ",inner=3000");
	struct subject again = subject(be, GT_F64, &grids[0], ",inner=3000");
	gt_penalty_prox(s.R, 0.1, -0.2, 0.3, s.z, s.x);
	gt_penalty_prox(again.R, 0.1, -0.2, 0.3, again.z, again.z);
	ck_assert_double_eq(gt_distance2(s.x, again.z), 0);
	gt_penalty_prox(s.R, -1, 0, 1, s.z, s.x);
	ck_refused(gt_backend_status(be), GT_ERR_ARG, "tgv: proximal step of -1");
	gt_penalty_prox(s.R, 1, 1, 0, s.z, s.x);
	ck_refused(gt_backend_status(be), GT_ERR_ARG, "bounds in order");
	drop(&s);
	drop(&again);
	gt_backend_close(be);
}

/* Two calls, the second from the end of the first. */
static double *after(gt_backend *be, gt_type type, const gt_grid *g, const char *more)
{
	struct subject s = subject(be, type, g, more);
	const gt_counters before = gt_test_counters(be);
	for (int call = 0; call < 2; call++)
		gt_penalty_prox(s.R, 0.1, -0.6, 0.7, s.z, s.x);
	const gt_counters end = gt_test_counters(be);
	ck_assert_uint_eq(before.allocations, end.allocations);
	ck_assert_uint_eq(before.puts + before.gets, end.puts + end.gets);
	const size_t numbers = strstr(more, "lean") || !gt_backend_is_gpu(be) ? 17 + 2 : 26 + 2;
	ck_assert_uint_le(end.bytes, numbers * s.m.voxels * gt_type_size(type) + (1 << 15));
	double *u = gt_test_values(s.x);
	drop(&s);
	ck_assert_uint_eq(gt_test_counters(be).bytes, 0);
	return u;
}

/* Grids of several tiles and of a partial one, odd and even rows, an odd number of iterations. GPUs use one pass and
 * two. */
GT_TEST(same_everywhere)
{
	static const gt_grid some[] = { { { 67, 9, 66 }, { 0.5, 0.6, 0.8 }, { 0, 0, 0 } },
		                        { { 37, 19, 11 }, { 0.5, 0.6, 0.4 }, { 0, 0, 0 } },
		                        { { 70, 27, 5 }, { 0.5, 0.7, 0.4 }, { 0, 0, 0 } } };
	gt_backend *one, *three, *be = gt_test_backend();
	ck_ok(gt_backend_open("cpu:1", &one));
	ck_ok(gt_backend_open("cpu:3", &three));
	for (int k = 0; k < 3; k++) {
		const gt_grid *g = &some[k];
		const size_t n = gt_grid_voxels(g);
		double *want = after(one, GT_F64, g, ",inner=5"), *threads = after(three, GT_F64, g, ",inner=5"),
		       *here = after(be, GT_F64, g, ",inner=5"), *single = after(be, GT_F32, g, ",inner=5"),
		       *lean = after(be, GT_F64, g, ",inner=5,lean=yes"), *lean_single = after(be, GT_F32, g, ",inner=5,lean=yes");
		ck_assert_mem_eq(want, threads, n * sizeof *want);
		ck_assert_double_lt(gt_test_farthest(here, want, n), 1e-12);
		ck_assert_double_lt(gt_test_farthest(lean, want, n), 1e-12);
		ck_assert_double_lt(gt_test_farthest(single, want, n), 2e-5);
		ck_assert_double_lt(gt_test_farthest(lean_single, want, n), 2e-5);
		free(want), free(threads), free(here), free(single), free(lean), free(lean_single);
	}
	gt_backend_close(one), gt_backend_close(three), gt_backend_close(be);
}

GT_TEST(wrong_input_is_refused)
{
	gt_backend *be = gt_test_backend();
	gt_penalty *R = NULL;
	struct subject s = subject(be, GT_F32, &grids[0], "");
	gt_array *small = gt_test_array(be, GT_F32, 9, 1);
	ck_refused(gt_regularizer_new("tgv:ratio=0", be, GT_F32, &grids[0], NULL, &R), GT_ERR_ARG, "ratio=0");
	ck_refused(gt_regularizer_new("tgv:inner=0", be, GT_F32, &grids[0], NULL, &R), GT_ERR_ARG, "inner=0");
	ck_refused(gt_regularizer_new("tgv", be, GT_F32, &grids[0], s.z, &R), GT_ERR_UNSUPPORTED, "tgv: no weights per voxel (kappa)");
	gt_penalty_prox(s.R, 1, 0, 1, small, s.x);
	ck_refused(gt_backend_status(be), GT_ERR_ARG, "tgv is for 60 single values");
	ck_assert_uint_eq(gt_penalty_has(s.R), GT_HAS_PROX);
	ck_assert(gt_penalty_is_convex(s.R));
	gt_array_free(small);
	drop(&s);
	gt_backend_close(be);
}

int main(void) { return gt_test_main("tgv", NULL); }
