/* Penalised weighted least squares by projected or proximal gradient steps with Nesterov momentum: Beck and Teboulle,
 * SIAM J. Imaging Sci. 2 (2009) 183.
 * The momentum restarts if it points uphill (O'Donoghue and Candes, Found. Comput. Math. 15 (2015) 715). A step that
 * raises the cost is replaced by one without momentum, which cannot.
 * A penalty with a proximal step uses it, with the same majorizer in all voxels. It is then the exact penalty; a
 * gradient may belong to a smoothed one.
 * Other penalties, or all with prox=no, are part of the smooth cost. Its diagonal majorizer is A'WA1 plus the
 * penalty's; A must have no negative entry.
 * With anderson, Anderson acceleration of the plain step replaces the momentum (solvers/anderson.h; Mai and
 * Johansson, ICML 2020, PMLR 119, 6620). The plain step is used if acceleration raises the cost.
 *
 * Operators per iteration: one forward and one adjoint, and again for a replaced step. The residual at the
 * extrapolated point is a combination of those of the two iterates.
 * Memory: 3 volumes in addition to x (2 with a proximal step), with anderson 2 per difference and 1; 2 arrays as
 * large as the data.
 * Reductions per iteration: 4 and the value of the penalty; 1 more and the value for a replaced step; with anderson 1
 * more, and products with two waits. */
#include <math.h>
#include "core/try.h"
#include "solvers/steps/fista_step.h"

enum prox { AUTO, YES, NO };
static const char *const proxes[] = { "auto", "yes", "no", NULL };

static const struct gt_fista_options defaults = { .iterations = 100, .nonneg = 1, .restart = 1, .prox = AUTO };
#define AT(field) offsetof(struct gt_fista_options, field)
static const gt_param params[] = {
	{ .key = "iterations", .help = "largest number of iterations", .kind = GT_INT, .at = AT(iterations), .min = 0, .max = 1e6 },
	{ .key = "nonneg", .help = "keep x >= 0", .kind = GT_FLAG, .at = AT(nonneg) },
	{ .key = "restart", .help = "restart the momentum where it increases the cost", .kind = GT_FLAG, .at = AT(restart) },
	{ .key = "prox",
	  .help = "take the penalty by its proximal step, not its gradient; auto: if it has one",
	  .kind = GT_CHOICE,
	  .at = AT(prox),
	  .names = proxes },
	GT_ANDERSON(struct gt_fista_options, anderson),
	{ .key = NULL },
};
static int nonneg(const void *options) { return ((const struct gt_fista_options *)options)->nonneg; }

static gt_status choose(gt_fista *s)
{
	const gt_penalty *R = s->p->R;
	s->prox = s->o->prox == YES || (s->o->prox == AUTO && R && gt_penalty_has(R) & GT_HAS_PROX);
	return gt_pwls_needs("fista", R, s->prox ? GT_HAS_PROX : GT_HAS_GRADIENT);
}

/* Rebuilt in every iteration, because the arrays are swapped. */
static const gt_state_entry *kept(gt_fista *s)
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

/* Recomputes residuals and costs from the state. */
static gt_status resume(gt_fista *s, const gt_monitor *m, int *done)
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

static gt_status prepare(gt_fista *s, gt_array *x)
{
	gt_status st = GT_OK;
	GT_TRY(choose(s));
	GT_TRY(gt_array_like(x, &s->own[0]));
	GT_TRY(gt_array_like(x, &s->own[1]));
	GT_TRY(gt_array_like(s->p->b[0], &s->r));
	GT_TRY(gt_array_like(s->p->b[0], &s->q));
	s->at = (gt_pwls_point){ .x = x, .v = s->own[0], .g = s->own[1] };
	GT_TRY(gt_fista_majorize(s));
	GT_TRY(gt_anderson_new("fista", x, s->o->anderson, &s->mixed));
	gt_clamp(s->p->lo, s->p->hi, x);
	s->data = gt_pwls_residual(s->p, 0, x, s->r);
	s->penalty = gt_penalty_value(s->p->R, x);
	gt_fista_stand_still(s);
done:
	return st;
}

static gt_progress progress(gt_fista *s, int k)
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
	gt_fista s = { .p = p, .o = options };
	gt_status st = GT_OK;
	int done;
	GT_TRY(prepare(&s, x));
	GT_TRY(resume(&s, m, &done));
	for (int k = done + 1; k <= s.o->iterations; k++) {
		double data, penalty;
		(s.mixed.depth ? gt_fista_iterate_mixed : gt_fista_iterate)(&s, &data, &penalty);
		s.data = data;
		s.penalty = penalty;
		gt_fista_accept(&s);
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
	.about = "FISTA: exact minimum with any convex penalty and bounds, no tuning; try it first (Beck, Teboulle 2009)",
	.traits = GT_SUPPORTS_TEAM | GT_SUPPORTS_BOUNDS | GT_SUPPORTS_WEIGHTS | GT_SUPPORTS_GRADIENT | GT_SUPPORTS_PROX,
	.params = params,
	.defaults = &defaults,
	.options_size = sizeof defaults,
	.run = run,
	.nonneg = nonneg,
};
