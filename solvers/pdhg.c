/* Primal-dual hybrid gradients for penalised weighted least squares,
 *   q <- (q + s W(A z - b))/(1 + s),   x+ <- argmin over the box of R + <A'q, .> + 1/2 |. - x|_P^2,   z = x+ + theta (x+ - x)
 * Chambolle and Pock, J. Math. Imaging Vis. 40 (2011) 120, algorithm 2; the steps are matrices as in Pock and Chambolle, ICCV 2011,
 * here s W for the data and 1/P for the volume, with P >= s A'WA for convergence; that is P = s M with M = A'WA1, as A has no negative
 * entries. Then the dual problem is strongly convex with constant 1 in the norm of 1/W, which is what algorithm 2 needs.
 *   R with a proximal step: P = s max M, a number.
 *   R with a gradient only: Condat, J. Optim. Theory Appl. 158 (2013) 460, and Vu, Adv. Comput. Math. 38 (2013) 667: R is replaced by
 *   <R'(x), .>, and P = s M + D/2 with R's majorizer D. Then theta = 1, and 1/s grows by 1 each time: the norms in which the iterates are
 *   measured must not grow.
 * Those proofs hold with any smaller constant of convexity too: a third lets s fall as 3/k, as fast as Nesterov's
 * momentum gains. Steps that became too small for the problem let the iterates circle about the minimum: so where
 * the cost rises above the lowest since s was 1, s is 1 again and q is W(A x - b), which is a plain step down from
 * x. That is how O'Donoghue and Candes, Found. Comput. Math. 15 (2015) 715, restart momentum; restarts of this
 * method: Applegate, Hinder, Lu and Lubin, Math. Program. 201 (2023) 133. It is done only if the cost is not above
 * that after the last such step: then those steps alone lower the cost, or there is a last one, from where on the
 * proofs hold as they stand. With sigma above 0 the constant is 1, s stops at that value, and nothing starts again.
 * A x is linear in x, so that z is formed from the projections: one forward and one adjoint in an iteration, and the
 * cost is known at x. */
#include <math.h>
#include "core/try.h"
#include "solvers/pwls.h"

struct options {
	int iterations, nonneg;
	double sigma;
};
static const struct options defaults = { .iterations = 200, .nonneg = 1, .sigma = 0 };
#define AT(field) offsetof(struct options, field)
static const gt_param params[] = {
	{ .key = "iterations", .help = "largest number of iterations", .kind = GT_INT, .at = AT(iterations), .least = 0, .most = 1e6 },
	{ .key = "nonneg", .help = "keep x >= 0", .kind = GT_FLAG, .at = AT(nonneg) },
	{ .key = "sigma",
	  .help = "0: the dual step adapts; else the least that it falls to, relative to the weights: small for many iterations",
	  .kind = GT_REAL,
	  .at = AT(sigma),
	  .least = 0,
	  .most = 1 },
	{ .key = NULL },
};
static int nonneg(const void *options) { return ((const struct options *)options)->nonneg; }

/* In the constant of convexity that is made use of where steps adapt. */
#define PART (1. / 3)

struct state {
	const gt_problem *p;
	gt_array *q, *r, *before;   /* data: dual variable, W(A x - b), the same one iteration ago */
	gt_array *g, *step, *M, *D; /* volumes; step: P, or M without a penalty, no prox; M and D/2: for R's gradient */
	int prox;
	gt_state_entry kept[8];
	double least;               /* of sigma; 0: it adapts */
	double sigma, theta;        /* theta is 0 where s begins */
	double most, unseen;        /* the largest M; the one below which a voxel stays as it is */
	double begun, lowest, fine; /* the cost after the step with which s began, the lowest since; no rise */
};

static void next_sigma(struct state *s)
{
	const double convex = s->least > 0 ? 1 : PART;
	const double accelerated = s->D ? s->sigma / (1 + convex * s->sigma) : s->sigma / sqrt(1 + 2 * convex * s->sigma);
	const double sigma = accelerated > s->least ? accelerated : s->least;
	s->theta = s->D ? 1 : sigma / s->sigma;
	s->sigma = sigma;
}

/* Does the cost rise? Then s begins anew. */
static void look(struct state *s, double cost)
{
	const int begins = !(s->theta > 0);
	if (begins) {
		s->begun = s->lowest = cost;
	} else if (!(s->least > 0) && cost > s->lowest + s->fine * fabs(s->lowest) && cost <= s->begun) {
		s->sigma = 1;
		s->theta = 0;
		return;
	}
	s->lowest = fmin(s->lowest, cost);
	next_sigma(s);
}

/* P where s is 1, and what of it is needed. */
static gt_status first_step(struct state *s, const gt_array *x)
{
	gt_status st = GT_OK;
	const gt_problem *p = s->p;
	GT_TRY(gt_array_like(x, &s->step));
	gt_pwls_denominator(p, &s->r, NULL, s->g, s->step);
	s->most = gt_max(s->step);
	s->unseen = gt_pwls_threshold(s->step);
	if (s->prox) {
		gt_array_free(s->step);
		s->step = NULL;
	} else if (p->R) {
		GT_TRY(gt_array_like(x, &s->M));
		GT_TRY(gt_array_like(x, &s->D));
		gt_copy(s->step, s->M);
		gt_fill(0, s->D);
		gt_penalty_majorize(p->R, s->D);
		gt_scale(0.5, s->D);
	}
done:
	return st;
}

static gt_status prepare(struct state *s, const gt_array *x)
{
	gt_status st = GT_OK;
	const gt_array *b = s->p->b[0];
	GT_TRY(gt_array_like(b, &s->q));
	GT_TRY(gt_array_like(b, &s->r));
	GT_TRY(gt_array_like(b, &s->before));
	GT_TRY(gt_array_like(x, &s->g));
	GT_TRY(first_step(s, x));
	gt_pwls_residual(s->p, 0, x, s->r);
	gt_copy(s->r, s->before);
	gt_fill(0, s->q);
	GT_TRY(gt_backend_status(gt_array_backend(x)));
	if (!(s->most > 0))
		st = gt_fail(GT_ERR_ARG, "solver 'pdhg': no ray of weight above 0 meets the volume");
done:
	return st;
}

/* q from the residuals at x and at the x before, which then serves as scratch. */
static void dual(struct state *s)
{
	const double theta = s->theta, part = theta > 0 ? s->sigma / (1 + s->sigma) : 1;
	gt_axpby(1 + theta, s->r, -theta, s->before);
	gt_axpby(part, s->before, 1 - part, s->q);
}

/* The new x, in g. */
static void primal(struct state *s, const gt_array *x)
{
	const gt_problem *p = s->p;
	gt_adjoint(p->A[0], s->q, s->g);
	if (s->prox) {
		const double t = 1 / (s->sigma * s->most);
		gt_xpay(x, -t, s->g);
		gt_penalty_prox(p->R, t, p->lo, p->hi, s->g, s->g);
	} else if (s->D) {
		gt_copy(s->M, s->step);
		gt_xpay(s->D, s->sigma, s->step);
		gt_penalty_gradient(p->R, x, s->g, NULL);
		gt_divide_step(x, s->step, s->sigma * s->unseen, p->lo, p->hi, s->g);
	} else {
		gt_scale(1 / s->sigma, s->g);
		gt_divide_step(x, s->step, s->unseen, p->lo, p->hi, s->g);
	}
}

static void iterate(struct state *s, gt_array *x, gt_progress *g)
{
	dual(s);
	primal(s, x);
	double moved, square;
	gt_distance2_async(s->g, x, &moved);
	gt_copy(s->g, x);
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
	look(s, g->cost);
}

/* Arrays change places: new for every iteration. */
static const gt_state_entry *kept(struct state *s, gt_array *x)
{
	gt_state_entry *list = s->kept;
	list[0] = (gt_state_entry){ "x", x, NULL };
	list[1] = (gt_state_entry){ "dual", s->q, NULL };
	list[2] = (gt_state_entry){ "residual_before", s->before, NULL };
	if (!(s->least > 0)) {
		list[3] = (gt_state_entry){ "sigma", NULL, &s->sigma };
		list[4] = (gt_state_entry){ "theta", NULL, &s->theta };
		list[5] = (gt_state_entry){ "begun", NULL, &s->begun };
		list[6] = (gt_state_entry){ "lowest", NULL, &s->lowest };
	}
	return list;
}

/* Steps that do not adapt follow from their number alone. */
static gt_status resume(struct state *s, gt_array *x, const gt_monitor *m, int *done)
{
	const gt_status st = gt_resume(m, kept(s, x), done);
	if (st != GT_OK || !*done)
		return st;
	gt_pwls_residual(s->p, 0, x, s->r);
	for (int k = 1; k <= *done && s->least > 0; k++)
		next_sigma(s);
	return st;
}

static gt_status run(const gt_problem *p, const void *options, gt_array *x, const gt_monitor *m)
{
	const struct options *o = options;
	struct state s = { .p = p, .prox = p->R && gt_penalty_has(p->R) & GT_HAS_PROX, .sigma = 1, .least = o->sigma };
	gt_status st = GT_OK;
	if (p->R && !gt_penalty_is_convex(p->R))
		return gt_fail(GT_ERR_ARG, "solver 'pdhg' needs a convex penalty, which '%s' is not", gt_penalty_name(p->R));
	int done;
	/* Rises within the rounding of the residuals are none. */
	s.fine = gt_array_type(x) == GT_F64 ? 1e-13 : 1e-7;
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
	gt_array_free(s.g);
	gt_array_free(s.M);
	gt_array_free(s.D);
	gt_array_free(s.step);
	return st;
}

const gt_solver gt_solver_pdhg = {
	.name = "pdhg",
	.about = "a penalty by its proximal step, as tv, and bounds, where fista is slow: primal-dual (Chambolle, Pock 2011)",
	.traits = GT_SUPPORTS_TEAM | GT_SUPPORTS_BOUNDS | GT_SUPPORTS_WEIGHTS | GT_SUPPORTS_GRADIENT | GT_SUPPORTS_PROX,
	.params = params,
	.defaults = &defaults,
	.options_size = sizeof defaults,
	.run = run,
	.nonneg = nonneg,
};
