/* joint-tv and low-rank satisfy their optimality conditions for volumes of different noise; for one volume they equal
 * tv.
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
enum { GRIDS = sizeof grids / sizeof *grids, VOLUMES = 4 };

struct subject {
	gt_backend *be;
	const gt_grid *g;
	size_t n; /* one volume */
	gt_penalty *R;
	gt_array *z, *x;
};

/* Random volumes with increasing noise and a common part. */
static struct subject subject(gt_backend *be, gt_type type, const gt_grid *g, size_t volumes, const char *spec)
{
	struct subject s = { .be = be, .g = g, .n = gt_grid_voxels(g) };
	ck_ok(gt_regularizer_new_joint(spec, be, type, g, volumes, &s.R));
	ck_assert_uint_eq(gt_penalty_nx(s.R), volumes * s.n);
	gt_array *noise = gt_test_array(be, GT_F64, volumes * s.n, 4);
	double *z = gt_test_values(noise);
	float *f = malloc(volumes * s.n * sizeof *f);
	for (size_t i = 0; i < volumes * s.n; i++)
		f[i] = (float)(z[i % s.n] * (1 + 0.3 * (double)(i / s.n)) + z[i] * 0.4 * (double)(i / s.n));
	ck_ok(gt_array_new(be, type, volumes * s.n, &s.z));
	ck_ok(gt_array_like(s.z, &s.x));
	gt_array_put_float(f, s.z);
	gt_array_free(noise);
	free(z), free(f);
	return s;
}

static void drop(struct subject *s)
{
	gt_penalty_free(s->R);
	gt_array_free(s->z), gt_array_free(s->x);
}

/* The 3 x VOLUMES Jacobian at a voxel. */
static void jacobian(const gt_grid *g, const double *u, size_t i, double J[3][VOLUMES])
{
	const size_t stride[3] = { 1, g->n[0], g->n[0] * g->n[1] }, N = gt_grid_voxels(g);
	for (int a = 0; a < 3; a++)
		for (size_t c = 0; c < VOLUMES; c++) {
			const int next = i / stride[a] % g->n[a] + 1 < g->n[a];
			J[a][c] = next ? (u[c * N + i + stride[a]] - u[c * N + i]) * g->pitch[0] / g->pitch[a] : 0;
		}
}

/* Computes the singular values of a matrix of three rows by one-sided Jacobi: Hestenes, J. SIAM 6 (1958) 51. */
static void singular(double J[3][VOLUMES], double *s)
{
	double M[3][VOLUMES];
	memcpy(M, J, sizeof M);
	for (int turn = 0; turn < 60; turn++) {
		const int i = turn % 3, j = (turn + 1) % 3;
		double aa = 0, bb = 0, ab = 0;
		for (size_t c = 0; c < VOLUMES; c++) {
			aa += M[i][c] * M[i][c];
			bb += M[j][c] * M[j][c];
			ab += M[i][c] * M[j][c];
		}
		const double angle = fabs(ab) > 0 ? atan(2 * ab / (aa - bb)) / 2 : 0;
		for (size_t c = 0; c < VOLUMES; c++) {
			const double x = M[i][c], y = M[j][c];
			M[i][c] = cos(angle) * x + sin(angle) * y;
			M[j][c] = cos(angle) * y - sin(angle) * x;
		}
	}
	for (int i = 0; i < 3; i++) {
		s[i] = 0;
		for (size_t c = 0; c < VOLUMES; c++)
			s[i] += M[i][c] * M[i][c];
		s[i] = sqrt(s[i]);
	}
}

static double length(double J[3][VOLUMES], int nuclear)
{
	double s[3], square = 0;
	singular(J, s);
	for (int i = 0; i < 3; i++)
		square += s[i] * s[i];
	return nuclear ? s[0] + s[1] + s[2] : sqrt(square);
}

static const char *const kinds[] = { "joint-tv:strength=1.7,kind=vector,inner=", "joint-tv:strength=1.7,kind=nuclear,inner=" };

/* u = P(z - tau D'p), p in its dual ball and aligned with D u: <p, D u> is the norm of D u. */
static void check_optimal(const struct subject *s, int nuclear, double tau, double lo, double hi)
{
	const size_t N = s->n;
	gt_state_entry list[GT_STATE_MAX_PENALTY];
	ck_assert_uint_eq(gt_penalty_state(s->R, list), 1);
	double *p = gt_test_values(list[0].array), *z = gt_test_values(s->z), *u = gt_test_values(s->x), along = 0, size = 0;
	double *back = calloc(VOLUMES * N, sizeof *back);
	const size_t stride[3] = { 1, s->g->n[0], s->g->n[0] * s->g->n[1] };
	for (size_t i = 0; i < N; i++) {
		double J[3][VOLUMES], P[3][VOLUMES], max[3];
		jacobian(s->g, u, i, J);
		for (size_t c = 0; c < VOLUMES; c++)
			for (size_t a = 0; a < 3; a++) {
				P[a][c] = p[(3 * c + a) * N + i];
				along += P[a][c] * J[a][c];
				const double w = s->g->pitch[0] / s->g->pitch[a];
				const int next = i / stride[a] % s->g->n[a] + 1 < s->g->n[a];
				back[c * N + i] -= next ? w * P[a][c] : 0;
				if (next)
					back[c * N + i + stride[a]] += w * P[a][c];
			}
		singular(P, max);
		ck_assert_double_le(nuclear ? fmax(max[0], fmax(max[1], max[2])) : length(P, 0), 1 + 1e-7);
		size += length(J, nuclear);
	}
	ck_assert_double_gt(size, 0.01);
	ck_assert_double_eq_tol(along, size, 1e-6 * (size + gt_distance2(s->x, s->z) / (2 * tau)));
	for (size_t i = 0; i < VOLUMES * N; i++)
		ck_assert_double_eq_tol(u[i], fmax(lo, fmin(hi, z[i] - tau * back[i])), 1e-6);
	ck_assert_double_eq_tol(gt_penalty_value(s->R, s->x), 1.7 * size, 1e-6 * size);
	free(p), free(z), free(u), free(back);
}

GT_TEST(joint_tv_is_the_least)
{
	gt_backend *be = gt_test_backend();
	for (int k = 0; k < 2 * GRIDS; k++) {
		char spec[96];
		snprintf(spec, sizeof spec, "%s4000", kinds[k % 2]);
		struct subject s = subject(be, GT_F64, &grids[k / 2], VOLUMES, spec);
		const double t = 0.1, lo = k % 3 ? -INFINITY : -0.3, hi = k % 3 ? INFINITY : 0.4;
		gt_penalty_prox(s.R, t, lo, hi, s.z, s.x);
		ck_ok(gt_backend_status(be));
		check_optimal(&s, k % 2, t * 1.7, lo, hi);
		drop(&s);
	}
	gt_backend_close(be);
}

GT_TEST(one_volume_is_tv)
{
	gt_backend *be = gt_test_backend();
	for (int k = 0; k < 2 * GRIDS; k++) {
		char spec[96];
		snprintf(spec, sizeof spec, "%s3000", kinds[k % 2]);
		struct subject s = subject(be, GT_F64, &grids[k / 2], 1, spec);
		gt_penalty *tv;
		gt_array *want;
		ck_ok(gt_regularizer_new("tv:strength=1.7,inner=3000", be, GT_F64, s.g, NULL, &tv));
		ck_ok(gt_array_like(s.z, &want));
		ck_assert_double_eq_tol(gt_penalty_value(s.R, s.z), gt_penalty_value(tv, s.z), 1e-7);
		gt_penalty_prox(s.R, 0.1, -0.2, 0.7, s.z, s.x);
		gt_penalty_prox(tv, 0.1, -0.2, 0.7, s.z, want);
		ck_assert_double_lt(sqrt(gt_distance2(s.x, want)), 1e-6);
		ck_assert_double_gt(sqrt(gt_distance2(s.x, s.z)), 0.05);
		gt_penalty_free(tv);
		gt_array_free(want);
		drop(&s);
	}
	gt_backend_close(be);
}

/* Optimality: X - Z + tau W = 0 with W in the subdifferential of the nuclear norm. Then <Z - X, X> is tau times the
 * sum of the singular values of X, and no singular value of Z - X exceeds tau. */
static double largest(const double *M, size_t n)
{
	double v[VOLUMES] = { 1, -0.3, 0.4, 0.2 }, size = 0;
	for (int turn = 0; turn < 3000; turn++) {
		double w[VOLUMES] = { 0 }, square = 0;
		for (size_t i = 0; i < VOLUMES; i++)
			for (size_t j = 0; j < VOLUMES; j++)
				for (size_t k = 0; k < n; k++)
					w[i] += M[i * n + k] * M[j * n + k] * v[j];
		for (size_t i = 0; i < VOLUMES; i++)
			square += w[i] * w[i];
		size = sqrt(square);
		for (size_t i = 0; i < VOLUMES && size > 0; i++)
			v[i] = w[i] / size;
	}
	return sqrt(size);
}

GT_TEST(low_rank_is_the_least)
{
	gt_backend *be = gt_test_backend();
	const double t = 0.25, tau = t * 1.7;
	for (int k = 0; k < GRIDS; k++) {
		struct subject s = subject(be, GT_F64, &grids[k], VOLUMES, "low-rank:strength=1.7");
		gt_penalty_prox(s.R, t, -INFINITY, INFINITY, s.z, s.x);
		ck_ok(gt_backend_status(be));
		double *z = gt_test_values(s.z), *x = gt_test_values(s.x), along = 0;
		for (size_t i = 0; i < VOLUMES * s.n; i++) {
			z[i] -= x[i];
			along += z[i] * x[i];
		}
		const double size = gt_penalty_value(s.R, s.x) / 1.7;
		ck_assert_double_gt(size, 0.1);
		ck_assert_double_eq_tol(along, tau * size, 1e-6 * tau * size);
		ck_assert_double_le(largest(z, s.n), tau * (1 + 1e-6));
		gt_penalty_prox(s.R, t, -1, 1, s.z, s.x);
		ck_refused(gt_backend_status(be), GT_ERR_UNSUPPORTED, "low-rank: values between -1 and 1");
		free(z), free(x);
		drop(&s);
	}
	gt_backend_close(be);
}

/* Equal on any backend, for any number of threads and in both precisions. */
static double *after(gt_backend *be, gt_type type, const gt_grid *g, const char *spec, double bound)
{
	struct subject s = subject(be, type, g, VOLUMES, spec);
	for (int call = 0; call < 2; call++)
		gt_penalty_prox(s.R, 0.1, -bound, bound, s.z, s.x);
	ck_ok(gt_backend_status(be));
	double *u = gt_test_values(s.x);
	gt_penalty_prox(s.R, 0.1, -bound, bound, s.z, s.z);
	drop(&s);
	ck_assert_uint_eq(gt_test_counters(be).bytes, 0);
	return u;
}

GT_TEST(same_everywhere)
{
	static const char *const specs[] = { "joint-tv:inner=9", "joint-tv:kind=nuclear,inner=9", "low-rank:strength=3" };
	const gt_grid g = { { 37, 11, 7 }, { 0.5, 0.6, 0.8 }, { 0, 0, 0 } };
	const size_t n = VOLUMES * gt_grid_voxels(&g);
	gt_backend *one, *three, *be = gt_test_backend();
	ck_ok(gt_backend_open("cpu:1", &one));
	ck_ok(gt_backend_open("cpu:3", &three));
	for (int k = 0; k < 3; k++) {
		const double bound = k == 2 ? INFINITY : 0.7;
		double *want = after(one, GT_F64, &g, specs[k], bound), *threads = after(three, GT_F64, &g, specs[k], bound),
		       *here = after(be, GT_F64, &g, specs[k], bound), *single = after(be, GT_F32, &g, specs[k], bound);
		ck_assert_mem_eq(want, threads, n * sizeof *want);
		ck_assert_double_lt(gt_test_farthest(here, want, n), 1e-11);
		ck_assert_double_lt(gt_test_farthest(single, want, n), 5e-5);
		free(want), free(threads), free(here), free(single);
	}
	gt_backend_close(one), gt_backend_close(three), gt_backend_close(be);
}

GT_TEST(wrong_input_is_refused)
{
	gt_backend *be = gt_test_backend();
	gt_penalty *R = NULL;
	ck_refused(gt_regularizer_new_joint("tv", be, GT_F32, &grids[0], 2, &R), GT_ERR_UNSUPPORTED,
	           "penalty 'tv' is of one volume, not of 2");
	ck_refused(gt_regularizer_new_joint("joint-tv", be, GT_F32, &grids[0], 0, &R), GT_ERR_ARG, "0 volumes");
	ck_refused(gt_regularizer_new_joint("joint-tv:kind=no", be, GT_F32, &grids[0], 2, &R), GT_ERR_ARG, "kind");
	ck_assert_uint_eq(gt_test_counters(be).bytes, 0);
	gt_volume *v[2];
	gt_denoise_options o = gt_denoise_defaults;
	o.penalty = "joint-tv:strength=1";
	ck_ok(gt_volume_new(&grids[0], &v[0]));
	ck_ok(gt_volume_new(&grids[1], &v[1]));
	ck_refused(gt_denoise_volumes(be, GT_F32, &o, v, 2), GT_ERR_ARG, "volume 2 of 2 is on another grid");
	ck_refused(gt_denoise_volumes(be, GT_F32, &o, v, 0), GT_ERR_ARG, "no volumes");
	gt_volume_free(v[0]), gt_volume_free(v[1]);
	gt_backend_close(be);
}

int main(void) { return gt_test_main("joint", NULL); }
