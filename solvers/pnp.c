/* Plug and play: a denoiser D, or any proximal step, in place of a penalty's.
 *    pnp-fista: x+ = D(v - A'W(A v - b)/L), of length 1/L
 * Kamilov, Mansour, Wohlberg, IEEE Signal Process. Lett. 24 (2017) 1872; with the proximal step of a convex penalty
 * it is fista without restarts.
 *    red: x+ = P(v - (A'W(A v - b) + m (v - D(v)))/(L + m)), with D of length 1/m
 * Regularization by denoising: Romano, Elad, Milanfar, SIAM J. Imaging Sci. 10 (2017) 1804. If D is the proximal step
 * of R, m (v - D(v)) is the gradient of R's Moreau envelope min_u R(u) + m |u - v|^2/2. x then converges to the
 * minimum of data term plus envelope.
 * L is the largest eigenvalue of A'WA, m = mu L, and v = x + beta (x - previous x) with Nesterov's beta, or v = x. A
 * denoiser has no known objective. The reported cost is the misfit of the data at v, which may rise.
 * Operators per iteration: one forward and one adjoint. Memory: 2 volumes in addition to x, 3 for red; 1 array as
 * large as the data. Reductions per iteration: 2. */
#include <math.h>
#include "core/try.h"
#include "solvers/steps/options.h"
#include "solvers/pwls.h"

struct options {
	int iterations, nonneg, momentum;
	double mu; /* 0: pnp-fista */
};
static const struct options pnp_fista_defaults = { .iterations = 50, .nonneg = 1, .momentum = 1 },
			    red_defaults = { .iterations = 100, .nonneg = 1, .momentum = 1, .mu = 0.1 };
#define COMMON                                                                                              \
	OPTION_INT(iterations, "largest number of iterations", 0, 1e6), OPTION_FLAG(nonneg, "keep x >= 0"), \
		OPTION_FLAG(momentum, "Nesterov's momentum")
static const gt_param pnp_fista_params[] = { COMMON, { .key = NULL } };
static int nonneg(const void *options) { return ((const struct options *)options)->nonneg; }
static const gt_param red_params[] = {
	COMMON,
	OPTION_REAL(mu, "weight of the denoiser against the data", 1e-6, 1e6),
	{ .key = NULL },
};

struct state {
	const gt_problem *p;
	const struct options *o;
	gt_pwls_point at;
	gt_array *own[3], *r; /* own[2]: D(v), for red */
	gt_state_entry kept[4];
};

/* Rebuilt in every iteration, because the arrays are swapped. */
static const gt_state_entry *kept(struct state *s)
{
	gt_state_entry *list = s->kept;
	list[0] = (gt_state_entry){ "x", s->at.x, NULL };
	list[1] = (gt_state_entry){ "before", s->at.v, NULL };
	list[2] = (gt_state_entry){ "t", NULL, &s->at.t };
	if (!s->o->momentum)
		list[1] = (gt_state_entry){ NULL, NULL, NULL };
	return list;
}

static gt_status prepare(struct state *s, gt_array *x)
{
	const int volumes = s->o->mu > 0 ? 3 : 2;
	gt_status st = GT_OK;
	GT_TRY(gt_pwls_needs(s->o->mu > 0 ? "red" : "pnp-fista", s->p->R, GT_HAS_PROX));
	for (int i = 0; i < volumes; i++)
		GT_TRY(gt_array_like(x, &s->own[i]));
	GT_TRY(gt_array_like(s->p->b[0], &s->r));
	s->at = (gt_pwls_point){ .x = x, .v = s->own[0], .g = s->own[1], .t = 1 };
	s->at.L = gt_pwls_largest(s->p, s->r, s->at.g);
	gt_clamp(s->p->lo, s->p->hi, x);
	gt_copy(x, s->at.v);
done:
	return st;
}

/* Computes the next iterate in g from v and A'W(A v - b) in g. */
static void step(const struct state *s)
{
	const gt_problem *p = s->p;
	const gt_pwls_point *at = &s->at;
	const double m = s->o->mu * at->L;
	if (!(m > 0)) {
		gt_axpby(1, at->v, -1 / at->L, at->g);
		gt_penalty_prox(p->R, 1 / at->L, p->lo, p->hi, at->g, at->g);
		return;
	}
	gt_penalty_prox(p->R, 1 / m, -INFINITY, INFINITY, at->v, s->own[2]);
	gt_axpby(at->L / (at->L + m), at->v, -1 / (at->L + m), at->g);
	gt_axpy(m / (at->L + m), s->own[2], at->g);
	gt_clamp(p->lo, p->hi, at->g);
}

/* Returns the misfit at v; *moved: length of the step. */
static double iterate(struct state *s, double *moved)
{
	gt_pwls_point *at = &s->at;
	const double beta = s->o->momentum ? gt_pwls_momentum(at) : 0;
	double square = 0;
	gt_axpby(1 + beta, at->x, -beta, at->v);
	gt_pwls_residual_later(s->p, 0, at->v, s->r, &square);
	gt_adjoint(s->p->A[0], s->r, at->g);
	if (at->L > 0)
		step(s);
	else
		gt_copy(at->v, at->g);
	gt_distance2_async(at->g, at->x, moved);
	gt_reductions_wait(gt_array_backend(s->r));
	return square / 2;
}

static gt_status run(const gt_problem *p, const void *options, gt_array *x, const gt_monitor *m)
{
	struct state s = { .p = p, .o = options };
	gt_status st = GT_OK;
	int done;
	GT_TRY(prepare(&s, x));
	GT_TRY(gt_resume(m, kept(&s), &done));
	for (int k = done + 1; k <= s.o->iterations; k++) {
		double moved = 0;
		const double data = iterate(&s, &moved);
		gt_progress g;
		gt_pwls_accept(&s.at);
		gt_progress_of(k, s.o->iterations, s.at.x, &g);
		g.kept = kept(&s);
		g.cost = g.data = data;
		g.cost_is_partial = 1;
		g.change = sqrt(moved / (double)gt_array_size(x));
		if (!isfinite(data))
			GT_TRY(gt_fail(GT_ERR_DIVERGED, "plug and play diverged: the data's misfit is not finite after iteration %d", k));
		GT_TRY(gt_report(m, &g));
	}
done:
	if (s.at.x && s.at.x != x)
		gt_copy(s.at.x, x);
	for (int i = 0; i < 3; i++)
		gt_array_free(s.own[i]);
	gt_array_free(s.r);
	return st;
}

#define SOLVER(id, title, text)                                                                                                      \
	const gt_solver gt_solver_##id = { .name = title,                                                                            \
		                           .about = text,                                                                            \
		                           .traits = GT_SUPPORTS_TEAM | GT_SUPPORTS_BOUNDS | GT_SUPPORTS_WEIGHTS | GT_SUPPORTS_PROX, \
		                           .params = id##_params,                                                                    \
		                           .defaults = &id##_defaults,                                                               \
		                           .options_size = sizeof(struct options),                                                   \
		                           .run = run,                                                                               \
		                           .nonneg = nonneg };
SOLVER(pnp_fista, "pnp-fista", "plug-and-play FISTA: a denoiser after each gradient step (Kamilov, Mansour, Wohlberg 2017)")
SOLVER(red, "red", "RED: gradient steps on the data term plus the denoiser residual times mu (Romano, Elad, Milanfar 2017)")
