/* Least squares by bidiagonalisation (solvers/krylov/golub_kahan.h) with the minimum gradient norm in every step:
 * Fong and Saunders, SIAM J. Sci. Comput. 33 (2011) 2950, whose notation is used.
 * It is the minimal residual method on the normal equations; lsqr is conjugate gradients on them. |A'W(A x - b)|
 * falls in every iteration and is a stopping test.
 * Costs and residual follow by recursions, section 5. Memory: 4 volumes in addition to x; 2 arrays as large as the
 * data. Reductions per iteration: 3. */
#include <math.h>
#include "core/try.h"
#include "solvers/krylov/arnoldi.h"
#include "solvers/krylov/golub_kahan.h"
#include "solvers/steps/options.h"

struct options {
	int iterations;
	double damp, tolerance;
};
static const struct options defaults = { .iterations = 20, .damp = 0, .tolerance = 0 };
static const gt_param params[] = {
	OPTION_INT(iterations, "at most", 0, 1e6),
	OPTION_REAL(damp, "adds 1/2 |damp (x - start)|^2 to the cost", 0, 1e30),
	OPTION_REAL(tolerance, "stop when the gradient has fallen by this factor", 0, 1),
	{ .key = NULL },
};

struct state {
	gt_golub_kahan of;
	gt_array *h, *h_bar;                          /* volumes: directions of lsqr and of lsmr */
	double alpha_bar, zeta_bar, zeta;             /* |zeta_bar| is the norm of the gradient */
	double rho, rho_bar, c_bar, s_bar;            /* the two rotations of the previous step */
	double beta_dd, beta_d, rho_d, tau, theta, d; /* rotated remainder of the data, for the residual */
};

static void start(struct state *s, const gt_array *b, const gt_array *x)
{
	gt_golub_kahan_start(&s->of, b, x);
	if (s->of.alpha > 0) {
		gt_copy(s->of.v, s->h);
		gt_scale(1 / s->of.alpha, s->h);
	}
	gt_fill(0, s->h_bar);
	s->alpha_bar = s->of.alpha;
	s->zeta_bar = s->of.alpha * s->of.beta;
	s->beta_dd = s->of.beta;
	s->rho = s->rho_bar = s->c_bar = s->rho_d = 1;
}

/* Returns |(A x - b, damp (x - start))| after a step with the rotations (c_hat, s_hat) and (c, s). */
static double residual(struct state *s, const double hat[2], const double turn[2], double theta_bar, double zeta_before)
{
	double c, sine;
	const double acute = hat[0] * s->beta_dd, check = -hat[1] * s->beta_dd, of_step = turn[0] * acute, theta_before = s->theta;
	s->beta_dd = -turn[1] * acute;
	const double rho = gt_rotation(s->rho_d, theta_bar, &c, &sine);
	s->theta = sine * s->rho_bar;
	s->rho_d = c * s->rho_bar;
	s->beta_d = c * of_step - sine * s->beta_d;
	s->tau = (zeta_before - theta_before * s->tau) / rho;
	s->d += check * check;
	return sqrt(s->d + pow(s->beta_d - (s->zeta - s->theta * s->tau) / s->rho_d, 2) + s->beta_dd * s->beta_dd);
}

/* Makes one step and reports the progress at the new x. */
static void step(struct state *s, double damp, gt_array *x, gt_progress *p)
{
	double hat[2], turn[2], moved;
	gt_golub_kahan_extend_data(&s->of);
	gt_golub_kahan_extend_volume(&s->of);
	const double alpha_hat = gt_rotation(s->alpha_bar, damp, &hat[0], &hat[1]), rho_before = s->rho, bar_before = s->rho_bar;
	s->rho = gt_rotation(alpha_hat, s->of.beta, &turn[0], &turn[1]);
	const double theta = turn[1] * s->of.alpha, theta_bar = s->s_bar * s->rho, zeta_before = s->zeta;
	s->alpha_bar = turn[0] * s->of.alpha;
	s->rho_bar = gt_rotation(s->c_bar * s->rho, theta, &s->c_bar, &s->s_bar);
	s->zeta = s->c_bar * s->zeta_bar;
	s->zeta_bar *= -s->s_bar;
	gt_xpay(s->h, -theta_bar * s->rho / (rho_before * bar_before), s->h_bar);
	gt_dot_async(s->h_bar, s->h_bar, &moved);
	gt_axpy(s->zeta / (s->rho * s->rho_bar), s->h_bar, x);
	if (s->of.alpha > 0)
		gt_axpby(1 / s->of.alpha, s->of.v, -theta / s->rho, s->h);
	const double squares = pow(residual(s, hat, turn, theta_bar, zeta_before), 2);
	gt_reductions_wait(gt_array_backend(x));
	p->change = fabs(s->zeta / (s->rho * s->rho_bar)) * sqrt(moved / (double)gt_array_size(x));
	p->cost = squares / 2;
	p->gradient = fabs(s->zeta_bar);
	if (!(damp > 0)) {
		p->data = p->cost;
		p->penalty = 0;
		p->residual = s->of.w ? NAN : sqrt(squares);
	}
}

static gt_status run(const gt_problem *p, const void *options, gt_array *x, const gt_monitor *m)
{
	const struct options *o = options;
	struct state s = { .zeta = 0 };
	gt_status st = GT_OK;
	int done = 0;
	GT_TRY(gt_golub_kahan_new(p, x, &s.of));
	GT_TRY(gt_array_like(x, &s.h));
	GT_TRY(gt_array_like(x, &s.h_bar));
	start(&s, p->b[0], x);
	double first = fabs(s.zeta_bar);
	const gt_state_entry kept[] = { { "x", x, NULL },
		                        { "u", s.of.u, NULL },
		                        { "v", s.of.v, NULL },
		                        { "h", s.h, NULL },
		                        { "h_bar", s.h_bar, NULL },
		                        { "alpha", NULL, &s.of.alpha },
		                        { "beta", NULL, &s.of.beta },
		                        { "alpha_bar", NULL, &s.alpha_bar },
		                        { "zeta_bar", NULL, &s.zeta_bar },
		                        { "zeta", NULL, &s.zeta },
		                        { "rho", NULL, &s.rho },
		                        { "rho_bar", NULL, &s.rho_bar },
		                        { "c_bar", NULL, &s.c_bar },
		                        { "s_bar", NULL, &s.s_bar },
		                        { "beta_dd", NULL, &s.beta_dd },
		                        { "beta_d", NULL, &s.beta_d },
		                        { "rho_d", NULL, &s.rho_d },
		                        { "tau", NULL, &s.tau },
		                        { "theta", NULL, &s.theta },
		                        { "d", NULL, &s.d },
		                        { "first", NULL, &first },
		                        { NULL, NULL, NULL } };
	GT_TRY(gt_resume(m, kept, &done));
	for (int k = done + 1; k <= o->iterations && fabs(s.zeta_bar) > o->tolerance * first; k++) {
		gt_progress g;
		gt_progress_of(k, o->iterations, x, &g);
		step(&s, o->damp, x, &g);
		g.kept = kept;
		GT_TRY(gt_report(m, &g));
	}
	if (!isfinite(s.zeta_bar))
		st = gt_fail(GT_ERR_DIVERGED, "solver 'lsmr' diverged: its gradient is not finite");
done:
	gt_golub_kahan_free(&s.of);
	gt_array_free(s.h);
	gt_array_free(s.h_bar);
	return st;
}

const gt_solver gt_solver_lsmr = {
	.name = "lsmr",
	.about = "least squares as lsqr; its gradient decreases in every iteration, a good stopping test (Fong, Saunders 2011)",
	.traits = GT_SUPPORTS_TEAM | GT_SUPPORTS_WEIGHTS,
	.params = params,
	.defaults = &defaults,
	.options_size = sizeof defaults,
	.run = run,
};
