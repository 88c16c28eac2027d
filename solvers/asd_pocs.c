/* Adaptive steepest descent and projection onto convex sets: Sidky and Pan, Phys. Med. Biol. 53 (2008) 4777, whose
 * notation is used.
 * A pass over the ordered subsets (solvers/ordered_subsets.h) reduces the data residual and enforces the bounds.
 * Gradient steps of fixed length then reduce the penalty, such as total variation.
 * The length is first a fraction of the first pass's change. It decreases if the descent undoes too much of a pass
 * while the residual exceeds epsilon. The result is the volume after a pass.
 * The run ends if both directions are opposed (the paper's convergence test) with the residual met, or if relax has
 * become negligible. */
#include <math.h>
#include "core/try.h"
#include "solvers/steps/options.h"
#include "solvers/ordered_subsets.h"

struct options {
	struct gt_ordered_subsets_options sweep;
	int steps;
	double alpha, alpha_reduce, r_max, epsilon, cosine;
};
static const struct options defaults = { .sweep = { .iterations = 50,
	                                            .subsets = 10,
	                                            .nonneg = 1,
	                                            .order = GT_OS_BIT_REVERSED,
	                                            .relax = 1,
	                                            .reduce = 0.99,
	                                            .threshold = 1e-3 },
	                                 .steps = 20,
	                                 .alpha = 0.002,
	                                 .alpha_reduce = 0.95,
	                                 .r_max = 0.95,
	                                 .epsilon = 0.01,
	                                 .cosine = -0.99 };
#define MIN_RELAX 0.005
#define SWEEP GT_OS_ITERATIONS, GT_OS_SUBSETS, GT_OS_RELAX, GT_OS_REDUCE, GT_OS_NONNEG, GT_OS_ORDER, GT_OS_THRESHOLD, GT_OS_KEEP
static const gt_param params[] = {
	SWEEP,
	OPTION_INT(steps, "steps that reduce the penalty, after every pass", 0, 1e4),
	OPTION_REAL(alpha, "length of a step, relative to what the first pass changes", 0, 1),
	OPTION_REAL(alpha_reduce, "factor on that length", 0, 1),
	OPTION_REAL(r_max, "apply that factor when the steps change the volume by more than this part of what a pass changes", 0, 1e6),
	OPTION_REAL(epsilon, "residual |A x - b| to reach, relative to |b|: about the noise of the data", 0, 1),
	OPTION_REAL(cosine, "stop, with that residual reached, when the cosine between the changes by pass and by steps is below this", -1,
	            1),
	{ .key = NULL },
};

struct state {
	const gt_problem *p;
	const struct options *o;
	gt_ordered_subsets *sweep;
	gt_array *f, *d;        /* volumes: x after the gradient steps, and the change of the last pass */
	double length, epsilon; /* length of a step, negative if unknown */
};

static double norm_of_data(const gt_problem *p)
{
	double sum = 0;
	for (size_t k = 0; k < p->subsets; k++)
		sum += gt_dot(p->b[k], p->b[k]);
	return sqrt(sum);
}

static void descend(struct state *s)
{
	gt_array *g = gt_ordered_subsets_volume(s->sweep);
	for (int i = 0; i < s->o->steps; i++) {
		gt_fill(0, g);
		gt_penalty_gradient(s->p->R, s->f, g, NULL);
		const double steep = sqrt(gt_dot(g, g));
		if (!(steep > 0))
			return;
		gt_axpy(-s->length / steep, g, s->f);
	}
}

/* x: the volume after the previous pass on entry, after this pass on return. Returns 1 at convergence. */
static int iterate(struct state *s, double relax, gt_array *x, gt_progress *p)
{
	const struct options *o = s->o;
	gt_copy(s->f, s->d);
	gt_ordered_subsets_run(s->sweep, relax, 0, s->f, s->f);
	double moved, squares, after, before;
	gt_distance2_async(s->f, x, &moved);
	gt_copy(s->f, x);
	gt_xpay(x, -1, s->d);
	gt_dot_async(s->d, s->d, &squares);
	gt_ordered_subsets_misfit(s->sweep, x);
	gt_penalty_value_async(s->p->R, x, &p->penalty);
	const double misfit = gt_ordered_subsets_squares(s->sweep), pass = sqrt(squares);
	p->change = sqrt(moved / (double)gt_array_size(x));
	p->residual = sqrt(misfit);
	p->data = misfit / 2;
	p->cost = p->data + p->penalty;
	if (s->length < 0)
		s->length = o->alpha * pass;
	descend(s);
	gt_distance2_async(s->f, x, &moved);
	gt_dot_async(s->f, s->d, &after);
	gt_dot_async(x, s->d, &before);
	gt_reductions_wait(gt_array_backend(x));
	const double steps = sqrt(moved), along = after - before;
	if (steps > o->r_max * pass && p->residual > s->epsilon)
		s->length *= o->alpha_reduce;
	return (along < o->cosine * steps * pass && p->residual <= s->epsilon) || relax < MIN_RELAX;
}

static gt_status run(const gt_problem *p, const void *options, gt_array *x, const gt_monitor *m)
{
	const struct options *o = options;
	struct state s = { .p = p, .o = o, .length = -1 };
	gt_status st = GT_OK;
	if (!p->R)
		return gt_fail(GT_ERR_ARG, "solver 'asd-pocs' needs a penalty to reduce: expected one; without, use os-sart");
	double relax = o->sweep.relax, end = 0;
	int done;
	GT_TRY(gt_array_like(x, &s.f));
	GT_TRY(gt_array_like(x, &s.d));
	GT_TRY(gt_ordered_subsets_new(p, &o->sweep, x, &s.sweep)); /* it keeps what fits the remaining memory */
	gt_copy(x, s.f);
	s.epsilon = o->epsilon * norm_of_data(p);
	const gt_state_entry kept[] = { { "x", x, NULL },          { "after_steps", s.f, NULL }, { "length", NULL, &s.length },
		                        { "relax", NULL, &relax }, { "end", NULL, &end },        { NULL, NULL, NULL } };
	GT_TRY(gt_resume(m, kept, &done));
	for (int k = done + 1; k <= o->sweep.iterations && end == 0; k++) {
		gt_progress g;
		gt_progress_of(k, o->sweep.iterations, x, &g);
		end = iterate(&s, relax, x, &g);
		relax *= o->sweep.reduce;
		g.kept = kept;
		GT_TRY(gt_report(m, &g));
	}
done:
	gt_ordered_subsets_free(s.sweep);
	gt_array_free(s.f);
	gt_array_free(s.d);
	return st;
}

const gt_solver gt_solver_asd_pocs = {
	.name = "asd-pocs",
	.about = "ASD-POCS: minimises a penalty such as tv subject to a data residual; for few views (Sidky, Pan 2008)",
	.traits = GT_SUPPORTS_TEAM | GT_SUPPORTS_SUBSETS | GT_SUPPORTS_BOUNDS | GT_SUPPORTS_GRADIENT | GT_NEEDS_WHOLE_DATA,
	.params = params,
	.defaults = &defaults,
	.options_size = sizeof defaults,
	.run = run,
	.subsets = gt_ordered_subsets_subsets,
	.nonneg = gt_ordered_subsets_nonneg,
};
