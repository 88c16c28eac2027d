/* Maximum-likelihood transmission reconstruction: Poisson counts with mean B (exp(-A x) + background). The data b are
 * the line integrals -log(counts/B - background); the weights of the problem are proportional to B. Minimises
 *    sum B (m - y + y log(y/m)) + R(x),   m = exp(-A x) + background,   y = exp(-b) + background
 * by separable surrogates (De Pierro, IEEE Trans. Med. Imaging 14 (1995) 132) of parabolas per ray, subject to x >=
 * 0:
 *    x <- P[ x - (M A_S' B h'(A_S x) + R'(x)) / (M A_S' (B c A_S 1) + R'') ]
 * with the curvature c, one of:
 *    optimal      the smallest majorizing one: with one subset the cost never rises; Erdogan, Fessler, IEEE TMI 18 (1999)
 *                 801
 *    current      the expected one at the present x: MLTR of Nuyts et al., Phys. Med. Biol. 43 (1998) 729
 *    precomputed  the one at the data, once, for all subsets: saves an adjoint; Erdogan, Fessler, PMB 44 (1999) 2835.
 *                 A pass that starts far from the data uses the curvature at its start
 * The reported cost is the one before the step. Operators per iteration: 1 forward, 2 adjoints; precomputed 1 and 1,
 * far from the data 2 and 2.
 * Memory: 3 volumes in addition to x, or 4; 1 array as large as the data and twice the largest subset. Reductions per
 * iteration: 1 per subset, 1 and the penalty's value; far from the data 1 more, with a wait. */
#include <math.h>
#include <stdlib.h>
#include "core/try.h"
#include "solvers/steps/options.h"
#include "solvers/ordered_subsets.h"
#include "solvers/pwls.h"
#include "solvers/steps/rounds.h"
#include "solvers/steps/transmission.h"

enum curvature { OPTIMAL, CURRENT, PRECOMPUTED };
static const char *const curvatures[] = { "optimal", "current", "precomputed", NULL };

struct options {
	struct gt_ordered_subsets_options sweep;
	int curvature;
	double background;
};
static const struct options defaults = { .sweep = { .iterations = 50, .subsets = 1, .nonneg = 1, .order = GT_OS_BIT_REVERSED } };
static const gt_param params[] = {
	GT_OS_ITERATIONS,
	{ .key = "subsets",
	  .help = "ordered subsets of the views; with 1 the likelihood never falls",
	  .kind = GT_INT,
	  .at = GT_OS_AT(subsets),
	  .min = 1,
	  .max = 1e6 },
	GT_OS_ORDER,
	OPTION_CHOICE(curvature, "of the parabolas: optimal (safe), current (MLTR: Nuyts 1998), precomputed (an adjoint less)", curvatures),
	OPTION_REAL(background, "mean counts that no primary photon made (scatter, dark current), as a fraction of the blank-scan counts",
	            0, 10),
	{ .key = NULL },
};

struct state {
	const gt_problem *p;
	const struct options *o;
	double lo, min, near; /* least: smallest valid denominator; near: 1 once the curvatures at the data are used */
	size_t *order;
	double *deviance;         /* per subset, valid after a wait */
	gt_array *g, *d, *before; /* volumes */
	gt_transmission of;
	gt_pwls_buffers at; /* A x */
};

static gt_status prepare(struct state *s, gt_array *x)
{
	gt_status st = GT_OK;
	const size_t n = s->p->subsets;
	s->lo = fmax(s->p->lo, 0);
	s->order = calloc(n, sizeof *s->order);
	if (!(s->deviance = calloc(n, sizeof *s->deviance)) || !s->order)
		return gt_fail(GT_ERR_MEMORY, "no memory for the records of %zu subsets", n);
	GT_TRY(gt_transmission_check("mltr", s->p));
	gt_ordered_subsets_fill_order((enum gt_ordered_subsets_order)s->o->sweep.order, n, s->order);
	GT_TRY(gt_array_like(x, &s->g));
	GT_TRY(gt_array_like(x, &s->d));
	GT_TRY(gt_array_like(x, &s->before));
	GT_TRY(gt_pwls_buffers_new(s->p, &s->at));
	GT_TRY(gt_transmission_new(s->p, s->o->background, s->before, s->g, s->d, &s->of));
	s->min = 1e-6 * gt_max(s->d) / (double)n;
	if (s->o->curvature == PRECOMPUTED)
		GT_TRY(gt_transmission_keep(s->d, &s->of));
	if (s->p->R)
		gt_penalty_majorize(s->p->R, s->d);
	gt_clamp(s->lo, s->p->hi, x);
done:
	return st;
}

/* A subset represents the whole. */
static void update(struct state *s, size_t k, gt_array *x)
{
	const int fresh = s->o->curvature != PRECOMPUTED;
	const double all = (double)s->p->subsets;
	gt_array *at = s->at.of[k];
	gt_forward(s->p->A[k], x, at);
	gt_transmission_counts(&s->of, GT_COUNTS_DEVIANCE, k, at, s->of.off.of[k]);
	gt_sum_async(s->of.off.of[k], &s->deviance[k]);
	if (fresh) {
		gt_transmission_denominator(&s->of, s->o->curvature == OPTIMAL ? GT_COUNTS_OPTIMAL : GT_COUNTS_FISHER, k, at, s->d);
		gt_scale(all, s->d);
	}
	gt_transmission_counts(&s->of, GT_COUNTS_SLOPE, k, at, at);
	gt_adjoint(s->p->A[k], at, s->g);
	gt_scale(all, s->g);
	if (s->p->R)
		gt_penalty_gradient(s->p->R, x, s->g, fresh ? s->d : NULL);
	gt_divide_step(x, s->d, s->min, s->lo, s->p->hi, s->g);
	gt_copy(s->g, x);
}

static void pass(void *self, int iteration, gt_array *x, gt_progress *g)
{
	struct state *s = self;
	(void)iteration;
	gt_copy(x, s->before);
	g->penalty = 0;
	if (s->p->R)
		gt_penalty_value_async(s->p->R, x, &g->penalty);
	if (s->of.at_data && !(s->near > 0))
		gt_transmission_approach(&s->of, x, &s->at, s->min, s->g, s->d, &s->near);
	for (size_t i = 0; i < s->p->subsets; i++)
		update(s, s->order[i], x);
	gt_pwls_pass(s->p, s->deviance, s->before, x, g);
	g->residual = NAN;
	g->cost_is_partial = s->p->subsets > 1;
}

static gt_status run(const gt_problem *p, const void *options, gt_array *x, const gt_monitor *m)
{
	struct state s = { .p = p, .o = options };
	const int once = s.o->curvature == PRECOMPUTED;
	const gt_state_entry kept[] = { { "x", x, NULL }, { once ? "near" : NULL, NULL, &s.near }, { NULL, NULL, NULL } };
	gt_status st = prepare(&s, x);
	if (st == GT_OK)
		st = gt_rounds_run(&(struct gt_rounds){ NULL, s.o->sweep.iterations, kept, pass, &s }, x, m);
	gt_array_free(s.g);
	gt_array_free(s.d);
	gt_array_free(s.before);
	gt_pwls_buffers_free(&s.at);
	gt_transmission_free(&s.of);
	free(s.order);
	free(s.deviance);
	return st;
}

const gt_solver gt_solver_mltr = {
	.name = "mltr",
	.about = "MLTR: maximum-likelihood transmission for low counts with a known background (Nuyts 1998; Erdogan, Fessler 1999)",
	.traits = GT_SUPPORTS_TEAM | GT_SUPPORTS_SUBSETS | GT_SUPPORTS_BOUNDS | GT_SUPPORTS_WEIGHTS | GT_WEIGHTS_ARE_BLANK |
	          GT_SUPPORTS_GRADIENT | GT_NEEDS_WHOLE_DATA,
	.options_size = sizeof defaults,
	.defaults = &defaults,
	.params = params,
	.subsets = gt_ordered_subsets_subsets,
	.nonneg = gt_ordered_subsets_nonneg,
	.run = run,
};
