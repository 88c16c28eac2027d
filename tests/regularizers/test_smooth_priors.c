/* Smooth penalties: the gradient against differences of the value, majorizers, lines, precisions, threads, memory.
 * labels: unit property */
#include "tests/regularizers/smooth_model.h"

/* More than one tile along each axis. */
static const gt_grid large = { { 37, 19, 11 }, { 0.7, 1.1, 2.3 }, { 0, 0, 0 } };

/* Runs check for every spec on every grid, on one backend. */
static void for_all(void (*check)(struct prior *p))
{
	gt_backend *be = gt_test_backend();
	for (int i = 0; i < SPECS * GRIDS; i++) {
		struct prior p = prior_on(be, GT_F64, specs[i % SPECS], &grids[i / SPECS]);
		check(&p);
		prior_free(&p);
		ck_assert_uint_eq(gt_test_counters(be).bytes, 0);
	}
	gt_backend_close(be);
}

static void gradient_fits(struct prior *p)
{
	const double h = 1e-3;
	double *point = calloc(p->n, sizeof *point), max = 0, off = 0;
	gt_fill(0.25, p->g); /* accumulates */
	gt_penalty_gradient(p->R, p->x, p->g, NULL);
	double *g = gt_test_values(p->g);
	for (size_t i = 0; i < p->n; i += 1 + p->n / 25) {
		point[i] = 1;
		gt_array_put(point, p->u);
		point[i] = 0;
		const double slope = (8 * (at(p, p->x, h, p->u) - at(p, p->x, -h, p->u)) - at(p, p->x, 2 * h, p->u) +
		                      at(p, p->x, -2 * h, p->u)) /
		                     (12 * h);
		off = fmax(off, fabs(g[i] - 0.25 - slope));
		max = fmax(max, fabs(slope));
	}
	ck_assert_msg(max > 0.01 && off < 1e-6 * max, "%s: %g off of %g", gt_penalty_name(p->R), off, max);
	free(point), free(g);
}

GT_TEST(gradients) { for_all(gradient_fits); }

static void majorizers_fit(struct prior *p)
{
	gt_array *all, *scaled;
	ck_ok(gt_array_like(p->x, &all));
	ck_ok(gt_array_like(p->x, &scaled));
	gt_fill(0, all);
	gt_penalty_gradient(p->R, p->x, p->g, p->d);
	gt_penalty_majorize(p->R, all);
	ck_assert_double_gt(gt_min(p->d), 0);
	const double here = gt_penalty_value(p->R, p->x);
	double min = INFINITY;
	for (unsigned seed = 3; seed < 11; seed++) {
		gt_array *h = gt_test_array(p->be, GT_F64, p->n, seed);
		for (double length = 4; length > 1e-3; length /= 4) {
			gt_array *const bounds[] = { p->d, all };
			const double there = at(p, p->x, length, h), slope = length * gt_dot(p->g, h);
			for (int k = 0; k < 2; k++) {
				const double slack = here + slope + length * length / 2 * gt_weighted_norm2(h, bounds[k]) - there;
				ck_assert_msg(slack >= -1e-12 * (here + there), "%s: %g below", gt_penalty_name(p->R), -slack);
				min = k ? min : fmin(min, slack);
			}
		}
		gt_array_free(h);
	}
	ck_assert_double_lt(min, 1);
	/* The majorizer of all x is the largest. */
	gt_sub_clamped(all, -INFINITY, INFINITY, p->d);
	ck_assert_double_ge(gt_min(p->d), -1e-12 * gt_max(all));
	gt_array_free(all), gt_array_free(scaled);
}

GT_TEST(majorizers) { for_all(majorizers_fit); }

static void line_fits(struct prior *p)
{
	for (double a = -0.9; a < 1; a += 0.8) {
		double slope, curvature;
		const double h = 1e-3, here = at(p, p->x, a, p->u);
		gt_penalty_line(p->R, p->x, p->u, a, &slope, &curvature);
		const double up = at(p, p->x, a + h, p->u) - at(p, p->x, a - h, p->u),
			     far = at(p, p->x, a + 2 * h, p->u) - at(p, p->x, a - 2 * h, p->u), found = (8 * up - far) / (12 * h);
		ck_assert_msg(fabs(slope - found) <= 1e-6 * (fabs(found) + here), "%s: slope %g, not %g", gt_penalty_name(p->R), slope,
		              found);
		for (double b = -3; b < 3; b += 0.37)
			ck_assert_double_ge(here + slope * b + curvature * b * b / 2, at(p, p->x, a + b, p->u) * (1 - 1e-12));
	}
}

GT_TEST(lines) { for_all(line_fits); }

/* Flat volumes have value and gradient 0, unless a prior image is not flat. */
static void flat_is_free(struct prior *p)
{
	if (!strcmp(gt_penalty_name(p->R), "piccs"))
		return;
	gt_fill(0.7, p->x);
	ck_assert_double_le(fabs(gt_penalty_value(p->R, p->x)), 1e-13);
	gt_penalty_gradient(p->R, p->x, p->g, NULL);
	ck_assert_double_le(fmax(gt_max(p->g), -gt_min(p->g)), 1e-13);
}

GT_TEST(flat_volumes) { for_all(flat_is_free); }

/* Returns value, slope, curvature, gradient, majorizer as one malloc'ed vector. */
static double *all_of(gt_backend *be, gt_type type, const char *spec, size_t *n)
{
	struct prior p = prior_on(be, type, spec, &large);
	double *all = malloc((3 + 3 * p.n) * sizeof *all);
	const gt_counters before = gt_test_counters(be);
	all[0] = gt_penalty_value(p.R, p.x);
	gt_penalty_line(p.R, p.x, p.u, 0.4, &all[1], &all[2]);
	gt_penalty_gradient(p.R, p.x, p.g, p.d);
	gt_fill(0, p.u);
	gt_penalty_majorize(p.R, p.u);
	const gt_counters after = gt_test_counters(be);
	ck_assert_uint_eq(after.allocations, before.allocations);
	ck_assert_uint_eq(after.puts + after.gets, before.puts + before.gets);
	gt_array *const arrays[] = { p.g, p.d, p.u };
	for (size_t k = 0; k < 3; k++) {
		double *values = gt_test_values(arrays[k]);
		memcpy(all + 3 + k * p.n, values, p.n * sizeof *values);
		free(values);
	}
	*n = p.n;
	prior_free(&p);
	return all;
}

static void check_same(const double *a, const double *b, size_t n, double tolerance, const char *what)
{
	for (size_t i = 0; i < 3; i++)
		ck_assert_msg(fabs(a[i] - b[i]) <= tolerance * (fabs(b[i]) + fabs(b[2])), "%s: number %zu is %.15g, not %.15g", what, i,
		              a[i], b[i]);
	for (size_t k = 0; k < 3; k++)
		ck_assert_msg(gt_test_farthest(a + 3 + k * n, b + 3 + k * n, n) <= tolerance, "%s: array %zu is off", what, k);
}

GT_TEST(same_everywhere)
{
	gt_backend *one, *three, *be = gt_test_backend();
	size_t n;
	ck_ok(gt_backend_open("cpu:1", &one));
	ck_ok(gt_backend_open("cpu:3", &three));
	for (int i = 0; i < SPECS; i++) {
		double *want = all_of(one, GT_F64, specs[i], &n), *threads = all_of(three, GT_F64, specs[i], &n);
		ck_assert_mem_eq(want, threads, (3 + 3 * n) * sizeof *want);
		for (gt_type type = GT_F32; type <= GT_F64; type++) {
			double *here = all_of(be, type, specs[i], &n), *again = all_of(be, type, specs[i], &n);
			ck_assert_mem_eq(here, again, (3 + 3 * n) * sizeof *here);
			check_same(here, want, n, type == GT_F64 ? 1e-11 : 2e-5, specs[i]);
			free(here), free(again);
		}
		free(want), free(threads);
	}
	gt_backend_close(one), gt_backend_close(three), gt_backend_close(be);
}

GT_TEST(adaptive_value)
{
	gt_backend *be = gt_test_backend();
	for (int i = 0; i < GRIDS; i++) {
		struct prior p = prior_on(be, GT_F64, specs[0], &grids[i]);
		double *x = gt_test_values(p.x);
		const double want = 1.7 * awtv(&grids[i], x, 0.8, 0.3);
		ck_assert_double_eq_tol(gt_penalty_value(p.R, p.x), want, 1e-12 * want);
		ck_assert(!gt_penalty_is_convex(p.R));
		free(x);
		prior_free(&p);
	}
	gt_backend_close(be);
}

GT_TEST(wrong_input_is_refused)
{
	gt_backend *be = gt_test_backend();
	gt_penalty *R = NULL;
	struct prior p = prior_on(be, GT_F32, specs[0], &grids[0]);
	gt_array *small = gt_test_array(be, GT_F32, 9, 1), *twice = gt_test_array(be, GT_F64, p.n, 1);
	ck_refused(gt_regularizer_new("awtv:delta=0", be, GT_F32, &grids[0], NULL, &R), GT_ERR_ARG, "delta=0");
	ck_refused(gt_regularizer_new("awtv", be, GT_F32, &grids[0], p.x, &R), GT_ERR_UNSUPPORTED, "kappa");
	ck_assert(isnan(gt_penalty_value(p.R, small)));
	ck_refused(gt_backend_status(be), GT_ERR_ARG, "awtv is for 210 single values");
	gt_penalty_gradient(p.R, p.x, twice, NULL);
	ck_refused(gt_backend_status(be), GT_ERR_ARG, "double");
	gt_array_free(small), gt_array_free(twice);
	prior_free(&p);
	gt_backend_close(be);
}

int main(void) { return gt_test_main("smooth priors", NULL); }
