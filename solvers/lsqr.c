/* Least squares by bidiagonalisation (solvers/krylov/golub_kahan.h): Paige and Saunders, ACM Trans. Math. Softw. 8
 * (1982) 43. Equivalent to conjugate gradients (cgls), but more stable for ill-posed problems. */
#include <math.h>
#include "core/try.h"
#include "solvers/krylov/golub_kahan.h"
#include "solvers/steps/options.h"

struct options {
	int iterations;
	double damp, tolerance;
};
static const struct options defaults = { .iterations = 20, .damp = 0, .tolerance = 0 };
static const gt_param params[] = {
	OPTION_INT(iterations, "largest number of iterations", 0, 1e6),
	OPTION_REAL(damp, "adds 1/2 |damp (x - start)|^2 to the cost", 0, 1e30),
	OPTION_REAL(tolerance, "stop when the gradient's norm has fallen by this factor", 0, 1),
	{ .key = NULL },
};

struct state {
	gt_golub_kahan of;
	gt_array *d;                    /* direction */
	double rho_bar, phi_bar;        /* rotated last row of the bidiagonal matrix and of its right side */
	double damped, z, c2, s2, size; /* residual due to damping, squared; a second rotation, for |x - start|^2 */
};

static void start(struct state *s, const gt_array *b, const gt_array *x)
{
	gt_golub_kahan_start(&s->of, b, x);
	if (s->of.alpha > 0) {
		gt_copy(s->of.v, s->d);
		gt_scale(1 / s->of.alpha, s->d);
	}
	s->rho_bar = s->of.alpha;
	s->phi_bar = s->of.beta;
	s->c2 = -1;
}

/* Returns |x - start|^2 after this step: section 5.2 of the paper, for x = V times the solution of an upper
 * bidiagonal system. */
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

/* Makes one step and reports the progress at the new x. */
static void step(struct state *s, double damp, gt_array *x, gt_progress *p)
{
	double dd;
	gt_dot_async(s->d, s->d, &dd);
	gt_golub_kahan_extend_data(&s->of);
	gt_golub_kahan_extend_volume(&s->of);
	const double alpha = s->of.alpha, beta = s->of.beta;
	const double rho_damped = hypot(s->rho_bar, damp), left = damp / rho_damped * s->phi_bar;
	const double phi_damped = s->rho_bar / rho_damped * s->phi_bar;
	const double rho = hypot(rho_damped, beta), c = rho_damped / rho, sine = beta / rho;
	const double theta = sine * alpha, phi = c * phi_damped;
	s->damped += left * left;
	s->rho_bar = -c * alpha;
	s->phi_bar = sine * phi_damped;
	const double from_start = damp * damp * distance(s, rho, theta, phi);
	const double misfit = s->phi_bar * s->phi_bar + s->damped - from_start;
	p->change = fabs(phi / rho) * sqrt(dd / (double)gt_array_size(x));
	gt_axpy(phi / rho, s->d, x);
	gt_axpby(1 / alpha, s->of.v, -theta / rho, s->d);
	p->data = p->cost = misfit < 0 ? 0 : misfit / 2;
	p->penalty = 0;
	p->residual = s->of.w ? NAN : sqrt(2 * p->data);
	p->gradient = fabs(s->phi_bar * c) * alpha;
}

static gt_status run(const gt_problem *p, const void *options, gt_array *x, const gt_monitor *m)
{
	const struct options *o = options;
	struct state s = { .z = 0 };
	gt_status st = GT_OK;
	int done = 0;
	GT_TRY(gt_golub_kahan_new(p, x, &s.of));
	GT_TRY(gt_array_like(x, &s.d));
	start(&s, p->b[0], x);
	double gradient = s.of.alpha * s.of.beta, first = gradient;
	const gt_state_entry kept[] = { { "x", x, NULL },
		                        { "u", s.of.u, NULL },
		                        { "v", s.of.v, NULL },
		                        { "direction", s.d, NULL },
		                        { "alpha", NULL, &s.of.alpha },
		                        { "beta", NULL, &s.of.beta },
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
	gt_golub_kahan_free(&s.of);
	gt_array_free(s.d);
	return st;
}

const gt_solver gt_solver_lsqr = {
	.name = "lsqr",
	.about = "least squares as cgls, stable over many iterations, with damping (Paige, Saunders 1982)",
	.traits = GT_SUPPORTS_TEAM | GT_SUPPORTS_WEIGHTS,
	.params = params,
	.defaults = &defaults,
	.options_size = sizeof defaults,
	.run = run,
};
