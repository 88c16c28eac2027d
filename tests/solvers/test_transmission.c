/* Transmission likelihood: its formulas by differences and bounds, the minimiser of dense coordinate descent, a
 * monotone likelihood, and refusals.
 * labels: property */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/counts/counts.h"
#include "tests/support/head.h"
#include "tests/support/small.h"
#include "tests/support/support.h"

/* Negative log-likelihood of one ray above its minimum: counts y of mean m. */
static double ray(double l, double p, double background)
{
	const double m = exp(-l) + background, y = exp(-p) + background;
	return m - y + y * log(y / m);
}

enum { RAYS = 700 };

static void counts(enum gt_counts what, double background, const gt_array *l, const gt_array *p, const gt_array *w, double *out)
{
	gt_array *a = NULL;
	ck_ok(gt_array_like(l, &a));
	gt_counts_of(what, background, l, p, w, a);
	gt_array_get(a, out);
	gt_array_free(a);
}

/* Against the formula, finite differences, and the majorizing parabola, which is nearly tight. */
GT_TESTS(formulas_of_a_ray, 3)
{
	static const double backgrounds[] = { 0, 0.02, 0.5 };
	const double background = backgrounds[_i], h = 1e-5;
	gt_backend *be = gt_test_backend();
	gt_array *l = gt_test_array(be, GT_F64, RAYS, 1), *p = gt_test_array(be, GT_F64, RAYS, 2), *w = gt_test_array(be, GT_F64, RAYS, 3);
	double L[RAYS], P[RAYS], W[RAYS], deviance[RAYS], slope[RAYS], curvature[RAYS], fisher[RAYS];
	gt_clamp(0.01, 1, w);
	gt_array_get(l, L);
	gt_array_get(p, P);
	gt_array_get(w, W);
	for (int i = 0; i < RAYS; i++) {
		L[i] = i % 50 ? fabs(L[i]) * (i % 7) : 1e-4 * (i / 50);
		P[i] = 3 * P[i];
	}
	gt_array_put(L, l);
	gt_array_put(P, p);
	counts(GT_COUNTS_DEVIANCE, background, l, p, w, deviance);
	counts(GT_COUNTS_SLOPE, background, l, p, w, slope);
	counts(GT_COUNTS_OPTIMAL, background, l, p, NULL, curvature);
	counts(GT_COUNTS_FISHER, background, l, p, NULL, fisher);
	for (int i = 0; i < RAYS; i++) {
		const double at = ray(L[i], P[i], background), y = exp(-P[i]) + background, m = exp(-L[i]) + background;
		const double change = (ray(L[i] + h, P[i], background) - ray(L[i] - h, P[i], background)) / (2 * h);
		ck_assert_double_eq_tol(deviance[i], 2 * W[i] * at, 1e-12 * (1 + y + m));
		ck_assert_double_eq_tol(slope[i], W[i] * change, 1e-8 * (1 + y + m));
		ck_assert_double_eq_tol(fisher[i], exp(-2 * L[i]) / m, 1e-12);
		ck_assert_double_ge(curvature[i], 0);
		double tight = INFINITY;
		for (double t = 0; t < 12; t += 0.05) {
			const double off = t - L[i], parabola = at + slope[i] / W[i] * off + curvature[i] / 2 * off * off;
			const double above = parabola - ray(t, P[i], background);
			ck_assert_msg(above >= -1e-9 * (1 + y), "l=%g p=%g: %g below at %g", L[i], P[i], above, t);
			tight = fmin(tight, L[i] > 0.1 && t < 1e-9 ? above : tight);
		}
		ck_assert(curvature[i] == 0 || !(L[i] > 0.1) || tight <= 1e-9 * (1 + y));
	}
	gt_array_free(l);
	gt_array_free(p);
	gt_array_free(w);
	gt_backend_close(be);
}

/* Dense problem: line integrals, weights, matrix by rows of voxels. */
struct dense {
	size_t rays, voxels;
	double *A, *b, *w, *l; /* A: [voxel][ray]; l: of the current x */
	double background, rough, lo, hi;
};

static struct dense dense(const gt_problem *p, const gt_array *like, double background, double rough)
{
	struct dense d = { .voxels = gt_array_size(like), .background = background, .rough = rough, .lo = fmax(p->lo, 0), .hi = p->hi };
	size_t at = 0;
	for (size_t k = 0; k < p->subsets; k++)
		d.rays += gt_array_size(p->b[k]);
	d.A = calloc(d.voxels * d.rays, sizeof *d.A);
	d.b = calloc(d.rays, sizeof *d.b);
	d.w = calloc(d.rays, sizeof *d.w);
	d.l = calloc(d.rays, sizeof *d.l);
	double *unit = calloc(d.voxels, sizeof *unit);
	gt_array *e = NULL;
	ck_ok(gt_array_like(like, &e));
	for (size_t k = 0; k < p->subsets; at += gt_array_size(p->b[k++])) {
		gt_array *y = NULL;
		ck_ok(gt_array_like(p->b[k], &y));
		gt_array_get(p->b[k], d.b + at);
		for (size_t i = 0; i < gt_array_size(y); i++)
			d.w[at + i] = 1;
		if (p->w)
			gt_array_get(p->w[k], d.w + at);
		for (size_t j = 0; j < d.voxels; j++) {
			unit[j] = 1;
			gt_array_put(unit, e);
			gt_forward(p->A[k], e, y);
			gt_array_get(y, d.A + j * d.rays + at);
			unit[j] = 0;
		}
		gt_array_free(y);
	}
	gt_array_free(e);
	free(unit);
	return d;
}

static void dense_free(struct dense *d) { free(d->A), free(d->b), free(d->w), free(d->l); }

/* Slope and curvature of the cost along voxel j. */
static void along(const struct dense *d, const double *x, size_t j, double *slope, double *curvature)
{
	const double *a = d->A + j * d->rays;
	*slope = *curvature = 0;
	for (size_t i = 0; i < d->rays; i++)
		if (a[i] != 0) {
			const double e = exp(-d->l[i]), m = e + d->background, y = exp(-d->b[i]) + d->background;
			*slope += d->w[i] * a[i] * (-e + y * e / m);
			*curvature += d->w[i] * a[i] * a[i] * fmax(e * (1 - y * d->background / (m * m)), 1e-3 * e);
		}
	for (int side = -1; side <= 1; side += 2)
		if (j + 1 + (size_t)side > 0 && j + (size_t)side < d->voxels) {
			*slope += d->rough * (x[j] - x[j + (size_t)side]);
			*curvature += d->rough;
		}
}

/* Coordinate descent by Newton steps, without surrogates, operators or subsets, until no step remains. */
static void descend(struct dense *d, double *x)
{
	double max = 1;
	memset(d->l, 0, d->rays * sizeof *d->l);
	for (size_t j = 0; j < d->voxels; j++)
		for (size_t i = 0; i < d->rays; i++)
			d->l[i] += d->A[j * d->rays + i] * x[j];
	for (int sweep = 0; sweep < 2000 && max > 1e-10; sweep++) {
		max = 0;
		for (size_t j = 0; j < d->voxels; j++) {
			double slope, curvature;
			along(d, x, j, &slope, &curvature);
			const double to = fmin(fmax(x[j] - slope / curvature, d->lo), d->hi), step = to - x[j];
			for (size_t i = 0; i < d->rays; i++)
				d->l[i] += d->A[j * d->rays + i] * step;
			x[j] = to;
			max = fmax(max, fabs(step));
		}
	}
	ck_assert_double_le(max, 1e-10);
}

static const struct {
	const char *options;
	double background, rough, hi;
	int weighted, iterations;
	size_t subsets;
} cases[] = {
	{ "", 0, 40, INFINITY, 0, 900, 1 },
	{ "", 0.05, 40, 0.012, 1, 900, 1 },
	{ "curvature=current", 0.2, 40, INFINITY, 1, 900, 1 },
	{ "curvature=precomputed", 0.05, 40, INFINITY, 1, 900, 1 },
	{ "curvature=precomputed", 0, 40, INFINITY, 0, 900, 1 },
};
enum { CASES = sizeof cases / sizeof *cases };

static double cost(const struct dense *d, const gt_problem *p, const gt_array *x)
{
	double *host = malloc(d->voxels * sizeof *host), sum = p->R ? gt_penalty_value(p->R, x) : 0;
	gt_array_get(x, host);
	for (size_t i = 0; i < d->rays; i++) {
		double l = 0;
		for (size_t j = 0; j < d->voxels; j++)
			l += d->A[j * d->rays + i] * host[j];
		sum += d->w[i] * ray(l, d->b[i], d->background);
	}
	free(host);
	return sum;
}

GT_TESTS(reaches_the_minimum_that_coordinate_descent_finds, CASES)
{
	enum { COPIES = 4 };
	struct gt_small_noisy s = gt_small_noisy(NULL, GT_F64, 5, 9, cases[_i].subsets, 0.1);
	gt_problem *p = &s.p.problem;
	struct gt_small_log *l = calloc(1, sizeof *l);
	gt_array *x = gt_small_start(&s), *answer = gt_small_start(&s);
	gt_penalty *R = gt_small_rough(x, cases[_i].rough, 1);
	char text[128];
	p->w = cases[_i].weighted ? s.w : NULL;
	p->R = R;
	p->hi = cases[_i].hi;
	struct dense d = dense(p, x, cases[_i].background, cases[_i].rough);
	double *host = calloc(d.voxels, sizeof *host);
	descend(&d, host);
	gt_array_put(host, answer);
	l->copies = COPIES;
	snprintf(text, sizeof text, "iterations=%d,background=%g%s%s", cases[_i].iterations, cases[_i].background,
	         *cases[_i].options ? "," : "", cases[_i].options);
	ck_ok(gt_small_solve("mltr", text, p, x, l));
	printf("mltr:%s: %.2e from the minimum\n", text, gt_small_distance(x, answer));
	fflush(stdout);
	ck_assert_double_le(gt_small_distance(x, answer), 1e-4);
	ck_assert_double_ge(gt_min(x), 0);
	ck_assert_double_le(gt_max(x), p->hi);
	for (int k = 0; k + 1 < COPIES; k++) {
		const double want = cost(&d, p, l->volumes[k]);
		ck_assert_double_eq_tol(l->seen[k + 1].cost, want, 1e-9 * want);
		ck_assert_double_eq_tol(l->seen[k + 1].data + l->seen[k + 1].penalty, want, 1e-9 * want);
	}
	for (int k = 0; k < COPIES; k++)
		gt_array_free(l->volumes[k]);
	free(host);
	dense_free(&d);
	gt_penalty_free(R);
	free(l);
	gt_small_noisy_free(&s);
}

/* With the optimal curvature, any start, any background and some zero weights; in single to rounding. */
GT_TESTS(the_likelihood_never_falls, 3)
{
	for (gt_type type = GT_F32; type <= GT_F64; type++) {
		static const double backgrounds[] = { 0, 0.03, 1 };
		struct gt_small_noisy s = gt_small_noisy(NULL, type, 6, 8, 1, 0.3);
		struct gt_small_log *l = calloc(1, sizeof *l);
		gt_array *x = gt_test_array(s.p.be, type, gt_array_size(s.p.x), 7);
		char text[64];
		s.p.problem.w = s.w;
		gt_scale(0.1, x);
		snprintf(text, sizeof text, "iterations=300,background=%g", backgrounds[_i]);
		ck_ok(gt_small_solve("mltr", text, &s.p.problem, x, l));
		const double rounding = type == GT_F64 ? 1e-13 : 1e-5;
		for (int k = 1; k < l->calls; k++) {
			const double now = l->seen[k].cost, before = l->seen[k - 1].cost;
			ck_assert_msg(now <= before * (1 + rounding), "%s: %.17g after %.17g", text, now, before);
		}
		ck_assert_double_lt(l->seen[299].cost, 0.7 * l->seen[0].cost);
		gt_array_free(x);
		free(l);
		gt_small_noisy_free(&s);
	}
}

/* Equal numbers of passes with subsets get closer. */
GT_TESTS(subsets_are_faster_at_first, 2)
{
	const char *curvature = _i ? "optimal" : "precomputed";
	double end[2];
	for (int by = 0; by < 2; by++) {
		struct gt_small_noisy s = gt_small_noisy(NULL, GT_F64, 6, 24, by ? 4 : 1, 0.05);
		struct gt_small_log *l = calloc(1, sizeof *l);
		char text[64];
		snprintf(text, sizeof text, "iterations=6,subsets=%d,curvature=%s", by ? 4 : 1, curvature);
		gt_fill(0, s.p.x);
		ck_ok(gt_small_solve("mltr", text, &s.p.problem, s.p.x, l));
		end[by] = l->seen[5].data;
		free(l);
		gt_small_noisy_free(&s);
	}
	printf("mltr, %s, 6 passes: cost %g with one subset, %g with 4\n", curvature, end[0], end[1]);
	fflush(stdout);
	ck_assert_double_lt(end[1], 0.7 * end[0]);
}

/* Starts from zero on a noisy head, where e^-(line integral) is a hundredth. With the curvature at the data a step is a
 * hundred times too long, and line integrals then recover by one per pass. */
struct passes {
	int calls;
	double cost[24], near[24];
};

static int see_pass(void *self, const gt_progress *g)
{
	struct passes *s = self;
	s->cost[s->calls] = g->cost;
	for (const gt_state_entry *k = g->kept; k->name; k++)
		if (!strcmp(k->name, "near"))
			s->near[s->calls] = *k->value;
	s->calls++;
	return 0;
}

static struct passes passes_of(const char *text, size_t subsets, double start)
{
	gt_backend *be = gt_test_backend();
	struct gt_test_head *h = gt_test_head(be, GT_F32, 24, 2, 16, subsets, 1e4);
	const gt_solver *s = gt_solver_find("mltr");
	struct passes seen = { 0 };
	const gt_monitor m = { .each = see_pass, .self = &seen };
	void *options = malloc(s->options_size);
	memcpy(options, s->defaults, s->options_size);
	ck_ok(gt_params_parse(s->params, text, options));
	h->problem.w = NULL;
	gt_fill(start, h->x);
	ck_ok(gt_solve(s, &h->problem, options, h->x, &m));
	free(options);
	gt_test_head_free(h);
	gt_backend_close(be);
	return seen;
}

GT_TESTS(from_nothing_no_pass_goes_too_far, 3)
{
	static const size_t subsets[] = { 1, 4, 9 };
	char text[96];
	const size_t n = subsets[_i];
	snprintf(text, sizeof text, "iterations=20,subsets=%zu,curvature=current", n);
	const struct passes fresh = passes_of(text, n, 0);
	snprintf(text, sizeof text, "iterations=20,subsets=%zu,curvature=precomputed", n);
	const struct passes once = passes_of(text, n, 0);
	printf("mltr:%s from nothing: cost %g, then %g, at the end %g; with new curvatures %g; near from pass", text, once.cost[0],
	       once.cost[1], once.cost[19], fresh.cost[19]);
	int near = 0;
	while (near < 20 && !(once.near[near] > 0))
		near++;
	printf(" %d\n", near + 1);
	fflush(stdout);
	for (int k = 1; k < 20; k++)
		ck_assert_double_le(once.cost[k], once.cost[k - 1]);
	ck_assert_double_le(once.cost[19], n > 1 ? 1.1 * fresh.cost[19] : 2 * fresh.cost[19]);
	ck_assert_int_gt(near, 0); /* not before it holds */
	ck_assert(n == 1 || near < 19);
}

GT_TEST(refusals)
{
	struct gt_small_noisy s = gt_small_noisy(NULL, GT_F32, 6, 6, 1, 0.05);
	gt_problem *p = &s.p.problem;
	gt_fill(1000, s.p.b[0]);
	ck_refused(gt_small_solve("mltr", "", p, s.p.x, NULL), GT_ERR_ARG,
	           "solver 'mltr': data from 1000 to 1000: line integrals are expected, between -10 (22026 times the counts of air)");
	gt_fill(-11, s.p.b[0]);
	ck_refused(gt_small_solve("mltr", "", p, s.p.x, NULL), GT_ERR_ARG, "data from -11 to -11");
	gt_fill(-0.5, s.p.b[0]); /* more than air: noise */
	ck_ok(gt_small_solve("mltr", "iterations=3", p, s.p.x, NULL));
	ck_assert_double_eq(gt_max(s.p.x), 0);
	gt_penalty *near = gt_small_near_to(s.p.truth, 1);
	p->R = near;
	ck_refused(gt_small_solve("mltr", "", p, s.p.x, NULL), GT_ERR_ARG, "'mltr' needs a gradient");
	gt_penalty_free(near);
	gt_small_noisy_free(&s);
}

int main(void) { return gt_test_main("solvers-transmission", NULL); }
