/* Penalised weighted least squares by separable quadratic surrogates, ordered subsets and Nesterov momentum: Kim,
 * Ramani and Fessler, IEEE Trans. Med. Imaging 34 (2015) 167. A pass over the data: steps/grouped_pass.h.
 *
 * Groups make many steps per pass over the data but are inconsistent: near the limit cycle only fewer groups get
 * closer to the minimum. At first every subset is a group.
 * Later groups sum several subsets before a step: a divisor of their number, at most a third of it. Finally all
 * subsets form one group, which has the exact gradient and converges.
 *
 * Operators per iteration: one forward and one adjoint of all views. Memory: 5 volumes in addition to x (3 with one
 * subset); the largest subset of the data. Reductions per iteration: 1 per subset, 1 and the penalty's value; 5
 * others with one group.
 * With several groups the reported cost combines the data term of the points on the way with the penalty of the
 * pass's initial iterate. */
#include <math.h>
#include "core/try.h"
#include "solvers/steps/options.h"
#include "solvers/steps/grouped_pass.h"

struct options {
	int iterations, subsets, nonneg, momentum, restart;
	double fewer, single;
};
static const struct options defaults = {
	.iterations = 20, .subsets = 12, .nonneg = 1, .momentum = 1, .restart = 1, .fewer = 0.5, .single = 0.9
};
static const gt_param params[] = {
	OPTION_INT(iterations, "passes over all the data", 0, 1e6),
	OPTION_INT(subsets, "ordered subsets of the views", 1, 1e6),
	OPTION_REAL(fewer, "after this part of the iterations, steps from several subsets at once", 0, 1),
	OPTION_REAL(single, "after this part of the iterations, steps from all subsets at once", 0, 1),
	OPTION_FLAG(momentum, "extrapolate from step to step"),
	OPTION_FLAG(restart, "restart the momentum where it increases the cost, and halve it where the subsets diverge from each other"),
	OPTION_FLAG(nonneg, "keep x >= 0"),
	{ .key = NULL },
};
static int nonneg(const void *options) { return ((const struct options *)options)->nonneg; }

static gt_status subsets(const void *options, size_t views, size_t *n)
{
	const struct options *o = options;
	if ((size_t)o->subsets > views)
		return gt_fail(GT_ERR_ARG, "subsets=%d: expected at most one per view, that is %zu", o->subsets, views);
	*n = (size_t)o->subsets;
	return GT_OK;
}

struct state {
	gt_grouped of;
	const struct options *o;
	gt_state_entry kept[7];
};

static size_t groups_in(const struct state *s, int iteration)
{
	const double done = (double)(iteration - 1) / s->o->iterations;
	const size_t max = s->of.p->subsets;
	size_t n = max / 3;
	if (done >= s->o->single || max == 1)
		return 1;
	if (done < s->o->fewer)
		return max;
	while (n > 1 && max % n)
		n--;
	return n > 1 ? n : 1;
}

/* Returns 1 in the first iteration with a smaller number of groups. */
static int fewer(const struct state *s, int iteration) { return iteration > 1 && groups_in(s, iteration) != groups_in(s, iteration - 1); }

/* Rebuilt in every iteration, because the arrays are swapped. */
static const gt_state_entry *kept(struct state *s)
{
	gt_state_entry *list = s->kept;
	list[0] = (gt_state_entry){ "x", s->of.at.x, NULL };
	if (s->o->momentum) {
		list[1] = (gt_state_entry){ "before", s->of.at.v, NULL };
		list[2] = (gt_state_entry){ "t", NULL, &s->of.at.t };
		list[3] = (gt_state_entry){ "data", NULL, &s->of.data };
		list[4] = (gt_state_entry){ "share", NULL, &s->of.share };
		list[5] = (gt_state_entry){ "lowest", NULL, &s->of.lowest };
	}
	return list;
}

/* With one group the gradient belongs to z, all else to the iterate before the step. With several groups the values
 * are those that the subsets found on the way. */
static gt_progress progress(struct state *s, int k, const gt_grouped_found *pass)
{
	const gt_grouped *of = &s->of;
	gt_progress g;
	gt_progress_of(k, s->o->iterations, of->at.x, &g);
	g.data = pass->data;
	g.penalty = pass->penalty;
	g.cost = pass->data + pass->penalty;
	g.gradient = sqrt(pass->gradient2);
	g.change = sqrt(pass->change2 / (double)gt_array_size(of->at.x));
	g.subset_fraction = fewer(s, k) || pass->undone ? 0 : (double)of->groups / (double)of->p->subsets;
	g.cost_of = of->groups > 1 ? of->old : of->at.v;
	g.cost_is_partial = of->groups > 1;
	g.kept = kept(s);
	if (!of->p->w)
		g.residual = sqrt(2 * pass->data);
	return g;
}

static gt_status run(const gt_problem *p, const void *options, gt_array *x, const gt_monitor *m)
{
	const struct options *o = options;
	struct state s = { .of = { .p = p, .momentum = o->momentum, .restart = o->restart }, .o = o };
	gt_status st = GT_OK;
	int done;
	GT_TRY(gt_grouped_new("os-sqs", x, &s.of));
	GT_TRY(gt_resume(m, kept(&s), &done));
	gt_grouped_begin(&s.of);
	for (int k = done + 1; k <= o->iterations; k++) {
		const gt_grouped_found pass = gt_grouped_pass(&s.of, groups_in(&s, k), fewer(&s, k));
		const gt_progress g = progress(&s, k, &pass);
		if (!isfinite(pass.data) || !isfinite(pass.change2))
			GT_TRY(gt_fail(GT_ERR_DIVERGED, "solver 'os-sqs' diverged: its cost is not finite in iteration %d", k));
		GT_TRY(gt_report(m, &g));
	}
done:
	if (s.of.at.x && s.of.at.x != x)
		gt_copy(s.of.at.x, x);
	gt_grouped_free(&s.of);
	return st;
}

const gt_solver gt_solver_os_sqs = {
	.name = "os-sqs",
	.about = "ordered subsets with momentum: soon near the minimum with weights and a smooth penalty (Kim, Ramani, Fessler 2015)",
	.traits = GT_SUPPORTS_TEAM | GT_SUPPORTS_SUBSETS | GT_SUPPORTS_BOUNDS | GT_SUPPORTS_WEIGHTS | GT_SUPPORTS_GRADIENT |
	          GT_PLANS_ITERATIONS,
	.params = params,
	.defaults = &defaults,
	.options_size = sizeof defaults,
	.run = run,
	.subsets = subsets,
	.nonneg = nonneg,
};
