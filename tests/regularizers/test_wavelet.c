/* The penalty "wavelet": its value by plain loops, its proximal step by the optimality conditions, borders, few
 * slices.
 * labels: unit property */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/regularizer.h>
#include "core/penalty.h"
#include "regularizers/wavelet/wavelet_filters.h"
#include "tests/support/images.h"
#include "tests/support/support.h"

static const gt_grid grids[] = {
	{ { 6, 5, 3 }, { 0.5, 0.8, 1.25 }, { 3, -4, 2 } }, { { 1, 6, 5 }, { 2, 1, 1.7 }, { 0, 0, 0 } },
	{ { 7, 1, 3 }, { 1, 3, 1.5 }, { 0, 0, 0 } },       { { 9, 8, 1 }, { 1, 0.8, 9 }, { 0, 0, 0 } },
	{ { 1, 13, 1 }, { 1, 1, 2 }, { 0, 0, 0 } },        { { 1, 1, 1 }, { 1, 1, 2 }, { 0, 0, 0 } },
};
enum { GRIDS = sizeof grids / sizeof *grids, LEVELS = 2 };
static const double STRENGTH = 0.9;

/* One stage along an axis by the definition; the mirroring repeats as often as needed. */
static void stage(const gt_grid *g, int filter, int level, int axis, int high, const double *x, double *y)
{
	double low[GT_WAVELET_TAPS];
	const int taps = gt_wavelet_filter(filter, low);
	const long n = (long)g->n[axis];
	const size_t stride = axis == 0 ? 1 : axis == 1 ? g->n[0] : g->n[0] * g->n[1], N = gt_grid_voxels(g);
	for (size_t i = 0; i < N; i++) {
		const long at = (long)(i / stride) % n;
		double s = 0;
		for (int k = 0; k < taps; k++) {
			long m = at + (k + 1 - taps / 2) * (1L << level);
			while (m < 0 || m >= n)
				m = m < 0 ? -1 - m : 2 * n - 1 - m;
			const double h = !high ? low[k] : k % 2 ? -low[taps - 1 - k] : low[taps - 1 - k];
			s += h * x[i + (size_t)(m - at) * stride];
		}
		y[i] = s;
	}
}

static int axes_of(const gt_grid *g) { return (g->n[0] > 1) + (g->n[1] > 1) + (g->n[2] > 1); }

/* All details, [level][band - 1][N], bits of a band in the order of the axes with neighbours. */
static void details(const gt_grid *g, int filter, const double *x, double *d)
{
	const size_t N = gt_grid_voxels(g);
	const int bands = 1 << axes_of(g);
	double *from = malloc(3 * N * sizeof *from), *a = from + N, *b = a + N;
	memcpy(from, x, N * sizeof *x);
	for (int level = 0; level < LEVELS; level++) {
		for (int band = bands - 1; band >= 0; band--) {
			memcpy(a, from, N * sizeof *a);
			for (int axis = 0, bit = 0; axis < 3; axis++)
				if (g->n[axis] > 1) {
					stage(g, filter, level, axis, band >> bit++ & 1, a, b);
					memcpy(a, b, N * sizeof *a);
				}
			if (band)
				memcpy(d + ((size_t)level * (size_t)(bands - 1) + (size_t)band - 1) * N, a, N * sizeof *a);
		}
		memcpy(from, a, N * sizeof *a);
	}
	free(from);
}

static double weight(const gt_grid *g, size_t i)
{
	const size_t per_level = ((size_t)1 << axes_of(g)) - 1;
	return STRENGTH * pow(0.5, axes_of(g) * (double)(1 + i / gt_grid_voxels(g) / per_level) / 2);
}

static size_t numbers(const gt_grid *g) { return LEVELS * (((size_t)1 << axes_of(g)) - 1) * gt_grid_voxels(g); }

struct subject {
	gt_backend *be;
	const gt_grid *g;
	int filter;
	size_t n;
	gt_penalty *R;
	gt_array *z, *x;
};

static struct subject subject(gt_backend *be, gt_type type, const gt_grid *g, int filter, const char *more)
{
	struct subject s = { .be = be, .g = g, .filter = filter, .n = gt_grid_voxels(g) };
	char spec[128];
	snprintf(spec, sizeof spec, "wavelet:strength=0.9,levels=2,filter=%s%s", gt_wavelet_names[filter], more);
	ck_ok(gt_regularizer_new(spec, be, type, g, NULL, &s.R));
	s.z = gt_test_array(be, type, s.n, 4);
	ck_ok(gt_array_like(s.z, &s.x));
	return s;
}

static void drop(struct subject *s)
{
	ck_ok(gt_backend_status(s->be));
	gt_penalty_free(s->R);
	gt_array_free(s->z), gt_array_free(s->x);
	ck_assert_uint_eq(gt_test_counters(s->be).bytes, 0);
}

GT_TEST(filters_are_orthonormal)
{
	for (int filter = 0; gt_wavelet_names[filter]; filter++) {
		double h[GT_WAVELET_TAPS], sum = 0;
		const int taps = gt_wavelet_filter(filter, h);
		for (int k = 0; k < taps; k++)
			sum += h[k];
		ck_assert_double_eq_tol(sum, 1, 1e-12);
		for (int power = 0; power < taps / 2; power++) {
			double moment = 0; /* moments of the high pass: half the number of taps vanish */
			for (int k = 0; k < taps; k++)
				moment += (k % 2 ? -h[k] : h[k]) * pow(k, power);
			ck_assert_double_eq_tol(moment, 0, 1e-11);
		}
		for (int shift = 0; shift < taps; shift += 2) {
			double product = 0;
			for (int k = 0; k + shift < taps; k++)
				product += h[k] * h[k + shift];
			ck_assert_double_eq_tol(product, shift ? 0 : 0.5, 1e-12);
		}
		for (int shift = 0; shift < taps; shift++) { /* L'L + H'H = 1 outside the reach of the borders */
			double product = 0;
			for (int k = 0; k + shift < taps; k++)
				product += h[k] * h[k + shift] + (shift % 2 ? -1 : 1) * h[taps - 1 - k] * h[taps - 1 - k - shift];
			ck_assert_double_eq_tol(product, shift ? 0 : 1, 1e-12);
		}
	}
}

GT_TEST(value_is_the_sum_of_the_details)
{
	gt_backend *be = gt_test_backend();
	for (int k = 0; k < 10 * GRIDS; k++) {
		const gt_type type = k % 2 ? GT_F64 : GT_F32;
		struct subject s = subject(be, type, &grids[k / 10], k / 2 % 5, "");
		const size_t n = numbers(s.g);
		double *d = calloc(n + 1, sizeof *d), *z = gt_test_values(s.z), want = 0;
		details(s.g, s.filter, z, d);
		for (size_t i = 0; i < n; i++)
			want += weight(s.g, i) * fabs(d[i]);
		ck_assert_double_eq_tol(gt_penalty_value(s.R, s.z), want, (type == GT_F64 ? 1e-12 : 2e-6) * (1 + want));
		gt_fill(0.7, s.z);
		ck_assert_double_lt(gt_penalty_value(s.R, s.z), type == GT_F64 ? 1e-9 : 1e-4);
		free(d), free(z);
		drop(&s);
	}
	gt_backend_close(be);
}

/* u = P(z - t sum of weight D'p), |p| <= 1, and p along the details of u. The norm used for the steps is a bound. */
static void check_optimal(const struct subject *s, double t, double lo, double hi)
{
	const size_t n = numbers(s->g), N = s->n;
	gt_state_entry list[GT_STATE_MAX_PENALTY];
	double *d = calloc(2 * n + N + 1, sizeof *d), *e = d + n, *point = e + n, *z = gt_test_values(s->z), *u = gt_test_values(s->x);
	double cost = gt_distance2(s->x, s->z) / (2 * t), along = 0, size = 0, norm2;
	ck_assert_uint_eq(gt_penalty_state(s->R, list), 1);
	ck_ok(gt_wavelet_norm2(s->filter, LEVELS, s->g->n, &norm2));
	double *p = gt_test_values(list[0].array);
	details(s->g, s->filter, u, d);
	for (size_t i = 0; i < n; i++) {
		ck_assert_double_le(fabs(p[i]), 1);
		along += weight(s->g, i) * p[i] * d[i];
		size += weight(s->g, i) * fabs(d[i]);
	}
	ck_assert_double_eq_tol(along, size, 1e-6 * (size + cost) + 1e-15);
	for (size_t v = 0; v < N && n; v++) {
		double back = 0, all = 0;
		point[v] = 1;
		details(s->g, s->filter, point, e);
		point[v] = 0;
		for (size_t i = 0; i < n; i++) {
			back += weight(s->g, i) * p[i] * e[i];
			all += e[i] * e[i];
		}
		ck_assert_double_le(all, norm2);
		ck_assert_double_eq_tol(u[v], fmax(lo, fmin(hi, z[v] - t * back)), 1e-6);
	}
	free(d), free(z), free(u), free(p);
}

GT_TEST(prox_is_the_least)
{
	gt_backend *be = gt_test_backend_alone();
	for (int k = 0; k < 3 * GRIDS; k++) {
		struct subject s = subject(be, GT_F64, &grids[k / 3], k % 3, ",inner=1200");
		const double t = 0.15, lo = k % 2 ? -0.2 : -INFINITY, hi = k % 2 ? 0.15 : INFINITY;
		for (int call = 0; call < 3; call++)
			gt_penalty_prox(s.R, t, lo, hi, s.z, s.x);
		check_optimal(&s, t, lo, hi);
		drop(&s);
	}
	gt_backend_close(be);
}

/* One Haar stage on a line is total variation: half the differences, and half of that for 2^(-1/2) twice. */
GT_TEST(haar_of_a_line)
{
	gt_backend *be = gt_test_backend();
	const gt_grid g = { { 9, 1, 1 }, { 1, 1, 1 }, { 0, 0, 0 } };
	gt_penalty *R, *tv;
	gt_array *z = gt_test_array(be, GT_F64, 9, 3);
	ck_ok(gt_regularizer_new("wavelet:strength=1.5,levels=1", be, GT_F64, &g, NULL, &R));
	ck_ok(gt_regularizer_new("tv:strength=1.5", be, GT_F64, &g, NULL, &tv));
	ck_assert_double_eq_tol(gt_penalty_value(R, z), sqrt(0.125) * gt_penalty_value(tv, z), 1e-12);
	gt_penalty_free(R), gt_penalty_free(tv);
	gt_array_free(z);
	gt_backend_close(be);
}

/* Two calls, the second from the end of the first, on any backend and number of threads, in both precisions. */
static double *after(gt_backend *be, gt_type type, const gt_grid *g, int filter)
{
	struct subject s = subject(be, type, g, filter, ",inner=6");
	const gt_counters before = gt_test_counters(be);
	for (int call = 0; call < 2; call++)
		gt_penalty_prox(s.R, 0.1, -0.6, 0.7, s.z, s.x);
	const gt_counters end = gt_test_counters(be);
	ck_assert_uint_eq(before.allocations, end.allocations);
	ck_assert_uint_eq(before.puts + before.gets, end.puts + end.gets);
	ck_assert_uint_le(end.bytes, (7 * LEVELS + 6 + 2) * s.n * gt_type_size(type) + (1 << 15));
	/* x may be z. */
	struct subject again = subject(be, type, g, filter, ",inner=6");
	for (int call = 0; call < 2; call++) {
		gt_copy(s.z, again.x);
		gt_penalty_prox(again.R, 0.1, -0.6, 0.7, again.x, again.x);
	}
	ck_assert_double_eq(gt_distance2(s.x, again.x), 0);
	double *u = gt_test_values(s.x);
	gt_penalty_free(again.R);
	gt_array_free(again.z), gt_array_free(again.x);
	drop(&s);
	return u;
}

GT_TEST(same_everywhere)
{
	const gt_grid g = { { 37, 11, 7 }, { 0.5, 0.6, 0.8 }, { 0, 0, 0 } };
	const size_t n = gt_grid_voxels(&g);
	gt_backend *one, *three, *be = gt_test_backend();
	ck_ok(gt_backend_open("cpu:1", &one));
	ck_ok(gt_backend_open("cpu:3", &three));
	for (int filter = 0; filter < 5; filter++) {
		double *want = after(one, GT_F64, &g, filter), *threads = after(three, GT_F64, &g, filter),
		       *here = after(be, GT_F64, &g, filter), *single = after(be, GT_F32, &g, filter);
		ck_assert_mem_eq(want, threads, n * sizeof *want);
		ck_assert_double_lt(gt_test_farthest(here, want, n), 1e-12);
		ck_assert_double_lt(gt_test_farthest(single, want, n), 2e-5);
		free(want), free(threads), free(here), free(single);
	}
	gt_backend_close(one), gt_backend_close(three), gt_backend_close(be);
}

GT_TEST(limits)
{
	gt_backend *be = gt_test_backend();
	gt_penalty *R = NULL;
	struct subject s = subject(be, GT_F64, &grids[0], 1, "");
	gt_penalty_prox(s.R, 0, -0.2, 0.3, s.z, s.x);
	ck_assert(gt_min(s.x) == -0.2 && gt_max(s.x) == 0.3);
	ck_refused(gt_regularizer_new("wavelet:levels=9", be, GT_F32, &grids[0], NULL, &R), GT_ERR_ARG, "levels=9");
	ck_refused(gt_regularizer_new("wavelet:filter=db5", be, GT_F32, &grids[0], NULL, &R), GT_ERR_ARG, "db5");
	ck_refused(gt_regularizer_new("wavelet", be, GT_F64, &grids[0], s.z, &R), GT_ERR_UNSUPPORTED,
	           "wavelet: no weights per voxel (kappa)");
	/* The last level with more than mirror images; 2 slices suffice for one. */
	static const struct {
		size_t n[3];
		const char *spec, *text;
	} short_axes[] = {
		{ { 40, 40, 3 }, "wavelet", "penalty 'wavelet': levels=3 on 3 slices: expected at most levels=2" },
		{ { 40, 2, 30 }, "wavelet:levels=2", "levels=2 on 2 voxels along y: expected at most levels=1" },
		{ { 8, 40, 1 }, "wavelet:levels=4", "levels=4 on 8 voxels along x: expected at most levels=3" },
		{ { 9, 1, 1 }, "wavelet:levels=4", NULL },
		{ { 5, 6, 3 }, "wavelet:levels=2,filter=db4", NULL },
		{ { 2, 2, 2 }, "wavelet:levels=1", NULL },
		{ { 1, 1, 1 }, "wavelet:levels=8", NULL },
	};
	for (size_t k = 0; k < sizeof short_axes / sizeof *short_axes; k++) {
		gt_grid g = { { 0, 0, 0 }, { 1, 1, 1 }, { 0, 0, 0 } };
		memcpy(g.n, short_axes[k].n, sizeof g.n);
		const gt_status st = gt_regularizer_new(short_axes[k].spec, be, GT_F32, &g, NULL, &R);
		if (short_axes[k].text)
			ck_refused(st, GT_ERR_ARG, short_axes[k].text);
		else
			ck_ok(st);
		if (st == GT_OK)
			gt_penalty_free(R);
	}
	ck_assert_uint_eq(gt_penalty_has(s.R), GT_HAS_PROX);
	gt_penalty_prox(s.R, -1, 0, 1, s.z, s.x);
	ck_refused(gt_backend_status(be), GT_ERR_ARG, "wavelet: proximal step of -1");
	drop(&s);
	gt_backend_close(be);
}

int main(void) { return gt_test_main("wavelet", NULL); }
