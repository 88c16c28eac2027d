/* Total variation: its value, and gradient, majorizers and line of the smoothed one, against plain loops in double.
 * Precisions, threads and backends agree; memory and refusals.
 * labels: unit property */
#include "tests/regularizers/tv_model.h"

/* Value, gradient, majorizer, line -------------------------------------- */

GT_TEST(plain_loops_are_transposes)
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

GT_TEST(value_is_total_variation)
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

GT_TEST(gradient_is_that_of_the_smoothed_value)
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
		for (size_t i = 0; i < n; i += 1 + n / 17) {
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

/* TV_eps(x) + <g, u - x> + 1/2 sum D (u - x)^2 - TV_eps(u) >= 0 for u near and far; D from the gradient and from
 * majorize(). */
GT_TEST(majorizers_lie_above)
{
	gt_backend *be = gt_test_backend();
	for (int k = 0; k < 2 * GRIDS; k++) {
		struct subject s = subject(be, GT_F64, &grids[k / 2], k % 2, "");
		const size_t n = s.m.voxels;
		double *x = numbers(n, 5, 1), min = INFINITY;
		put(x, s.x);
		gt_fill(0, s.g);
		gt_fill(0, s.y);
		gt_penalty_gradient(s.R, s.x, s.g, s.y);
		double *g = get(s.g), *D = get(s.y);
		gt_fill(0, s.y);
		gt_penalty_majorize(s.R, s.y);
		double *largest = get(s.y);
		for (unsigned seed = 6; seed < 18; seed++) {
			double *h = numbers(n, seed, pow(10, (double)(seed % 6) - 4)), quadratic = 0;
			for (size_t i = 0; i < n; i++) {
				/* Alternating signs: the worst case for a separable majorizer. */
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
			min = fmin(min, slack);
			free(h);
		}
		ck_assert(n == 1 || min < 1);
		free(x), free(g), free(D), free(largest);
		drop(&s);
	}
	gt_backend_close(be);
}

/* If x is constant both majorizers are equal: 2 w^2/eps per neighbour, 12/eps inside a grid of cubes. */
GT_TEST(majorizer_is_as_derived)
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

GT_TEST(line_is_slope_and_parabola)
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

/* Precisions, numbers of threads, and GPU against CPU ------ */

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

GT_TEST(single_agrees_with_double)
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

GT_TEST(any_number_of_threads_gives_the_same)
{
	const gt_grid g = { { 19, 35, 37 }, { 0.5, 0.6, 0.8 }, { 0, 0, 0 } };
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

GT_TEST(backends_agree)
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

/* Memory and refusals ---------------------------------------------------- */

GT_TEST(allocates_when_made_alone)
{
	gt_backend *be = gt_test_backend();
	const gt_grid size = { { 70, 37, 39 }, { 1, 1, 1 }, { 0, 0, 0 } }, *g = &size;
	for (int inner = 0; inner < 2; inner++) {
		const gt_counters before = gt_test_counters(be);
		gt_penalty *R;
		ck_ok(gt_regularizer_new(inner ? "tv:inner=2" : "tv:inner=0", be, GT_F32, g, NULL, &R));
		const gt_counters made = gt_test_counters(be);
		const size_t dual = inner ? 9 * gt_grid_voxels(g) * sizeof(float) : 0;
		ck_assert(made.bytes - before.bytes >= dual);
		/* and tables: a few rows per thread. */
		ck_assert_double_le((double)(made.bytes - before.bytes - dual), 65536. * (1 + gt_pool_threads(gt_backend_pool(be))));
		ck_assert(gt_penalty_is_convex(R));
		ck_assert_uint_eq(gt_penalty_has(R), GT_HAS_GRADIENT | GT_HAS_LINE | (inner ? GT_HAS_PROX : 0));
		gt_array *x = gt_test_array(be, GT_F32, gt_grid_voxels(g), 97), *y = gt_test_array(be, GT_F32, gt_grid_voxels(g), 98);
		const gt_counters start = gt_test_counters(be);
		double slope, curvature;
		gt_penalty_value(R, x);
		gt_penalty_line(R, x, y, 1, &slope, &curvature);
		gt_penalty_gradient(R, x, y, NULL);
		gt_penalty_majorize(R, y);
		if (inner)
			gt_penalty_prox(R, 0.1, 0, 1, x, y);
		const gt_counters end = gt_test_counters(be);
		ck_assert_uint_eq(start.allocations, end.allocations);
		ck_assert_uint_eq(start.puts + start.gets, end.puts + end.gets);
		ck_ok(gt_backend_status(be));
		gt_array_free(x);
		gt_array_free(y);
		gt_penalty_free(R);
		ck_assert_uint_eq(gt_test_counters(be).bytes, before.bytes);
	}
	gt_backend_close(be);
}

GT_TEST(wrong_input_is_refused)
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
	REFUSED("tv:x=-1", "x=-1");
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

int main(void) { return gt_test_main("tv", NULL); }
