/* Most likely attenuation behind counts of transmitted photons: Poisson's numbers with the means B (exp(-A x) +
 * background), where the data b are line integrals, -log of (counts/B - background), and B, in proportion, the
 * weights of the problem. What is made small is
 *   sum B (m - y + y log(y/m)) + R(x),   m = exp(-A x) + background,   y = exp(-b) + background
 * by steps of separable parabolas (De Pierro, IEEE Trans. Med. Imaging 14 (1995) 132) above those of the rays, within
 * x >= 0:
 *   x <- P[ x - (M A_S' B h'(A_S x) + R'(x)) / (M A_S' (B c A_S 1) + R'') ]
 * with the curvature c, by choice:
 *   optimal      the least that keeps the parabola above: with one subset the cost never rises; Erdogan and Fessler,
 *                IEEE Trans. Med. Imaging 18 (1999) 801
 *   current      the expected one at the present x: MLTR of Nuyts et al., Phys. Med. Biol. 43 (1998) 729
 *   precomputed  the expected one at the data, once, of all subsets together: an adjoint less, and for ordered
 *                subsets: Erdogan and Fessler, Phys. Med. Biol. 44 (1999) 2835
 * The cost is that before the step. Operators in an iteration: 1 forward, 2 adjoints, with precomputed 1. Beside x: 3
 * volumes; beside the data: 1 array as large, and twice the largest subset. Reductions in an iteration: 1 for each
 * subset, 1 more, and the value of the penalty. */
#include <math.h>
#include <stdlib.h>
#include "core/counts/counts.h"
#include "core/try.h"
#include "solvers/ordered_subsets.h"
#include "solvers/pwls.h"

enum curvature { OPTIMAL, CURRENT, PRECOMPUTED };
static const char *const curvatures[] = { "optimal", "current", "precomputed", NULL };

struct options {
	struct gt_ordered_subsets_options sweep;
	int curvature;
	double background;
};
static const struct options defaults = { .sweep = { .iterations = 50, .subsets = 1, .nonneg = 1, .order = GT_OS_BIT_REVERSED } };
#define AT(field) .at = offsetof(struct options, field)
static const gt_param params[] = {
	GT_OS_ITERATIONS,
	{ .key = "subsets",
	  .help = "ordered subsets of the views; with 1 the likelihood never falls",
	  .kind = GT_INT,
	  .at = GT_OS_AT(subsets),
	  .least = 1,
	  .most = 1e6 },
	GT_OS_ORDER,
	{ .key = "curvature",
	  .help = "of the parabolas: optimal (safe), current (MLTR: Nuyts 1998), precomputed (an adjoint less)",
	  .kind = GT_CHOICE,
	  AT(curvature),
	  .names = curvatures },
	{ .key = "background",
	  .help = "mean counts that no primary photon made (scatter, dark current), as part of those without a body",
	  .kind = GT_REAL,
	  AT(background),
	  .most = 10 },
	{ .key = NULL },
};

struct state {
	const gt_problem *p;
	const struct options *o;
	double lo, least; /* least: below it a denominator is none */
	size_t *order;
	double *deviance;           /* of each subset, once settled */
	gt_array *g, *d, *before;   /* volumes */
	gt_pwls_room rows, at, off; /* sums of rays, of all subsets; A x; what becomes of it */
};

/* exp(-b) of what is no line integral is a number that nobody counted. */
static gt_status check_data(const gt_problem *p)
{
	for (size_t k = 0; k < p->subsets; k++) {
		const double least = gt_min(p->b[k]), most = gt_max(p->b[k]);
		if (gt_array_size(p->b[k]) && !gt_backend_is_dry_run(gt_array_backend(p->b[k])) && !(least > -10 && most < 100))
			return gt_fail(
				GT_ERR_ARG,
				"solver 'mltr': data from %g to %g: line integrals are expected, between -10 (%.0f times the counts of "
				"air) and 100; counts are no line integrals",
				least, most, exp(10));
	}
	return GT_OK;
}

static const gt_array *weights(const struct state *s, size_t k) { return s->p->w ? s->p->w[k] : NULL; }

static void counts(const struct state *s, enum gt_counts what, size_t k, const gt_array *at, gt_array *out)
{
	gt_counts_of(what, s->o->background, at, s->p->b[k], weights(s, k), out);
}

/* d = A'(B c A 1) of one subset, c at these line integrals. */
static void denominator(const struct state *s, enum gt_counts what, size_t k, const gt_array *at, gt_array *d)
{
	counts(s, what, k, at, s->off.of[k]);
	gt_mul(s->rows.of[k], s->off.of[k]);
	gt_adjoint(s->p->A[k], s->off.of[k], d);
}

static gt_status prepare(struct state *s, gt_array *x)
{
	gt_status st = GT_OK;
	const size_t n = s->p->subsets;
	s->lo = fmax(s->p->lo, 0);
	s->order = calloc(n, sizeof *s->order);
	if (!(s->deviance = calloc(n, sizeof *s->deviance)) || !s->order)
		return gt_fail(GT_ERR_MEMORY, "no memory for the records of %zu subsets", n);
	GT_TRY(check_data(s->p));
	gt_ordered_subsets_fill_order((enum gt_ordered_subsets_order)s->o->sweep.order, n, s->order);
	GT_TRY(gt_array_like(x, &s->g));
	GT_TRY(gt_array_like(x, &s->d));
	GT_TRY(gt_array_like(x, &s->before));
	GT_TRY(gt_pwls_table_new(s->p, &s->rows));
	GT_TRY(gt_pwls_room_new(s->p, &s->at));
	GT_TRY(gt_pwls_room_new(s->p, &s->off));
	gt_fill(0, s->d);
	gt_fill(1, s->before);
	for (size_t k = 0; k < n; k++) {
		gt_forward(s->p->A[k], s->before, s->rows.of[k]);
		denominator(s, GT_COUNTS_FISHER, k, s->p->b[k], s->g);
		gt_axpy(1, s->g, s->d);
	}
	if (s->p->R)
		gt_penalty_majorize(s->p->R, s->d);
	s->least = 1e-6 * gt_max(s->d) / (double)n;
	gt_clamp(s->lo, s->p->hi, x);
done:
	return st;
}

/* A subset stands for the whole. */
static void update(struct state *s, size_t k, gt_array *x)
{
	const int fresh = s->o->curvature != PRECOMPUTED;
	const double all = (double)s->p->subsets;
	gt_array *at = s->at.of[k];
	gt_forward(s->p->A[k], x, at);
	counts(s, GT_COUNTS_DEVIANCE, k, at, s->off.of[k]);
	gt_sum_async(s->off.of[k], &s->deviance[k]);
	if (fresh) {
		denominator(s, s->o->curvature == OPTIMAL ? GT_COUNTS_OPTIMAL : GT_COUNTS_FISHER, k, at, s->d);
		gt_scale(all, s->d);
	}
	counts(s, GT_COUNTS_SLOPE, k, at, at);
	gt_adjoint(s->p->A[k], at, s->g);
	gt_scale(all, s->g);
	if (s->p->R)
		gt_penalty_gradient(s->p->R, x, s->g, fresh ? s->d : NULL);
	gt_divide_step(x, s->d, s->least, s->lo, s->p->hi, s->g);
	gt_copy(s->g, x);
}

static void release(struct state *s)
{
	gt_array_free(s->g);
	gt_array_free(s->d);
	gt_array_free(s->before);
	gt_pwls_room_free(&s->rows);
	gt_pwls_room_free(&s->at);
	gt_pwls_room_free(&s->off);
	free(s->order);
	free(s->deviance);
}

static void pass(struct state *s, gt_array *x, gt_progress *g)
{
	gt_copy(x, s->before);
	g->penalty = 0;
	if (s->p->R)
		gt_penalty_value_async(s->p->R, x, &g->penalty);
	for (size_t i = 0; i < s->p->subsets; i++)
		update(s, s->order[i], x);
	gt_pwls_pass(s->p, s->deviance, s->before, x, g);
	g->residual = NAN;
	g->cost_is_partial = s->p->subsets > 1;
}

static gt_status run(const gt_problem *p, const void *options, gt_array *x, const gt_monitor *m)
{
	const gt_state_entry kept[] = { { "x", x, NULL }, { NULL, NULL, NULL } };
	struct state s = { .p = p, .o = options };
	gt_status st = GT_OK;
	int done = 0;
	GT_TRY(prepare(&s, x));
	GT_TRY(gt_resume(m, kept, &done));
	for (int k = done + 1; k <= s.o->sweep.iterations; k++) {
		gt_progress g;
		gt_progress_of(k, s.o->sweep.iterations, x, &g);
		pass(&s, x, &g);
		g.kept = kept;
		GT_TRY(gt_report(m, &g));
	}
done:
	release(&s);
	return st;
}

const gt_solver gt_solver_mltr = {
	.name = "mltr",
	.about = "most likely attenuation behind transmitted counts: few photons, a known background (Nuyts 1998; Erdogan, Fessler 1999)",
	.traits = GT_SUPPORTS_SUBSETS | GT_SUPPORTS_BOUNDS | GT_SUPPORTS_WEIGHTS | GT_WEIGHTS_ARE_BLANK | GT_SUPPORTS_GRADIENT,
	.options_size = sizeof defaults,
	.defaults = &defaults,
	.params = params,
	.subsets = gt_ordered_subsets_subsets,
	.nonneg = gt_ordered_subsets_nonneg,
	.run = run,
};
