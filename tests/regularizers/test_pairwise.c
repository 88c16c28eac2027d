/* Penalties of pairs against loops over all pairs, finite differences and their majorizers. They are symmetric, and
 * equal in every precision, on every backend, for any number of threads.
 * labels: unit property */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/regularizer.h>
#include "tests/support/images.h"
#include "tests/support/support.h"

/* Every potential by its definition, with delta (or c) = 0.3 and differences of up to 2. */
static const double DELTA = 0.3;
static double quadratic(double t) { return t * t / 2; }
static double huber(double t) { return fabs(t) <= DELTA ? t * t / 2 : DELTA * (fabs(t) - DELTA / 2); }
static double hyperbola(double t) { return DELTA * DELTA * (sqrt(1 + t * t / DELTA / DELTA) - 1); }
static double fair(double t) { return DELTA * DELTA * (fabs(t) / DELTA - log(1 + fabs(t) / DELTA)); }
static double logcosh(double t) { return DELTA * DELTA * log(cosh(t / DELTA)); }
static double qggmrf(double t) { return t * t / 2 / (1 + pow(fabs(t) / DELTA, 0.8)); }
static double qggmrf_p(double t)
{
	const double p = 1.6, q = 1.1, s = fabs(t) / DELTA, u = s > 0.01 ? s : 0.01, w = pow(u, p - q), psi = pow(u, p) / 2 / (1 + w);
	const double c = pow(u, p - 2) * (p + q * w) / 2 / (1 + w) / (1 + w), min = pow(0.01, p - q);
	const double c0 = pow(0.01, p - 2) * (p + q * min) / 2 / (1 + min) / (1 + min);
	return DELTA * DELTA * (psi - c * (u * u - s * s) / 2 - pow(0.01, p) / 2 / (1 + min) + c0 * 0.01 * 0.01 / 2);
}

static const struct {
	const char *spec;
	double (*psi)(double);
} kinds[] = {
	{ "quadratic", quadratic },
	{ "huber:delta=0.3", huber },
	{ "hyperbola:delta=0.3", hyperbola },
	{ "fair:delta=0.3", fair },
	{ "logcosh:delta=0.3", logcosh },
	{ "qggmrf:c=0.3", qggmrf },
	{ "qggmrf:c=0.3,p=1.6,q=1.1", qggmrf_p },
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static const gt_grid grids[] = {
	{ { 7, 5, 4 }, { 0.7, 1.1, 2.3 }, { 3, -2, 1 } }, { { 1, 6, 5 }, { 0.7, 1.3, 0.4 }, { 0, 0, 0 } },
	{ { 9, 1, 3 }, { 0.5, 1.3, 0.9 }, { 0, 0, 0 } },  { { 33, 18, 1 }, { 0.5, 0.6, 0.9 }, { 0, 0, 0 } },
	{ { 1, 1, 35 }, { 1, 2, 3 }, { 0, 0, 0 } },
};
enum { GRIDS = sizeof grids / sizeof *grids };
/* More than one tile, block and chunk of every kernel along each axis. */
static const gt_grid large[] = { { { 67, 21, 37 }, { 0.7, 1.1, 2.3 }, { 0, 0, 0 } }, { { 269, 5, 3 }, { 0.7, 1.1, 2.3 }, { 0, 0, 0 } } };

struct prior {
	gt_backend *be;
	gt_grid grid;
	size_t n;
	gt_type type;
	int wide;
	double strength;
	double (*psi)(double);
	gt_array *kappa;
	gt_penalty *R;
};

static gt_array *array(const struct prior *p, unsigned seed) { return gt_test_array(p->be, p->type, p->n, seed); }

/* kappa: 0.2 to 1, or none. */
static gt_array *kappa_of(const struct prior *p)
{
	gt_array *kappa = array(p, 77), *one = array(p, 78);
	gt_fill(0.6, one);
	gt_scale(0.4, kappa);
	gt_axpy(1, one, kappa);
	gt_array_free(one);
	return kappa;
}

static struct prior prior_on(gt_backend *be, gt_type type, int kind, gt_grid grid, int wide, int with_kappa, double strength)
{
	char spec[128];
	struct prior p = { be, grid, gt_grid_voxels(&grid), type, wide, strength, kinds[kind].psi, NULL, NULL };
	snprintf(spec, sizeof spec, "%s%cneighbours=%d,strength=%g", kinds[kind].spec, strchr(kinds[kind].spec, ':') ? ',' : ':',
	         wide ? 26 : 6, strength);
	p.kappa = with_kappa ? kappa_of(&p) : NULL;
	ck_ok(gt_regularizer_new(spec, be, type, &grid, p.kappa, &p.R));
	return p;
}

static void prior_free(struct prior *p)
{
	gt_penalty_free(p->R);
	gt_array_free(p->kappa);
}

/* Case i of all kinds, grids and neighbourhoods, with and without kappa. */
enum { CASES = KINDS * GRIDS * 4 };
static struct prior prior_of(gt_backend *be, int i)
{
	return prior_on(be, GT_F64, i % KINDS, grids[i / KINDS % GRIDS], i / KINDS / GRIDS % 2, i / KINDS / GRIDS / 2, 1.7);
}

static double value_of(const struct prior *p, const double *host, gt_array *x)
{
	gt_array_put(host, x);
	return gt_penalty_value(p->R, x);
}

/* By the definition: value, and the majorizer 2 sum of w psi'(t)/t by differences of psi. */
static double by_the_book(const struct prior *p, const double *x, const double *kappa, double *d)
{
	const gt_grid *g = &p->grid;
	double total = 0, sum = 0;
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < p->n; i++)
			for (int o = 0; o < 27; o++) {
				const int by[3] = { o % 3 - 1, o / 3 % 3 - 1, o / 9 - 1 };
				const ptrdiff_t at[3] = { (ptrdiff_t)(i % g->n[0]), (ptrdiff_t)(i / g->n[0] % g->n[1]),
					                  (ptrdiff_t)(i / g->n[0] / g->n[1]) };
				const double mm = hypot(hypot(by[0] * g->pitch[0], by[1] * g->pitch[1]), by[2] * g->pitch[2]);
				ptrdiff_t k = 0;
				int inside = 1;
				if (o == 13 || (!p->wide && abs(by[0]) + abs(by[1]) + abs(by[2]) > 1))
					continue;
				if (pass == 0) {
					total += i == 0 ? 1 / mm : 0;
					continue;
				}
				for (int a = 2; a >= 0; a--) {
					inside = inside && at[a] + by[a] >= 0 && at[a] + by[a] < (ptrdiff_t)g->n[a];
					k = k * (ptrdiff_t)g->n[a] + at[a] + by[a];
				}
				if (!inside)
					continue;
				const double w = p->strength / mm / total * (kappa ? kappa[i] * kappa[k] : 1), t = x[i] - x[k], h = 1e-6;
				sum += w * p->psi(t) / 2;
				d[i] += 2 * w * (p->psi(t + h) - p->psi(t - h)) / (2 * h * t);
			}
	return sum;
}

static void sums_over_pairs_of(int which)
{
	gt_backend *be = gt_test_backend();
	struct prior p = prior_of(be, which);
	gt_array *x = array(&p, 1), *g = array(&p, 2), *d = array(&p, 3);
	double *X = gt_test_values(x), *K = p.kappa ? gt_test_values(p.kappa) : NULL, *before = gt_test_values(d);
	const double book = by_the_book(&p, X, K, before), value = gt_penalty_value(p.R, x);
	ck_assert_msg(fabs(value - book) <= 1e-12 * book, "%s: %.15g, not %.15g", gt_penalty_name(p.R), value, book);
	gt_penalty_gradient(p.R, x, g, d);
	double *D = gt_test_values(d);
	ck_assert_double_le(gt_test_farthest(D, before, p.n), 1e-6);
	ck_assert_int_eq(gt_penalty_is_convex(p.R), 1);
	ck_assert_uint_eq(gt_penalty_has(p.R), GT_HAS_GRADIENT | GT_HAS_LINE);
	ck_ok(gt_backend_status(be));
	free(X), free(K), free(before), free(D);
	gt_array_free(x), gt_array_free(g), gt_array_free(d);
	prior_free(&p);
	ck_assert_uint_eq(gt_test_counters(be).bytes, 0);
	gt_backend_close(be);
}
GT_TEST_ALL(sums_over_pairs, CASES)

static void gradient_by_differences_of(int which)
{
	gt_backend *be = gt_test_backend();
	struct prior p = prior_of(be, which);
	gt_array *x = array(&p, 4), *g = array(&p, 5);
	double *X = gt_test_values(x), *before = gt_test_values(g), max = 0, off = 0;
	const double h = 1e-6;
	gt_penalty_gradient(p.R, x, g, NULL);
	double *G = gt_test_values(g);
	for (size_t i = 0; i < p.n; i++)
		max = fmax(max, fabs(G[i] - before[i]));
	for (size_t i = 0; i < p.n; i += 1 + p.n / 40) {
		const double at = X[i];
		X[i] = at + h;
		const double up = value_of(&p, X, x);
		X[i] = at - h;
		const double slope = (up - value_of(&p, X, x)) / (2 * h);
		X[i] = at;
		off = fmax(off, fabs(G[i] - before[i] - slope));
	}
	ck_assert_msg(off <= 1e-6 * max, "%s: %g off of %g", gt_penalty_name(p.R), off, max);
	free(X), free(before), free(G);
	gt_array_free(x), gt_array_free(g);
	prior_free(&p);
	gt_backend_close(be);
}
GT_TEST_ALL(gradient_by_differences, CASES)

/* R(u) against the parabola at x with curvatures d, for several step lengths. */
static void check_above(const struct prior *p, gt_array *x, const gt_array *g, const gt_array *d, const char *what)
{
	const double value = gt_penalty_value(p->R, x);
	gt_array *u = array(p, 8), *step = array(p, 9);
	for (double length = 2; length > 1e-4; length *= 0.2) {
		gt_copy(x, u);
		gt_axpy(length, step, u);
		const double there = gt_penalty_value(p->R, u), slope = length * gt_dot(g, step);
		gt_copy(step, u);
		gt_mul(d, u);
		const double above = value + slope + length * length / 2 * gt_dot(u, step);
		ck_assert_msg(there <= above + 1e-12 * value, "%s, %s: %.15g above %.15g", gt_penalty_name(p->R), what, there, above);
	}
	gt_array_free(u), gt_array_free(step);
}

static void majorizers_majorize_of(int which)
{
	gt_backend *be = gt_test_backend();
	struct prior p = prior_of(be, which);
	gt_array *x = array(&p, 6), *g = array(&p, 7), *d = array(&p, 7), *all = array(&p, 7);
	for (double size = 1; size > 1e-3; size *= 0.1) {
		gt_scale(size, x);
		gt_fill(0, g), gt_fill(0, d), gt_fill(0, all);
		gt_penalty_gradient(p.R, x, g, d);
		gt_penalty_majorize(p.R, all);
		check_above(&p, x, g, d, "at x");
		check_above(&p, x, g, all, "everywhere");
		double *D = gt_test_values(d), *A = gt_test_values(all);
		for (size_t i = 0; i < p.n; i++)
			ck_assert_double_le(D[i], A[i] * (1 + 1e-12));
		if (p.psi == quadratic)
			ck_assert_double_le(gt_test_farthest(D, A, p.n), 1e-14);
		free(D), free(A);
	}
	gt_fill(0, x), gt_fill(0, d);
	gt_penalty_gradient(p.R, x, g, d); /* all differences are 0: finite, and the majorizer of all x */
	double *D = gt_test_values(d), *A = gt_test_values(all);
	ck_assert_double_le(gt_test_farthest(D, A, p.n), 1e-14);
	free(D), free(A);
	gt_array_free(x), gt_array_free(g), gt_array_free(d), gt_array_free(all);
	prior_free(&p);
	gt_backend_close(be);
}
GT_TEST_ALL(majorizers_majorize, CASES)

static void lines_of(int which)
{
	static const double places[] = { 0, 0.7, -1.3 };
	gt_backend *be = gt_test_backend();
	struct prior p = prior_of(be, which);
	gt_array *x = array(&p, 10), *direction = array(&p, 11), *u = array(&p, 12);
	for (size_t i = 0; i < 3; i++) {
		double slope, curvature, value[2];
		const double a = places[i], h = 1e-6;
		gt_penalty_line(p.R, x, direction, a, &slope, &curvature);
		for (int k = 0; k < 2; k++) {
			gt_copy(x, u);
			gt_axpy(a + (k ? h : -h), direction, u);
			value[k] = gt_penalty_value(p.R, u);
		}
		ck_assert_double_le(fabs(slope - (value[1] - value[0]) / (2 * h)), 2e-7 * (value[0] + curvature));
		const double middle = (value[0] + value[1]) / 2;
		for (double by = -3; by < 3.5; by += 0.5) {
			gt_copy(x, u);
			gt_axpy(a + by, direction, u);
			const double there = gt_penalty_value(p.R, u), above = middle + slope * by + curvature / 2 * by * by;
			ck_assert_msg(there <= above * (1 + 1e-9), "%s: %.12g above %.12g", gt_penalty_name(p.R), there, above);
			if (p.psi == quadratic)
				ck_assert_double_le(fabs(there - above), 1e-9 * above);
		}
	}
	gt_array_free(x), gt_array_free(direction), gt_array_free(u);
	prior_free(&p);
	gt_backend_close(be);
}
GT_TEST_ALL(lines, CASES)

/* All results of a penalty for random x, as one vector: value, slope, curvature, gradient, majorizers. */
static double *all_of(const struct prior *p, size_t *n)
{
	gt_array *x = array(p, 20), *direction = array(p, 21), *part[3];
	double *all = malloc((3 + 3 * p->n) * sizeof *all);
	ck_assert_ptr_nonnull(all);
	for (int k = 0; k < 3; k++) {
		part[k] = array(p, 22);
		gt_fill(0, part[k]);
	}
	const gt_counters before = gt_test_counters(p->be);
	all[0] = gt_penalty_value(p->R, x);
	gt_penalty_line(p->R, x, direction, 0.4, &all[1], &all[2]);
	gt_penalty_gradient(p->R, x, part[0], part[1]);
	gt_penalty_majorize(p->R, part[2]);
	const gt_counters after = gt_test_counters(p->be);
	ck_assert_uint_eq(after.allocations, before.allocations);
	ck_assert_uint_eq(after.puts + after.gets, before.puts + before.gets);
	for (size_t k = 0; k < 3; k++) {
		double *values = gt_test_values(part[k]);
		memcpy(all + 3 + k * p->n, values, p->n * sizeof *values);
		free(values);
		gt_array_free(part[k]);
	}
	gt_array_free(x), gt_array_free(direction);
	ck_ok(gt_backend_status(p->be));
	*n = 3 + 3 * p->n;
	return all;
}

static void check_same(const double *a, const double *b, size_t n, double tolerance, const char *what)
{
	for (size_t i = 0; i < 3; i++)
		ck_assert_msg(fabs(a[i] - b[i]) <= tolerance * (fabs(b[i]) + fabs(b[2])), "%s: number %zu is %.15g, not %.15g", what, i,
		              a[i], b[i]);
	for (size_t k = 0; k < 3; k++) {
		const double off = gt_test_farthest(a + 3 + k * (n - 3) / 3, b + 3 + k * (n - 3) / 3, (n - 3) / 3);
		ck_assert_msg(off <= tolerance, "%s: array %zu is %g off", what, k, off);
	}
}

/* The backend in both precisions against the CPU in double. */
static void same_everywhere_of(int which)
{
	const int kind = which % KINDS, wide = which / KINDS % 2, with_kappa = which / KINDS / 2 % 2, size = which / KINDS / 4;
	gt_backend *cpu = NULL, *be = gt_test_backend();
	size_t n;
	ck_ok(gt_backend_open("cpu:1", &cpu));
	struct prior p = prior_on(cpu, GT_F64, kind, large[size], wide, with_kappa, 1.7);
	double *reference = all_of(&p, &n);
	prior_free(&p);
	for (gt_type type = GT_F32; type <= GT_F64; type++) {
		p = prior_on(be, type, kind, large[size], wide, with_kappa, 1.7);
		double *here = all_of(&p, &n);
		check_same(here, reference, n, type == GT_F64 ? 1e-11 : gt_test_is_gpu() ? 1e-5 : 2e-6, gt_penalty_name(p.R));
		free(here);
		prior_free(&p);
	}
	free(reference);
	gt_backend_close(cpu);
	gt_backend_close(be);
}
GT_TEST_ALL(same_everywhere, 8 * KINDS)

GT_TEST(any_number_of_threads)
{
	static const char *const names[] = { "cpu:1", "cpu:2", "cpu:7" };
	double *all[3];
	size_t n;
	for (int i = 0; i < 3; i++) {
		gt_backend *be = NULL;
		ck_ok(gt_backend_open(names[i], &be));
		struct prior p = prior_on(be, GT_F32, 5, large[0], 1, 1, 1);
		all[i] = all_of(&p, &n);
		prior_free(&p);
		gt_backend_close(be);
	}
	ck_assert_int_eq(memcmp(all[0], all[1], n * sizeof **all), 0);
	ck_assert_int_eq(memcmp(all[0], all[2], n * sizeof **all), 0);
	free(all[0]), free(all[1]), free(all[2]);
}

GT_TEST(runs_repeat)
{
	gt_backend *be = gt_test_backend();
	struct prior p = prior_on(be, GT_F32, 5, large[0], 1, 0, 1);
	size_t n;
	double *a = all_of(&p, &n), *b = all_of(&p, &n);
	ck_assert_int_eq(memcmp(a, b, n * sizeof *a), 0);
	free(a), free(b);
	prior_free(&p);
	gt_backend_close(be);
}

static void strength_is_a_factor_of(int which)
{
	gt_backend *be = gt_test_backend();
	struct prior one = prior_on(be, GT_F64, which, grids[0], 1, 1, 1), many = prior_on(be, GT_F64, which, grids[0], 1, 1, 350),
		     none = prior_on(be, GT_F64, which, grids[0], 1, 1, 0);
	size_t n;
	double *a = all_of(&one, &n), *b = all_of(&many, &n), *zero = all_of(&none, &n);
	for (size_t i = 0; i < n; i++) {
		a[i] *= 350;
		ck_assert_double_eq(zero[i], 0);
	}
	check_same(b, a, n, 1e-13, "350 times");
	free(a), free(b), free(zero);
	prior_free(&one), prior_free(&many), prior_free(&none);
	gt_backend_close(be);
}
GT_TEST_ALL(strength_is_a_factor, KINDS)

/* Maps voxel i of `from` under a permutation of the axes and flips by bits. */
static size_t moved(size_t i, const gt_grid *from, const gt_grid *to, const int order[3], int flips)
{
	const size_t at[3] = { i % from->n[0], i / from->n[0] % from->n[1], i / from->n[0] / from->n[1] };
	size_t k = 0;
	for (int a = 2; a >= 0; a--) {
		const size_t place = at[order[a]];
		k = k * to->n[a] + (flips >> a & 1 ? to->n[a] - 1 - place : place);
	}
	return k;
}

static gt_array *move(const struct prior *p, const gt_array *from, const struct prior *to, const int order[3], int flips)
{
	gt_array *out = array(to, 1);
	double *host = gt_test_values(from), *there = malloc(p->n * sizeof *there);
	ck_assert_ptr_nonnull(there);
	for (size_t i = 0; i < p->n; i++)
		there[moved(i, &p->grid, &to->grid, order, flips)] = host[i];
	gt_array_put(there, out);
	free(host), free(there);
	return out;
}

static void axes_are_alike_of(int which)
{
	static const int orders[6][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
	gt_backend *be = gt_test_backend();
	for (int i = 0; i < 12; i++) {
		const int *order = orders[i % 6], flips = (which + 3 * i) % 8;
		gt_grid other = grids[0];
		for (int a = 0; a < 3; a++) {
			other.n[a] = grids[0].n[order[a]];
			other.pitch[a] = grids[0].pitch[order[a]];
		}
		struct prior p = prior_on(be, GT_F64, which % KINDS, grids[0], which / KINDS, 0, 1.3);
		struct prior q = prior_on(be, GT_F64, which % KINDS, other, which / KINDS, 0, 1.3);
		gt_array *x = array(&p, 30), *g = array(&p, 31), *y = move(&p, x, &q, order, flips), *h = move(&p, g, &q, order, flips);
		ck_assert_double_eq_tol(gt_penalty_value(p.R, x), gt_penalty_value(q.R, y), 1e-12 * gt_penalty_value(p.R, x));
		gt_array *d = array(&p, 32), *e = move(&p, d, &q, order, flips);
		gt_penalty_gradient(p.R, x, g, d);
		gt_penalty_gradient(q.R, y, h, e);
		gt_array *expected[] = { move(&p, g, &q, order, flips), move(&p, d, &q, order, flips) }, *found[] = { h, e };
		for (int k = 0; k < 2; k++)
			ck_assert_double_le(sqrt(gt_distance2(expected[k], found[k]) / gt_dot(found[k], found[k])), 1e-13);
		gt_array_free(expected[0]), gt_array_free(expected[1]);
		gt_array_free(x), gt_array_free(g), gt_array_free(d), gt_array_free(y), gt_array_free(h), gt_array_free(e);
		prior_free(&p), prior_free(&q);
	}
	gt_backend_close(be);
}
GT_TEST_ALL(axes_are_alike, 2 * KINDS)

/* The weights of an inner voxel's neighbours sum to 1; 10HU is 2e-4. */
GT_TEST(units)
{
	gt_backend *be = gt_test_backend();
	double *host = calloc(105, sizeof *host);
	const gt_grid grid = { { 5, 3, 7 }, { 0.4, 1.7, 0.9 }, { 0, 0, 0 } };
	for (int wide = 0; wide < 2; wide++) {
		struct prior p = prior_on(be, GT_F64, 0, grid, wide, 0, 2);
		gt_array *x = array(&p, 1);
		host[3 * 15 + 1 * 5 + 2] = 1;
		ck_assert_double_eq_tol(value_of(&p, host, x), 1, 1e-14);
		gt_array_free(x);
		prior_free(&p);
	}
	gt_penalty *a = NULL, *b = NULL;
	gt_array *x = gt_test_array(be, GT_F64, 105, 3);
	gt_scale(1e-3, x);
	ck_ok(gt_regularizer_new("huber:delta=10HU", be, GT_F64, &grid, NULL, &a));
	ck_ok(gt_regularizer_new("huber:delta=2e-4", be, GT_F64, &grid, NULL, &b));
	ck_assert_double_eq_tol(gt_penalty_value(a, x), gt_penalty_value(b, x), 1e-14 * gt_penalty_value(a, x));
	gt_penalty_free(a), gt_penalty_free(b);
	gt_array_free(x);
	free(host);
	gt_backend_close(be);
}

static const struct {
	const char *spec, *message;
} wrong[] = {
	{ "qggmrf:p=1.1,q=1.2", "q=1.2 with p=1.1: expected q of at most p" },
	{ "qggmrf:q=0.9", "q=0.9: expected a number from 1 to 2" },
	{ "qggmrf:p=2.1", "p=2.1: expected a number from 1 to 2" },
	{ "qggmrf:p=nan", "p=nan: expected" },
	{ "qggmrf:delta=1", "unknown parameter 'delta'" },
	{ "qggmrf:c=0", "c=0: expected" },
	{ "huber:delta=0HU", "delta=0HU: expected" },
	{ "huber:delta=-1", "delta=-1: expected" },
	{ "fair:delta=10 HU", "delta=10 HU: expected" },
	{ "hyperbola:strength=-1", "strength=-1: expected" },
	{ "logcosh:strength=inf", "strength=inf: expected" },
	{ "quadratic:delta=1", "unknown parameter 'delta'" },
	{ "quadratic:neighbours=18", "neighbours=18: expected one of 6, 26" },
};

static void refuses_parameters_of(int which)
{
	gt_backend *be = gt_test_backend();
	gt_penalty *R = NULL;
	ck_refused(gt_regularizer_new(wrong[which].spec, be, GT_F32, &grids[0], NULL, &R), GT_ERR_ARG, wrong[which].message);
	ck_assert_ptr_null(R);
	ck_assert_uint_eq(gt_test_counters(be).bytes, 0);
	gt_backend_close(be);
}
GT_TEST_ALL(refuses_parameters, (int)(sizeof wrong / sizeof *wrong))

GT_TEST(refuses_arrays)
{
	gt_backend *be = gt_test_backend();
	struct prior p = prior_on(be, GT_F32, 1, grids[0], 1, 0, 1);
	gt_array *x = array(&p, 1), *small = gt_test_array(be, GT_F32, p.n - 1, 1), *twice = gt_test_array(be, GT_F64, p.n, 1);
	gt_penalty *R = NULL;
	double slope, curvature;
	ck_refused(gt_regularizer_new("huber", be, GT_F32, &grids[0], small, &R), GT_ERR_ARG, "kappa has 139 values");
	ck_assert(isnan(gt_penalty_value(p.R, small)));
	ck_refused(gt_backend_status(be), GT_ERR_ARG, "huber: the volume has 139 single values");
	gt_penalty_gradient(p.R, x, twice, NULL);
	ck_refused(gt_backend_status(be), GT_ERR_ARG, "huber: the gradient has 140 double values");
	gt_penalty_gradient(p.R, x, x, small);
	ck_refused(gt_backend_status(be), GT_ERR_ARG, "huber: the majorizer");
	gt_penalty_majorize(p.R, twice);
	ck_refused(gt_backend_status(be), GT_ERR_ARG, "huber: the majorizer");
	gt_penalty_line(p.R, x, small, 1, &slope, &curvature);
	ck_assert(isnan(slope) && isnan(curvature));
	ck_refused(gt_backend_status(be), GT_ERR_ARG, "huber: the direction");
	gt_array_free(x), gt_array_free(small), gt_array_free(twice);
	prior_free(&p);
	gt_backend_close(be);
}

int main(void) { return gt_test_main("pairwise", NULL); }
