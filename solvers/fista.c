/* Penalised weighted least squares by projected or proximal gradient steps with Nesterov's momentum: Beck and Teboulle, SIAM J.
 * Imaging Sci. 2 (2009) 183. The momentum is given up where it points uphill (O'Donoghue and Candes, Found. Comput. Math. 15
 * (2015) 715), and a step with it that raises the cost is replaced by one without, which cannot.
 * Penalties with a proximal step enter by it, with the same constant in all voxels: that is the penalty itself, where a
 * gradient may be of a smoothed one. Others, or all with prox=no, are part of the smooth cost, under a diagonal that majorizes it (A'WA1
 * and the penalty's own; no entry of A may be negative). With anderson, in place of the momentum, the step without it
 * is accelerated as a fixed-point iteration (solvers/anderson.h; Mai and Johansson, ICML 2020, PMLR 119, 6620), and
 * the plain step taken where that raises the cost.
 *
 * One forward and one adjoint per iteration, and as many more where a step is replaced: the residual at the extrapolated point
 * comes from those of the two iterates. Beside x: 3 volumes (2 with a prox), with anderson 2 for each
 * difference and 1; beside data and weights: 2 arrays as large as these.
 * Reductions in an iteration: 4, and the value of the penalty; 1 more, and the value again, where a step is replaced;
 * with anderson 1, and products that are waited for twice. */
#include <math.h>
#include "core/try.h"
#include "solvers/anderson.h"
#include "solvers/pwls.h"

enum prox { AUTO, YES, NO };
static const char *const proxes[] = { "auto", "yes", "no", NULL };

struct options {
	int iterations, nonneg, restart, prox, anderson;
};
static const struct options defaults = { .iterations = 100, .nonneg = 1, .restart = 1, .prox = AUTO };
#define AT(field) offsetof(struct options, field)
static const gt_param params[] = {
	{ .key = "iterations", .help = "largest number of iterations", .kind = GT_INT, .at = AT(iterations), .least = 0, .most = 1e6 },
	{ .key = "nonneg", .help = "keep x >= 0", .kind = GT_FLAG, .at = AT(nonneg) },
	{ .key = "restart", .help = "restart the momentum where it increases the cost", .kind = GT_FLAG, .at = AT(restart) },
	{ .key = "prox",
	  .help = "take the penalty by its proximal step, not its gradient; auto: if it has one",
	  .kind = GT_CHOICE,
	  .at = AT(prox),
	  .names = proxes },
	GT_ANDERSON(struct options, anderson),
	{ .key = NULL },
};
static int nonneg(const void *options) { return ((const struct options *)options)->nonneg; }

struct state {
	const gt_problem *p;
	const struct options *o;
	gt_pwls_point at;
	gt_array *own[2], *d; /* volumes to free; the third of at is the caller's */
	gt_array *r, *q;      /* weighted residuals: at x; at the iterate before, then at v, then at the next iterate */
	int prox;
	double data, penalty; /* at x */
	double moved;         /* |x - the one before|^2 */
	gt_anderson mixed;
	gt_state_entry kept[4 + GT_ANDERSON_KEPT];
};

static gt_status choose(struct state *s)
{
	const gt_penalty *R = s->p->R;
	s->prox = s->o->prox == YES || (s->o->prox == AUTO && R && gt_penalty_has(R) & GT_HAS_PROX);
	return gt_pwls_needs("fista", R, s->prox ? GT_HAS_PROX : GT_HAS_GRADIENT);
}

/* The majorizer, a diagonal or a number. */
static gt_status majorize(struct state *s)
{
	gt_status st = GT_OK;
	if (s->prox) {
		s->at.L = gt_pwls_largest(s->p, s->q, s->at.g);
		return GT_OK;
	}
	GT_TRY(gt_array_like(s->at.x, &s->d));
	gt_pwls_denominator(s->p, &s->q, NULL, s->at.g, s->d);
	gt_penalty_majorize(s->p->R, s->d);
	s->at.d = s->d;
	s->at.least = gt_pwls_threshold(s->d);
done:
	return st;
}

/* Arrays change places: new for every iteration. */
static const gt_state_entry *kept(struct state *s)
{
	gt_state_entry *list = s->kept;
	size_t n = 0;
	list[n++] = (gt_state_entry){ "x", s->at.x, NULL };
	if (!s->mixed.depth) {
		list[n++] = (gt_state_entry){ "before", s->at.v, NULL };
		list[n++] = (gt_state_entry){ "t", NULL, &s->at.t };
	}
	n += gt_anderson_kept(&s->mixed, list + n);
	list[n] = (gt_state_entry){ NULL, NULL, NULL };
	return list;
}

/* Residuals and costs are computed again as they were. */
static gt_status resume(struct state *s, const gt_monitor *m, int *done)
{
	const gt_status st = gt_resume(m, kept(s), done);
	if (st != GT_OK || !*done)
		return st;
	s->data = gt_pwls_residual(s->p, 0, s->at.x, s->r);
	s->penalty = gt_penalty_value(s->p->R, s->at.x);
	gt_anderson_resume(&s->mixed);
	if (!s->mixed.depth)
		gt_pwls_residual(s->p, 0, s->at.v, s->q);
	return st;
}

/* Without momentum: the point before is x itself. */
static void stand_still(struct state *s)
{
	s->at.t = 1;
	gt_copy(s->at.x, s->at.v);
	gt_copy(s->r, s->q);
}

static gt_status prepare(struct state *s, gt_array *x)
{
	gt_status st = GT_OK;
	GT_TRY(choose(s));
	GT_TRY(gt_array_like(x, &s->own[0]));
	GT_TRY(gt_array_like(x, &s->own[1]));
	GT_TRY(gt_array_like(s->p->b[0], &s->r));
	GT_TRY(gt_array_like(s->p->b[0], &s->q));
	s->at = (gt_pwls_point){ .x = x, .v = s->own[0], .g = s->own[1] };
	GT_TRY(majorize(s));
	GT_TRY(gt_anderson_new("fista", x, s->o->anderson, &s->mixed));
	gt_clamp(s->p->lo, s->p->hi, x);
	s->data = gt_pwls_residual(s->p, 0, x, s->r);
	s->penalty = gt_penalty_value(s->p->R, x);
	stand_still(s);
done:
	return st;
}

/* From v and its residual in q to the next iterate, in g. */
static void step(struct state *s)
{
	const gt_problem *p = s->p;
	gt_pwls_point *at = &s->at;
	gt_adjoint(p->A[0], s->q, at->g);
	if (!s->prox) {
		gt_penalty_gradient(p->R, at->v, at->g, NULL);
		gt_pwls_step(at, p->lo, p->hi);
	} else if (at->L > 0) {
		gt_axpby(1, at->v, -1 / at->L, at->g);
		gt_penalty_prox(p->R, 1 / at->L, p->lo, p->hi, at->g, at->g);
	} else {
		gt_copy(at->v, at->g);
	}
}

/* Residual, data, penalty at the next iterate, and how far it is; returns its cost. */
static double judge(struct state *s, double *data, double *penalty)
{
	double square;
	gt_pwls_residual_later(s->p, 0, s->at.g, s->q, &square);
	gt_penalty_value_async(s->p->R, s->at.g, penalty);
	gt_distance2_async(s->at.g, s->at.x, &s->moved);
	gt_reductions_wait(gt_array_backend(s->q));
	*data = square / 2;
	return *data + *penalty;
}

/* Rises within the rounding of the residuals are none. */
static int rises(const struct state *s, double cost, double before)
{
	return cost > before + (gt_array_type(s->at.x) == GT_F64 ? 1e-13 : 1e-6) * fabs(before);
}

/* One step with momentum, or without if that raises the cost. */
static void iterate(struct state *s, double *data, double *penalty)
{
	gt_pwls_point *at = &s->at;
	const double before = s->data + s->penalty, beta = gt_pwls_momentum(at);
	double side[2] = { 0, 0 };
	gt_axpby(1 + beta, at->x, -beta, at->v);
	gt_axpby(1 + beta, s->r, -beta, s->q);
	step(s);
	if (s->o->restart && beta > 0)
		gt_pwls_uphill_later(at, side);
	const double cost = judge(s, data, penalty);
	if (s->o->restart && beta > 0 && rises(s, cost, before)) {
		stand_still(s);
		step(s);
		judge(s, data, penalty);
	}
	if (side[0] > side[1])
		at->t = 1;
}

/* One step without momentum, mixed with those before. */
static void iterate_mixed(struct state *s, double *data, double *penalty)
{
	const double before = s->data + s->penalty;
	stand_still(s);
	step(s);
	gt_anderson_mix(&s->mixed, s->at.x, s->p->lo, s->p->hi, s->at.g);
	if (rises(s, judge(s, data, penalty), before)) {
		gt_anderson_undo(&s->mixed, s->at.g);
		judge(s, data, penalty);
	}
}

static void accept(struct state *s)
{
	gt_array *spare = s->r;
	gt_pwls_accept(&s->at);
	s->r = s->q;
	s->q = spare;
}

static gt_progress progress(struct state *s, int k)
{
	gt_progress g;
	gt_progress_of(k, s->o->iterations, s->at.x, &g);
	g.kept = kept(s);
	g.data = s->data;
	g.penalty = s->penalty;
	g.cost = s->data + s->penalty;
	g.change = sqrt(s->moved / (double)gt_array_size(s->at.x));
	if (!s->p->w)
		g.residual = sqrt(2 * s->data);
	return g;
}

static gt_status run(const gt_problem *p, const void *options, gt_array *x, const gt_monitor *m)
{
	struct state s = { .p = p, .o = options };
	gt_status st = GT_OK;
	int done;
	GT_TRY(prepare(&s, x));
	GT_TRY(resume(&s, m, &done));
	for (int k = done + 1; k <= s.o->iterations; k++) {
		double data, penalty;
		(s.mixed.depth ? iterate_mixed : iterate)(&s, &data, &penalty);
		s.data = data;
		s.penalty = penalty;
		accept(&s);
		const gt_progress g = progress(&s, k);
		if (!isfinite(g.cost))
			GT_TRY(gt_fail(GT_ERR_DIVERGED, "solver 'fista' diverged: its cost is not finite after iteration %d", k));
		GT_TRY(gt_report(m, &g));
	}
done:
	if (s.at.x && s.at.x != x)
		gt_copy(s.at.x, x);
	gt_anderson_free(&s.mixed);
	gt_array_free(s.own[0]);
	gt_array_free(s.own[1]);
	gt_array_free(s.d);
	gt_array_free(s.r);
	gt_array_free(s.q);
	return st;
}

const gt_solver gt_solver_fista = {
	.name = "fista",
	.about = "any convex penalty and bounds to the exact minimum, nothing to tune; the first to try (Beck, Teboulle 2009)",
	.traits = GT_SUPPORTS_TEAM | GT_SUPPORTS_BOUNDS | GT_SUPPORTS_WEIGHTS | GT_SUPPORTS_GRADIENT | GT_SUPPORTS_PROX,
	.params = params,
	.defaults = &defaults,
	.options_size = sizeof defaults,
	.run = run,
	.nonneg = nonneg,
};
