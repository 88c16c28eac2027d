/* ADMM for penalised weighted least squares. It splits x = z, with the data term at x, penalty and bounds at z:
 *    x <- argmin 1/2 |A x - b|_W^2 + rho/2 |x - z + u|^2, z <- argmin in the box R + rho/2 |x + u - .|^2, u <- u + x - z
 * (Boyd, Parikh, Chu, Peleato and Eckstein, Found. Trends Mach. Learn. 3 (2011) 1, sections 3 and 5). The x step is a
 * warm-started conjugate gradient method of few steps; inexact steps suffice (Eckstein and Bertsekas, Math. Program.
 * 55 (1992) 293).
 * The result is z, which satisfies the bounds. rho is relative to the largest eigenvalue of A'WA. "admm" accepts
 * convex penalties and converges to the minimum.
 * "pnp-admm" replaces the z step by any proximal step or denoiser: plug and play, Venkatakrishnan, Bouman and
 * Wohlberg, IEEE GlobalSIP 2013, 945.
 * Operators per iteration: inner + 1 forward and adjoint. The cost at z would need one more, so the misfit at the
 * previous x is reported.
 * Memory: 5 volumes in addition to x; 1 array as large as the data. Reductions per iteration: 2 per inner step and
 * 4. */
#include <math.h>
#include "core/try.h"
#include "solvers/steps/options.h"
#include "solvers/pwls.h"
#include "solvers/steps/rounds.h"

struct options {
	int iterations, inner, nonneg;
	double rho;
};
static const struct options defaults = { .iterations = 30, .inner = 3, .nonneg = 1, .rho = 0.02 };
static const struct options defaults_of_denoisers = { .iterations = 30, .inner = 4, .nonneg = 1, .rho = 0.1 };
static const gt_param params[] = {
	OPTION_INT(iterations, "at most", 0, 1e6),
	OPTION_INT(inner, "conjugate gradients in each", 1, 1000),
	OPTION_REAL(rho, "how much x and z are held together, relative to A'WA", 1e-9, 1e3),
	OPTION_FLAG(nonneg, "keep x >= 0"),
	{ .key = NULL },
};
static int nonneg(const void *options) { return ((const struct options *)options)->nonneg; }

struct state {
	const char *name;
	const gt_problem *p;
	const struct options *o;
	gt_array *x, *u, *g, *d, *t; /* volumes; d: direction, t: scratch */
	gt_array *r;                 /* as large as the data */
	double rho, square;          /* square: of the misfit at the previous x */
};

static gt_status prepare(struct state *s, gt_array *z)
{
	gt_status st = GT_OK;
	gt_array **const volumes[] = { &s->x, &s->u, &s->g, &s->d, &s->t };
	GT_TRY(gt_pwls_needs(s->name, s->p->R, GT_HAS_PROX));
	for (size_t i = 0; i < sizeof volumes / sizeof *volumes; i++)
		GT_TRY(gt_array_like(z, volumes[i]));
	GT_TRY(gt_array_like(s->p->b[0], &s->r));
	const double largest = gt_pwls_largest(s->p, s->r, s->g);
	GT_TRY(gt_backend_status(gt_array_backend(z)));
	if (!(largest > 0))
		GT_TRY(gt_fail(GT_ERR_ARG, "solver '%s': no ray of weight above 0 meets the volume", s->name));
	s->rho = s->o->rho * largest;
	gt_copy(z, s->x);
	gt_clamp(s->p->lo, s->p->hi, z);
	gt_fill(0, s->u);
done:
	return st;
}

/* Minimises over x by conjugate gradients. */
static void inner(struct state *s, const gt_array *z)
{
	const gt_linop *A = s->p->A[0];
	gt_pwls_residual_later(s->p, 0, s->x, s->r, &s->square);
	gt_adjoint(A, s->r, s->g);
	gt_axpy(s->rho, s->x, s->g);
	gt_axpy(-s->rho, z, s->g);
	gt_axpy(s->rho, s->u, s->g);
	gt_copy(s->g, s->d);
	double left = gt_dot(s->g, s->g);
	for (int i = 0; i < s->o->inner && left > 0; i++) {
		gt_forward(A, s->d, s->r);
		if (s->p->w)
			gt_mul(s->p->w[0], s->r);
		gt_adjoint(A, s->r, s->t);
		gt_axpy(s->rho, s->d, s->t);
		const double step = left / gt_dot(s->d, s->t), before = left;
		gt_axpy(-step, s->d, s->x);
		gt_axpy(-step, s->t, s->g);
		left = gt_dot(s->g, s->g);
		gt_xpay(s->g, left / before, s->d);
	}
}

static void iterate(void *self, int iteration, gt_array *z, gt_progress *p)
{
	struct state *s = self;
	double moved;
	(void)iteration;
	inner(s, z);
	gt_copy(s->x, s->t);
	gt_axpy(1, s->u, s->t);
	gt_penalty_prox(s->p->R, 1 / s->rho, s->p->lo, s->p->hi, s->t, s->g);
	gt_distance2_async(s->g, z, &moved);
	gt_penalty_value_async(s->p->R, s->g, &p->penalty);
	gt_copy(s->g, z);
	gt_copy(s->t, s->u);
	gt_axpy(-1, z, s->u);
	gt_reductions_wait(gt_array_backend(z));
	p->cost = p->data = 0.5 * s->square;
	p->cost_is_partial = 1;
	p->change = sqrt(moved / (double)gt_array_size(z));
}

static gt_status run(const char *name, const gt_problem *p, const void *options, gt_array *z, const gt_monitor *m)
{
	struct state s = { .name = name, .p = p, .o = options };
	gt_status st = GT_OK;
	GT_TRY(prepare(&s, z));
	const gt_state_entry kept[] = { { "z", z, NULL }, { "x", s.x, NULL }, { "u", s.u, NULL }, { NULL, NULL, NULL } };
	st = gt_rounds_run(&(struct gt_rounds){ name, s.o->iterations, kept, iterate, &s }, z, m);
done:;
	gt_array *const own[] = { s.x, s.u, s.g, s.d, s.t, s.r };
	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		gt_array_free(own[i]);
	return st;
}

static gt_status run_admm(const gt_problem *p, const void *options, gt_array *z, const gt_monitor *m)
{
	if (p->R && !gt_penalty_is_convex(p->R))
		return gt_fail(GT_ERR_ARG,
		               "solver 'admm' needs a convex penalty, which '%s' is not: expected another, or solver 'pnp-admm'",
		               gt_penalty_name(p->R));
	return run("admm", p, options, z, m);
}

static gt_status run_pnp(const gt_problem *p, const void *o, gt_array *z, const gt_monitor *m) { return run("pnp-admm", p, o, z, m); }

#define SHARED                                                                                                      \
	.traits = GT_SUPPORTS_TEAM | GT_SUPPORTS_BOUNDS | GT_SUPPORTS_WEIGHTS | GT_SUPPORTS_PROX, .params = params, \
	.options_size = sizeof(struct options), .nonneg = nonneg

const gt_solver gt_solver_admm = {
	.name = "admm",
	.about = "ADMM: a penalty with a proximal step such as tv, conjugate gradients for the data (Boyd et al. 2011)",
	.defaults = &defaults,
	.run = run_admm,
	SHARED,
};

const gt_solver gt_solver_pnp_admm = {
	.name = "pnp-admm",
	.about = "plug-and-play ADMM: fewer denoiser calls and strongly varying weights (Venkatakrishnan et al. 2013)",
	.defaults = &defaults_of_denoisers,
	.run = run_pnp,
	SHARED,
};
