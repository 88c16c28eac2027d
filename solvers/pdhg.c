/* Primal-dual hybrid gradients for penalised weighted least squares,
 *    q <- (q + s W(A z - b))/(1 + s),   x+ <- argmin over the box of R + <A'q, .> + 1/2 |. - x|_P^2,   z = x+ + theta (x+ - x)
 * Chambolle and Pock, J. Math. Imaging Vis. 40 (2011) 120, algorithm 2, with matrix steps as in Pock and Chambolle,
 * ICCV 2011: s W for the data and 1/P for the volume.
 * Convergence needs P >= s A'WA; P = s M with M = A'WA1 satisfies it, because A has no negative entries. The dual
 * problem is strongly convex with constant 1 in the norm of 1/W, as algorithm 2 requires.
 *    R with a proximal step: P = s max M, a number.
 *    R with a gradient only: Condat, J. Optim. Theory Appl. 158 (2013) 460, and Vu, Adv. Comput. Math. 38 (2013) 667: R is
 *    replaced by <R'(x), .>, and P = s M + D/2 with R's majorizer D. Then theta = 1, and 1/s grows by 1 per step: the
 *    norms in which the iterates are measured must not grow.
 * Decrease and restart of s: steps/dual_step.h.
 * A z is a combination of A x of two iterates, because A is linear. An iteration has one forward and one adjoint, and
 * the cost at x is known. */
#include <math.h>
#include "core/try.h"
#include "solvers/steps/options.h"
#include "solvers/pwls.h"
#include "solvers/steps/dual_step.h"
#include "solvers/steps/primal_step.h"

struct options {
	int iterations, nonneg;
	double sigma;
};
static const struct options defaults = { .iterations = 200, .nonneg = 1, .sigma = 0 };
static const gt_param params[] = {
	OPTION_INT(iterations, "largest number of iterations", 0, 1e6),
	OPTION_FLAG(nonneg, "keep x >= 0"),
	OPTION_REAL(sigma, "0: the dual step adapts; else the least that it falls to, relative to the weights: small for many iterations",
	            0, 1),
	{ .key = NULL },
};
static int nonneg(const void *options) { return ((const struct options *)options)->nonneg; }

struct state {
	const gt_problem *p;
	gt_array *q, *r, *before; /* as large as the data: dual variable, W(A x - b), and its previous value */
	gt_primal_step to;
	gt_state_entry kept[8];
	gt_dual_step s;
};

static gt_status prepare(struct state *s, const gt_array *x)
{
	gt_status st = GT_OK;
	const gt_array *b = s->p->b[0];
	GT_TRY(gt_array_like(b, &s->q));
	GT_TRY(gt_array_like(b, &s->r));
	GT_TRY(gt_array_like(b, &s->before));
	GT_TRY(gt_primal_step_new(s->p, s->r, x, &s->to));
	gt_pwls_residual(s->p, 0, x, s->r);
	gt_copy(s->r, s->before);
	gt_fill(0, s->q);
	GT_TRY(gt_backend_status(gt_array_backend(x)));
	if (!(s->to.max > 0))
		st = gt_fail(GT_ERR_ARG, "solver 'pdhg': no ray of weight above 0 meets the volume");
done:
	return st;
}

static void iterate(struct state *s, gt_array *x, gt_progress *g)
{
	const double theta = s->s.theta, part = theta > 0 ? s->s.sigma / (1 + s->s.sigma) : 1;
	gt_axpby(1 + theta, s->r, -theta, s->before); /* used as scratch */
	gt_axpby(part, s->before, 1 - part, s->q);
	gt_adjoint(s->p->A[0], s->q, s->to.g);
	gt_primal_step_take(&s->to, s->s.sigma, x);
	double moved, square;
	gt_distance2_async(s->to.g, x, &moved);
	gt_copy(s->to.g, x);
	gt_array *const swap = s->before;
	s->before = s->r;
	s->r = swap;
	gt_pwls_residual_later(s->p, 0, x, s->r, &square);
	gt_penalty_value_async(s->p->R, x, &g->penalty);
	gt_reductions_wait(gt_array_backend(x));
	g->change = sqrt(moved / (double)gt_array_size(x));
	g->data = square / 2;
	if (!s->p->w)
		g->residual = sqrt(square);
	g->cost = g->data + g->penalty;
	gt_dual_step_update(&s->s, g->cost);
}

/* Rebuilt in every iteration, because the arrays are swapped. */
static const gt_state_entry *kept(struct state *s, gt_array *x)
{
	gt_state_entry *list = s->kept;
	list[0] = (gt_state_entry){ "x", x, NULL };
	list[1] = (gt_state_entry){ "dual", s->q, NULL };
	list[2] = (gt_state_entry){ "residual_before", s->before, NULL };
	if (!(s->s.min > 0)) {
		list[3] = (gt_state_entry){ "sigma", NULL, &s->s.sigma };
		list[4] = (gt_state_entry){ "theta", NULL, &s->s.theta };
		list[5] = (gt_state_entry){ "begun", NULL, &s->s.begun };
		list[6] = (gt_state_entry){ "lowest", NULL, &s->s.lowest };
	}
	return list;
}

/* Steps that do not adapt follow from their number. */
static gt_status resume(struct state *s, gt_array *x, const gt_monitor *m, int *done)
{
	const gt_status st = gt_resume(m, kept(s, x), done);
	if (st != GT_OK || !*done)
		return st;
	gt_pwls_residual(s->p, 0, x, s->r);
	for (int k = 1; k <= *done && s->s.min > 0; k++)
		gt_dual_step_next(&s->s);
	return st;
}

static gt_status run(const gt_problem *p, const void *options, gt_array *x, const gt_monitor *m)
{
	const struct options *o = options;
	struct state s = { .p = p, .s = { .sigma = 1, .min = o->sigma } };
	gt_status st = GT_OK;
	if (p->R && !gt_penalty_is_convex(p->R))
		return gt_fail(GT_ERR_ARG, "solver 'pdhg' needs a convex penalty, which '%s' is not", gt_penalty_name(p->R));
	int done;
	s.s.plain = p->R && !(gt_penalty_has(p->R) & GT_HAS_PROX);
	/* Increases within the rounding of the residuals do not count. */
	s.s.fine = gt_array_type(x) == GT_F64 ? 1e-13 : 1e-7;
	GT_TRY(prepare(&s, x));
	GT_TRY(resume(&s, x, m, &done));
	for (int k = done + 1; k <= o->iterations; k++) {
		gt_progress g;
		gt_progress_of(k, o->iterations, x, &g);
		iterate(&s, x, &g);
		g.kept = kept(&s, x);
		GT_TRY(gt_report(m, &g));
	}
done:
	gt_array_free(s.q);
	gt_array_free(s.r);
	gt_array_free(s.before);
	gt_primal_step_free(&s.to);
	return st;
}

const gt_solver gt_solver_pdhg = {
	.name = "pdhg",
	.about = "primal-dual: bounds and a penalty with a proximal step such as tv, where fista is slow (Chambolle, Pock 2011)",
	.traits = GT_SUPPORTS_TEAM | GT_SUPPORTS_BOUNDS | GT_SUPPORTS_WEIGHTS | GT_SUPPORTS_GRADIENT | GT_SUPPORTS_PROX,
	.params = params,
	.defaults = &defaults,
	.options_size = sizeof defaults,
	.run = run,
	.nonneg = nonneg,
};
