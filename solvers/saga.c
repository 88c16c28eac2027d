/* Variance-reduced stochastic gradients for penalised weighted least squares. Each step uses one random subset and
 * stored residuals:
 *    x <- P[ x - step (M A_k'(r_k - t_k) + G + R'(x)) / d ],   r_k = w_k (A_k x - b_k),   G = sum_k A_k' t_k
 * - saga: t_k is the r_k of the last step with subset k (Defazio, Bach and Lacoste-Julien, NIPS 27 (2014) 1646)
 * - svrg: t belongs to the initial volume of the iteration (Johnson and Zhang, NIPS 26 (2013) 315). It makes half the
 *   number of steps for the same work.
 *
 * Residuals are stored instead of gradients, in one array as large as the data. d = M max_k A_k'w_k A_k 1 + R's
 * majorizer (solvers/pwls.h).
 * With steps up to 1/3 both converge to the minimum with any number of subsets; os-sqs ends in a limit cycle.
 * Operators per iteration: one forward and one adjoint of all views (saga; one more before the first), two (svrg).
 * Memory: 5 volumes in addition to x; 1 array as large as the data and the largest subset.
 * Reductions per iteration: 1 per subset (svrg: 2), 1 and the penalty's value. The cost of saga belongs to points on
 * its way. */
#include <math.h>
#include <stdlib.h>
#include "core/try.h"
#include "solvers/steps/options.h"
#include "solvers/ordered_subsets.h"
#include "solvers/pwls.h"
#include "solvers/steps/rounds.h"

struct options {
	struct gt_ordered_subsets_options sweep;
	int seed;
	double step;
};
static const struct options defaults = { { .iterations = 20, .subsets = 10, .nonneg = 1 }, 1, 1. / 3 };
static const gt_param params[] = {
	GT_OS_ITERATIONS,
	GT_OS_SUBSETS,
	GT_OS_NONNEG,
	OPTION_REAL(step, "length of a step; above 1/3 it may not converge", 1e-6, 1),
	OPTION_INT(seed, "of the order of subsets", 0, 1e9),
	{ .key = NULL },
};

struct state {
	const gt_problem *p;
	const struct options *o;
	int saga;
	double min, *square, unused;      /* square: of each step; unused: receives sums that are not requested */
	gt_array *G, *g, *t, *d, *before; /* volumes */
	gt_pwls_buffers table, room;
};

/* Computes t_k and G at x; the squares need one wait. */
static void take_all(struct state *s, const gt_array *x) { gt_pwls_gradient(s->p, 0, 1, x, &s->table, s->t, s->G, s->square); }

static gt_status prepare(struct state *s, gt_array *x)
{
	gt_status st = GT_OK;
	gt_array **const volumes[] = { &s->G, &s->g, &s->t, &s->d, &s->before };
	if (!(s->square = malloc(s->p->subsets * sizeof *s->square)))
		return gt_fail(GT_ERR_MEMORY, "no memory for the records of %zu subsets", s->p->subsets);
	for (size_t i = 0; i < sizeof volumes / sizeof *volumes; i++)
		GT_TRY(gt_array_like(x, volumes[i]));
	GT_TRY(gt_pwls_table_new(s->p, &s->table));
	GT_TRY(gt_pwls_buffers_new(s->p, &s->room));
	gt_pwls_denominator_of_subsets(s->p, s->room.of, s->t, s->g, s->d);
	gt_penalty_majorize(s->p->R, s->d);
	s->min = gt_pwls_threshold(s->d);
	gt_clamp(s->p->lo, s->p->hi, x);
	if (s->saga)
		take_all(s, x);
	gt_reductions_wait(gt_array_backend(x));
done:
	return st;
}

static void step(struct state *s, size_t k, double *square, gt_array *x)
{
	const gt_problem *p = s->p;
	gt_array *r = s->room.of[k], *t = s->table.of[k];
	gt_pwls_residual_later(p, k, x, r, s->saga ? square : &s->unused);
	if (s->saga) {
		gt_xpay(r, -1, t); /* t = r - t, until it becomes r */
		gt_adjoint(p->A[k], t, s->g);
		gt_copy(r, t);
	} else {
		gt_axpy(-1, t, r);
		gt_adjoint(p->A[k], r, s->g);
	}
	gt_copy(s->G, s->t);
	gt_axpy((double)p->subsets, s->g, s->t);
	gt_penalty_gradient(p->R, x, s->t, NULL);
	gt_scale(s->o->step, s->t);
	gt_divide_step(x, s->d, s->min, p->lo, p->hi, s->t);
	gt_copy(s->t, x);
	if (s->saga)
		gt_axpy(1, s->g, s->G);
}

static void iterate(void *self, int iteration, gt_array *x, gt_progress *p)
{
	struct state *s = self;
	const size_t n = s->p->subsets;
	gt_copy(x, s->before);
	gt_penalty_value_async(s->p->R, x, &p->penalty);
	if (!s->saga)
		take_all(s, x);
	for (size_t i = 0; i < n; i++)
		step(s, gt_pwls_pick((uint64_t)s->o->seed, (uint64_t)(iteration - 1) * n + i, n), &s->square[i], x);
	gt_pwls_pass(s->p, s->square, s->before, x, p);
	p->cost_is_partial = s->saga;
}

static gt_status run(struct state *s, gt_array *x, const gt_monitor *m)
{
	const gt_state_entry none = { NULL, NULL, NULL };
	gt_status st = GT_OK;
	GT_TRY(prepare(s, x));
	const gt_state_entry kept[] = { { "x", x, NULL },
		                        s->saga ? (gt_state_entry){ "mean", s->G, NULL } : none,
		                        s->saga ? (gt_state_entry){ "table", s->table.whole, NULL } : none,
		                        none };
	st = gt_rounds_run(&(struct gt_rounds){ NULL, s->o->sweep.iterations, kept, iterate, s }, x, m);
done:
	gt_array_free(s->G);
	gt_array_free(s->g);
	gt_array_free(s->t);
	gt_array_free(s->d);
	gt_array_free(s->before);
	gt_pwls_buffers_free(&s->table);
	gt_pwls_buffers_free(&s->room);
	free(s->square);
	return st;
}

static gt_status run_saga(const gt_problem *p, const void *options, gt_array *x, const gt_monitor *m)
{
	return run(&(struct state){ .p = p, .o = options, .saga = 1 }, x, m);
}

static gt_status run_svrg(const gt_problem *p, const void *options, gt_array *x, const gt_monitor *m)
{
	return run(&(struct state){ .p = p, .o = options }, x, m);
}

#define STOCHASTIC(which, about_)                                                                                     \
	const gt_solver gt_solver_##which = { .name = #which,                                                         \
		                              .about = about_,                                                        \
		                              .traits = GT_SUPPORTS_TEAM | GT_SUPPORTS_SUBSETS | GT_SUPPORTS_BOUNDS | \
		                                        GT_SUPPORTS_WEIGHTS | GT_SUPPORTS_GRADIENT,                   \
		                              .params = params,                                                       \
		                              .defaults = &defaults,                                                  \
		                              .options_size = sizeof defaults,                                        \
		                              .run = run_##which,                                                     \
		                              .subsets = gt_ordered_subsets_subsets,                                  \
		                              .nonneg = gt_ordered_subsets_nonneg }
STOCHASTIC(saga, "random subsets that converge to the minimum with a smooth penalty (Defazio, Bach, Lacoste-Julien 2014)");
STOCHASTIC(svrg, "saga with a snapshot per iteration: smaller checkpoints, twice the work (Johnson, Zhang 2013)");
