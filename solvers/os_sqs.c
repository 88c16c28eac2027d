/* Penalised weighted least squares by separable quadratic surrogates, ordered subsets and Nesterov's momentum: Kim, Ramani and
 * Fessler, IEEE Trans. Med. Imaging 34 (2015) 167; surrogates: Erdogan and Fessler, Phys. Med. Biol. 44 (1999) 2835:
 *   x+ = P[ z - (G sum_S A_k' w_k (A_k z - b_k) + R'(z)) / d ],   z = x+ + beta (x+ - x),   d = M max_k A_k'w_k A_k 1 + R's majorizer
 * where S is one of G groups of the M subsets. Groups make many steps per pass over the data, but disagree with each other: where
 * they circle around the minimum, only fewer of them get closer. So first every subset is a group; then groups of several
 * subsets are summed up before a step, a divisor of their number and at most a third of it; last all are, which has the exact
 * gradient and converges. The momentum starts anew when the number of groups changes, and with one, where it points uphill. With several it
 * adds up what they disagree about, without end where few views see the same: after a pass on whose way the data term rose, by more than the
 * penalty fell, it starts anew, from the second time only half as much unless each rise began lower than the one before; a pass on whose way
 * that more than doubled is not made. Without momentum groups circle at worst.
 *
 * With one group the cost is that of the iterate, not of z: the data term is a parabola along the line of the last two iterates and z,
 * of which the value at the former and value and slope at z are known.
 *
 * One forward and one adjoint of all views per iteration. Beside x: 5 volumes (3 with one subset); beside data and weights: the
 * largest subset. Reductions in an iteration: 1 per subset, 1 more and the penalty's value; with one group 5 others. With
 * several groups the cost is told too: the data term of the points on the way, and the penalty of the iterate that the pass
 * begins with. */
#include <math.h>
#include <stdlib.h>
#include "core/try.h"
#include "solvers/ordered_subsets.h"
#include "solvers/pwls.h"

struct options {
	int iterations, subsets, nonneg, momentum, restart;
	double fewer, single;
};
static const struct options defaults = {
	.iterations = 20, .subsets = 12, .nonneg = 1, .momentum = 1, .restart = 1, .fewer = 0.5, .single = 0.9
};
/* Times the data term of the pass before: more than the circling of groups, less than a pass that runs away; a pass that ran far. */
#define RISE 1.1
#define FAR 2
/* What is left of the momentum then, until it is none. */
#define LESS 0.5
#define LEAST 0.1
#define AT(field) offsetof(struct options, field)
static const gt_param params[] = {
	{ .key = "iterations", .help = "passes over all the data", .kind = GT_INT, .at = AT(iterations), .least = 0, .most = 1e6 },
	{ .key = "subsets", .help = "ordered subsets of the views", .kind = GT_INT, .at = AT(subsets), .least = 1, .most = 1e6 },
	{ .key = "fewer",
	  .help = "after this part of the iterations, steps from several subsets at once",
	  .kind = GT_REAL,
	  .at = AT(fewer),
	  .least = 0,
	  .most = 1 },
	{ .key = "single",
	  .help = "after this part of the iterations, steps from all subsets at once",
	  .kind = GT_REAL,
	  .at = AT(single),
	  .least = 0,
	  .most = 1 },
	{ .key = "momentum", .help = "extrapolate from step to step", .kind = GT_FLAG, .at = AT(momentum) },
	{ .key = "restart",
	  .help = "restart the momentum where it increases the cost, and halve it where the subsets diverge from each other",
	  .kind = GT_FLAG,
	  .at = AT(restart) },
	{ .key = "nonneg", .help = "keep x >= 0", .kind = GT_FLAG, .at = AT(nonneg) },
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
	const gt_problem *p;
	const struct options *o;
	gt_pwls_point at;
	gt_array *own[2], *d, *t; /* volumes to free; the third of at is the caller's */
	gt_array *old;            /* x before the pass, where that has several steps */
	gt_pwls_room room;
	size_t groups, *order;
	double *square; /* of each subset: <r, w r> of the last residual, once settled */
	double data;    /* the data term of the pass before: with one group, at the iterate before */
	double share;   /* of the momentum that is made use of, with this number of groups */
	double lowest;  /* the data term before it rose last, with this number of groups */
	double prior;   /* the penalty at the iterate before the pass, where that has several steps */
	gt_state_entry kept[7];
};

/* What one pass over the data found on its way: squares of a norm are there once settled. */
struct pass {
	double data, penalty, gradient2, change2, side[2];
	double beta, along[2]; /* <data's gradient at z, z>, the same with x */
	int undone;
};

static size_t groups_in(const struct state *s, int iteration)
{
	const double done = (double)(iteration - 1) / s->o->iterations;
	size_t n = s->p->subsets / 3;
	if (done >= s->o->single || s->p->subsets == 1)
		return 1;
	if (done < s->o->fewer)
		return s->p->subsets;
	while (n > 1 && s->p->subsets % n)
		n--;
	return n > 1 ? n : 1;
}

/* Is it the first with its number of groups, after more? */
static int fewer(const struct state *s, int iteration) { return iteration > 1 && groups_in(s, iteration) != groups_in(s, iteration - 1); }

static gt_status prepare(struct state *s, gt_array *x)
{
	gt_status st = GT_OK;
	const gt_problem *p = s->p;
	GT_TRY(gt_pwls_needs("os-sqs", p->R, GT_HAS_GRADIENT));
	s->square = malloc(p->subsets * sizeof *s->square);
	if (!(s->order = malloc(p->subsets * sizeof *s->order)) || !s->square)
		return gt_fail(GT_ERR_MEMORY, "no memory for the order of %zu subsets", p->subsets);
	GT_TRY(gt_pwls_room_new(p, &s->room));
	GT_TRY(gt_array_like(x, &s->own[0]));
	GT_TRY(gt_array_like(x, &s->own[1]));
	GT_TRY(gt_array_like(x, &s->d));
	if (p->subsets > 1) {
		GT_TRY(gt_array_like(x, &s->t));
		GT_TRY(gt_array_like(x, &s->old));
	}
	s->at = (gt_pwls_point){ .x = x, .v = s->own[0], .g = s->own[1], .d = s->d, .t = 1 };
	gt_pwls_denominator_of_subsets(p, s->room.of, s->t, s->at.g, s->d);
	gt_penalty_majorize(p->R, s->d);
	s->at.least = gt_pwls_threshold(s->d);
	gt_clamp(p->lo, p->hi, x);
	gt_copy(x, s->at.v);
done:
	return st;
}

/* One step from the subsets of one group. */
static void step(struct state *s, size_t group, struct pass *pass)
{
	const gt_problem *p = s->p;
	gt_pwls_point *at = &s->at;
	const double beta = s->o->momentum ? s->share * gt_pwls_momentum(at) : 0;
	pass->beta = beta;
	gt_axpby(1 + beta, at->x, -beta, at->v);
	gt_pwls_gradient(p, group, s->groups, at->v, &s->room, s->t, at->g, s->square);
	if (s->groups > 1)
		gt_scale((double)s->groups, at->g);
	if (s->groups == 1 && beta > 0) {
		gt_dot_async(at->g, at->v, &pass->along[0]);
		gt_dot_async(at->g, at->x, &pass->along[1]);
	}
	gt_penalty_gradient(p->R, at->v, at->g, NULL);
	if (s->groups == 1) {
		gt_penalty_value_async(p->R, at->x, &pass->penalty);
		gt_dot_async(at->g, at->g, &pass->gradient2);
	}
	gt_pwls_step(at, p->lo, p->hi);
	if (s->groups == 1 && beta > 0)
		gt_pwls_uphill_later(at, pass->side);
	gt_pwls_accept(at);
}

/* At x, from the data term at z = x + beta (x - x before), its slope there, and the data term at x before. */
static double at_iterate(const struct pass *pass, double before)
{
	const double b = pass->beta, l = 1 + b, rise = pass->along[0] - pass->along[1];
	return b > 0 ? fmax(0, pass->data - rise + b / l / l * (l * rise - b * (pass->data - before))) : pass->data;
}

/* After a pass on whose way the data term rose. Where the penalty fell by more, groups do what they should. One that is not made
 * leaves x and its data term as they were. Momentum that starts anew is enough while each rise begins lower than the one before. */
static void tame(struct state *s, struct pass *pass, double prior)
{
	const double rise = pass->data - s->data + prior - s->prior;
	if (rise <= (RISE - 1) * s->data)
		return;
	pass->undone = !(rise <= (FAR - 1) * s->data) && s->share > 0;
	if (pass->undone || !(s->data < s->lowest))
		s->share = s->share > LEAST ? LESS * s->share : 0;
	s->lowest = s->data;
	s->at.t = 1;
	if (pass->undone) {
		gt_copy(s->old, s->at.x);
		gt_copy(s->old, s->at.v);
		pass->data = s->data;
		pass->change2 = 0;
	}
}

/* All groups once. */
static struct pass sweep(struct state *s, int iteration)
{
	struct pass pass = { 0, NAN, NAN, 0, { 0, 0 }, 0, { 0, 0 }, 0 };
	const size_t groups = groups_in(s, iteration);
	const int watched = groups > 1 && s->o->restart && s->o->momentum;
	double prior = 0;
	if (groups > 1)
		pass.penalty = s->prior;
	if (groups != s->groups) {
		s->groups = groups;
		gt_ordered_subsets_fill_order(GT_OS_BIT_REVERSED, groups, s->order);
	}
	if (fewer(s, iteration)) {
		s->at.t = 1;
		s->share = 1;
		s->lowest = INFINITY;
	}
	if (groups > 1)
		gt_copy(s->at.x, s->old);
	for (size_t i = 0; i < groups; i++)
		step(s, s->order[i], &pass);
	gt_distance2_async(s->at.x, groups > 1 ? s->old : s->at.v, &pass.change2);
	if (groups > 1)
		gt_penalty_value_async(s->p->R, s->at.x, &prior);
	gt_reductions_wait(gt_array_backend(s->at.x));
	for (size_t k = 0; k < s->p->subsets; k++)
		pass.data += s->square[k] / 2;
	if (groups == 1)
		pass.data = at_iterate(&pass, s->data);
	if (watched && !(pass.data <= RISE * s->data))
		tame(s, &pass, prior);
	else if (s->o->restart && pass.side[0] > pass.side[1])
		s->at.t = 1;
	s->data = pass.data;
	if (!pass.undone)
		s->prior = prior;
	return pass;
}

/* Arrays change places: new for every iteration. */
static const gt_state_entry *kept(struct state *s)
{
	gt_state_entry *list = s->kept;
	list[0] = (gt_state_entry){ "x", s->at.x, NULL };
	if (s->o->momentum) {
		list[1] = (gt_state_entry){ "before", s->at.v, NULL };
		list[2] = (gt_state_entry){ "t", NULL, &s->at.t };
		list[3] = (gt_state_entry){ "data", NULL, &s->data };
		list[4] = (gt_state_entry){ "share", NULL, &s->share };
		list[5] = (gt_state_entry){ "lowest", NULL, &s->lowest };
	}
	return list;
}

/* With one group the gradient is that of z, all else of the iterate that the step was made from; before, what the subsets found on their way. */
static gt_progress progress(struct state *s, int k, const struct pass *pass)
{
	gt_progress g;
	gt_progress_of(k, s->o->iterations, s->at.x, &g);
	g.data = pass->data;
	g.penalty = pass->penalty;
	g.cost = pass->data + pass->penalty;
	g.gradient = sqrt(pass->gradient2);
	g.change = sqrt(pass->change2 / (double)gt_array_size(s->at.x));
	g.subset_fraction = fewer(s, k) || pass->undone ? 0 : (double)s->groups / (double)s->p->subsets;
	g.cost_of = s->groups > 1 ? s->old : s->at.v;
	g.cost_is_partial = s->groups > 1;
	g.kept = kept(s);
	if (!s->p->w)
		g.residual = sqrt(2 * pass->data);
	return g;
}

static void release(struct state *s)
{
	gt_pwls_room_free(&s->room);
	gt_array_free(s->own[0]);
	gt_array_free(s->own[1]);
	gt_array_free(s->d);
	gt_array_free(s->t);
	gt_array_free(s->old);
	free(s->order);
	free(s->square);
}

static gt_status run(const gt_problem *p, const void *options, gt_array *x, const gt_monitor *m)
{
	struct state s = { .p = p, .o = options, .data = INFINITY, .share = 1, .lowest = INFINITY };
	gt_status st = GT_OK;
	int done;
	GT_TRY(prepare(&s, x));
	GT_TRY(gt_resume(m, kept(&s), &done));
	if (p->subsets > 1) {
		gt_penalty_value_async(p->R, s.at.x, &s.prior);
		gt_reductions_wait(gt_array_backend(s.at.x));
	}
	for (int k = done + 1; k <= s.o->iterations; k++) {
		const struct pass pass = sweep(&s, k);
		const gt_progress g = progress(&s, k, &pass);
		if (!isfinite(pass.data) || !isfinite(pass.change2))
			GT_TRY(gt_fail(GT_ERR_DIVERGED, "solver 'os-sqs' diverged: its cost is not finite in iteration %d", k));
		GT_TRY(gt_report(m, &g));
	}
done:
	if (s.at.x && s.at.x != x)
		gt_copy(s.at.x, x);
	release(&s);
	return st;
}

const gt_solver gt_solver_os_sqs = {
	.name = "os-sqs",
	.about = "weights and a smooth penalty, soon near the minimum: ordered subsets with momentum (Kim, Ramani, Fessler 2015)",
	.traits = GT_SUPPORTS_TEAM | GT_SUPPORTS_SUBSETS | GT_SUPPORTS_BOUNDS | GT_SUPPORTS_WEIGHTS | GT_SUPPORTS_GRADIENT |
	          GT_PLANS_ITERATIONS,
	.params = params,
	.defaults = &defaults,
	.options_size = sizeof defaults,
	.run = run,
	.subsets = subsets,
	.nonneg = nonneg,
};
