/* Plug and play by alternating directions: Venkatakrishnan, Bouman, Wohlberg, IEEE GlobalSIP 2013, 945.
 *   x = least of 1/2 |A x - b|^2_W + c/2 |x - v + u|^2,   v = D(x + u) of length 1/c within the bounds,   u = u + x - v
 * with D a denoiser, or the proximal step of a penalty, for which the method is Boyd et al., Found. Trends Mach.
 * Learn. 3 (2011) 1, and goes to the least of the whole. c = rho L with L the largest eigenvalue of A'WA. The first
 * step is `inner` steps of conjugate gradients from the x before: Hestenes and Stiefel, J. Res. Natl. Bur. Stand. 49
 * (1952) 409. The result is v. 1 + inner forward and adjoint projections per iteration. Beside x: 5 volumes; beside
 * data and weights: 1 array as large as these. Reductions in an iteration: 2 and 2 in each inner step. */
#include <math.h>
#include "core/try.h"
#include "solvers/pwls.h"

struct options {
	int iterations, nonneg, inner;
	double rho;
};
static const struct options defaults = { .iterations = 30, .nonneg = 1, .inner = 4, .rho = 0.1 };
#define AT(field) offsetof(struct options, field)
static const gt_param params[] = {
	{ .key = "iterations", .help = "largest number of iterations", .kind = GT_INT, .at = AT(iterations), .least = 0, .most = 1e6 },
	{ .key = "nonneg", .help = "keep x >= 0", .kind = GT_FLAG, .at = AT(nonneg) },
	{ .key = "inner",
	  .help = "steps of conjugate gradients in an iteration",
	  .kind = GT_INT,
	  .at = AT(inner),
	  .least = 1,
	  .most = 1e4 },
	{ .key = "rho",
	  .help = "weight of the denoiser against the data: the smaller, the longer its step",
	  .kind = GT_REAL,
	  .at = AT(rho),
	  .least = 1e-6,
	  .most = 1e6 },
	{ .key = NULL },
};
static int nonneg(const void *options) { return ((const struct options *)options)->nonneg; }

struct state {
	const gt_problem *p;
	gt_array *v, *x, *u, *g, *d; /* v is the caller's; g: residual of the normal equations, d: direction */
	gt_array *r;                 /* data */
	double c, data;              /* data: misfit at x, before the inner steps */
};

/* q = A'WA d + c d, by way of r. */
static void normal(const struct state *s, const gt_array *d, gt_array *q)
{
	gt_forward(s->p->A[0], d, s->r);
	if (s->p->w)
		gt_mul(s->p->w[0], s->r);
	gt_adjoint(s->p->A[0], s->r, q);
	gt_axpy(s->c, d, q);
}

/* x towards the least of the first step. q: scratch. */
static void conjugate_gradients(struct state *s, int inner, gt_array *q)
{
	gt_pwls_residual_later(s->p, 0, s->x, s->r, &s->data);
	gt_adjoint(s->p->A[0], s->r, s->g);
	gt_axpy(s->c, s->x, s->g);
	gt_axpy(-s->c, s->v, s->g);
	gt_axpy(s->c, s->u, s->g);
	gt_scale(-1, s->g);
	gt_copy(s->g, s->d);
	double square = gt_dot(s->g, s->g);
	s->data /= 2;
	for (int i = 0; i < inner && square > 0; i++) {
		normal(s, s->d, q);
		const double step = square / gt_dot(s->d, q), before = square;
		gt_axpy(step, s->d, s->x);
		gt_axpy(-step, q, s->g);
		square = gt_dot(s->g, s->g);
		gt_xpay(s->g, square / before, s->d);
	}
}

static gt_status prepare(struct state *s, const struct options *o, gt_array **q)
{
	gt_array **const all[] = { &s->x, &s->u, &s->g, &s->d, q };
	gt_status st = GT_OK;
	GT_TRY(gt_pwls_needs("pnp-admm", s->p->R, GT_HAS_PROX));
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		GT_TRY(gt_array_like(s->v, all[i]));
	GT_TRY(gt_array_like(s->p->b[0], &s->r));
	s->c = o->rho * gt_pwls_largest(s->p, s->r, s->g);
	gt_clamp(s->p->lo, s->p->hi, s->v);
	gt_copy(s->v, s->x);
	gt_fill(0, s->u);
done:
	return st;
}

/* Returns |v - v before|^2. */
static double iterate(struct state *s, int inner, gt_array *q)
{
	conjugate_gradients(s, inner, q);
	gt_axpy(1, s->x, s->u);
	gt_copy(s->v, q);
	gt_penalty_prox(s->p->R, 1 / s->c, s->p->lo, s->p->hi, s->u, s->v);
	gt_axpy(-1, s->v, s->u);
	return gt_distance2(s->v, q);
}

static gt_status run(const gt_problem *p, const void *options, gt_array *x, const gt_monitor *m)
{
	const struct options *o = options;
	struct state s = { .p = p, .v = x };
	gt_array *q = NULL;
	gt_status st = GT_OK;
	int done;
	GT_TRY(prepare(&s, o, &q));
	const gt_state_entry kept[] = { { "v", s.v, NULL }, { "x", s.x, NULL }, { "u", s.u, NULL }, { NULL, NULL, NULL } };
	GT_TRY(gt_resume(m, kept, &done));
	for (int k = done + 1; k <= o->iterations && s.c > 0; k++) {
		const double moved = iterate(&s, o->inner, q);
		gt_progress g;
		gt_progress_of(k, o->iterations, s.v, &g);
		g.kept = kept;
		g.cost = g.data = s.data;
		g.cost_is_partial = 1;
		g.change = sqrt(moved / (double)gt_array_size(x));
		if (!isfinite(s.data))
			GT_TRY(gt_fail(GT_ERR_DIVERGED, "solver 'pnp-admm' diverged: the misfit is not finite after iteration %d", k));
		GT_TRY(gt_report(m, &g));
	}
done:
	gt_array_free(s.x);
	gt_array_free(s.u);
	gt_array_free(s.g);
	gt_array_free(s.d);
	gt_array_free(s.r);
	gt_array_free(q);
	return st;
}

const gt_solver gt_solver_pnp_admm = {
	.name = "pnp-admm",
	.about = "plug and play: least squares with a target, in turn with a denoiser or any proximal step",
	.traits = GT_SUPPORTS_BOUNDS | GT_SUPPORTS_WEIGHTS | GT_SUPPORTS_PROX,
	.params = params,
	.defaults = &defaults,
	.options_size = sizeof defaults,
	.run = run,
	.nonneg = nonneg,
};
