/* Least squares by bidiagonalisation: Paige and Saunders, ACM Trans. Math. Softw. 8 (1982) 43; what conjugate gradients (cgls)
 * find, by a recursion that is safer where the problem is ill-posed. Weights come in as an inner product of the data, as in
 * Benbow, SIAM J. Matrix Anal. Appl. 21 (1999) 166, so that no root of them is kept.
 * Bases are stored unscaled, u as beta u and v as alpha v: scaling them is part of the next step. */
#include <math.h>
#include <gantry/solver.h>
#include "core/try.h"

struct options {
	int iterations;
	double damp, tolerance;
};
static const struct options defaults = { .iterations = 20, .damp = 0, .tolerance = 0 };
#define AT(field) offsetof(struct options, field)
static const gt_param params[] = {
	{ .key = "iterations", .help = "largest number of iterations", .kind = GT_INT, .at = AT(iterations), .least = 0, .most = 1e6 },
	{ .key = "damp", .help = "adds 1/2 |damp (x - start)|^2 to the cost", .kind = GT_REAL, .at = AT(damp), .least = 0, .most = 1e30 },
	{ .key = "tolerance",
	  .help = "stop when the gradient's norm has fallen by this factor",
	  .kind = GT_REAL,
	  .at = AT(tolerance),
	  .least = 0,
	  .most = 1 },
	{ .key = NULL },
};

struct state {
	const gt_linop *A;
	const gt_array *w;              /* NULL: 1 */
	gt_array *u, *t;                /* data; t is scratch, and W u for the adjoint */
	gt_array *v, *d, *g;            /* volumes; d: direction, g: scratch */
	double alpha, beta;             /* norms of v and u as they are stored */
	double rho_bar, phi_bar;        /* the last row of the bidiagonal matrix and its right side, rotated */
	double damped, z, c2, s2, size; /* squares that damping leaves; a second rotation, for |x - start|^2 */
};

/* v = A'W u/|u| - |u| v/|v|, and its norm; nothing is left to find where u is 0. */
static void extend_volume(struct state *s, int first)
{
	double squares;
	if (s->w)
		gt_weighted_norm2_async(s->u, s->w, &squares);
	else
		gt_dot_async(s->u, s->u, &squares);
	gt_reductions_wait(gt_array_backend(s->u));
	s->beta = sqrt(squares);
	if (!(s->beta > 0)) {
		s->alpha = s->beta;
		return;
	}
	if (s->w) {
		gt_copy(s->u, s->t);
		gt_mul(s->w, s->t);
	}
	gt_adjoint(s->A, s->w ? s->t : s->u, s->g);
	if (first) {
		gt_copy(s->g, s->v);
		gt_scale(1 / s->beta, s->v);
	} else
		gt_axpby(1 / s->beta, s->g, -s->beta / s->alpha, s->v);
	s->alpha = sqrt(gt_dot(s->v, s->v));
}

/* u = A v/|v| - |v| u/|u| */
static void extend_data(struct state *s)
{
	gt_forward(s->A, s->v, s->t);
	gt_axpby(1 / s->alpha, s->t, -s->alpha / s->beta, s->u);
}

static void start(struct state *s, const gt_array *b, const gt_array *x)
{
	gt_forward(s->A, x, s->u);
	gt_xpay(b, -1, s->u);
	extend_volume(s, 1);
	if (s->alpha > 0) {
		gt_copy(s->v, s->d);
		gt_scale(1 / s->alpha, s->d);
	}
	s->rho_bar = s->alpha;
	s->phi_bar = s->beta;
	s->c2 = -1;
}

/* |x - start|^2 after this step: section 5.2 of the paper, where x is V times the solution of an upper bidiagonal system. */
static double distance(struct state *s, double rho, double theta, double phi)
{
	const double right = phi - s->s2 * rho * s->z, bar = -s->c2 * rho, last = right / bar, gamma = hypot(bar, theta);
	const double sum = s->size + last * last;
	s->c2 = bar / gamma;
	s->s2 = theta / gamma;
	s->z = right / gamma;
	s->size += s->z * s->z;
	return sum;
}

/* One step; tells what is known of the new x. */
static void step(struct state *s, double damp, gt_array *x, gt_progress *p)
{
	double dd;
	gt_dot_async(s->d, s->d, &dd);
	extend_data(s);
	extend_volume(s, 0);
	const double rho_damped = hypot(s->rho_bar, damp), left = damp / rho_damped * s->phi_bar;
	const double phi_damped = s->rho_bar / rho_damped * s->phi_bar;
	const double rho = hypot(rho_damped, s->beta), c = rho_damped / rho, sine = s->beta / rho;
	const double theta = sine * s->alpha, phi = c * phi_damped;
	s->damped += left * left;
	s->rho_bar = -c * s->alpha;
	s->phi_bar = sine * phi_damped;
	const double from_start = damp * damp * distance(s, rho, theta, phi);
	const double misfit = s->phi_bar * s->phi_bar + s->damped - from_start;
	p->change = fabs(phi / rho) * sqrt(dd / (double)gt_array_size(x));
	gt_axpy(phi / rho, s->d, x);
	gt_axpby(1 / s->alpha, s->v, -theta / rho, s->d);
	p->data = p->cost = misfit < 0 ? 0 : misfit / 2;
	p->penalty = 0;
	p->residual = s->w ? NAN : sqrt(2 * p->data);
	p->gradient = fabs(s->phi_bar * c) * s->alpha;
}

static gt_status run(const gt_problem *p, const void *options, gt_array *x, const gt_monitor *m)
{
	const struct options *o = options;
	struct state s = { .A = p->A[0], .w = p->w ? p->w[0] : NULL };
	gt_status st = GT_OK;
	int done = 0;
	GT_TRY(gt_array_like(p->b[0], &s.u));
	GT_TRY(gt_array_like(p->b[0], &s.t));
	GT_TRY(gt_array_like(x, &s.v));
	GT_TRY(gt_array_like(x, &s.d));
	GT_TRY(gt_array_like(x, &s.g));
	start(&s, p->b[0], x);
	double gradient = s.alpha * s.beta, first = gradient;
	const gt_state_entry kept[] = { { "x", x, NULL },
		                        { "u", s.u, NULL },
		                        { "v", s.v, NULL },
		                        { "direction", s.d, NULL },
		                        { "alpha", NULL, &s.alpha },
		                        { "beta", NULL, &s.beta },
		                        { "rho", NULL, &s.rho_bar },
		                        { "phi", NULL, &s.phi_bar },
		                        { "damped", NULL, &s.damped },
		                        { "z", NULL, &s.z },
		                        { "cosine", NULL, &s.c2 },
		                        { "sine", NULL, &s.s2 },
		                        { "size", NULL, &s.size },
		                        { "gradient", NULL, &gradient },
		                        { "first", NULL, &first },
		                        { NULL, NULL, NULL } };
	GT_TRY(gt_resume(m, kept, &done));
	const double stop = o->tolerance * first;
	for (int k = done + 1; k <= o->iterations && gradient > stop; k++) {
		gt_progress g;
		gt_progress_of(k, o->iterations, x, &g);
		step(&s, o->damp, x, &g);
		gradient = g.gradient;
		g.kept = kept;
		GT_TRY(gt_report(m, &g));
	}
	if (!isfinite(gradient))
		st = gt_fail(GT_ERR_DIVERGED, "solver 'lsqr' diverged: its gradient is not finite");
done:
	gt_array_free(s.u);
	gt_array_free(s.t);
	gt_array_free(s.v);
	gt_array_free(s.d);
	gt_array_free(s.g);
	return st;
}

const gt_solver gt_solver_lsqr = {
	.name = "lsqr",
	.about = "least squares by bidiagonalisation, as cgls but more stable; with damping",
	.traits = GT_SUPPORTS_WEIGHTS,
	.params = params,
	.defaults = &defaults,
	.options_size = sizeof defaults,
	.run = run,
};
