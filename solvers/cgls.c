/* Conjugate gradients on the normal equations of weighted least squares: Bjorck, Numerical Methods for Least Squares
 * Problems, SIAM 1996, algorithm 7.4.1.
 * Memory: 2 volumes in addition to x; 2 arrays as large as the data. Reductions per iteration: 3, and 1 more for the
 * residual without weights. */
#include <math.h>
#include "core/try.h"
#include "solvers/steps/options.h"
#include "solvers/pwls.h"

struct options {
	int iterations;
	double tolerance;
};
static const struct options defaults = { .iterations = 20, .tolerance = 0 };
static const gt_param params[] = {
	OPTION_INT(iterations, "largest number of iterations", 0, 1e6),
	OPTION_REAL(tolerance, "stop when |A'(b - A x)| has fallen by this factor", 0, 1),
	{ .key = NULL },
};

/* Returns |q|^2 in the norm of the weights and sets *pp = |p|^2; one wait serves both. */
static double squares_of(const gt_array *q, const gt_array *w, const gt_array *p, double *pp)
{
	double squares;
	gt_dot_async(p, p, pp);
	if (w)
		gt_weighted_norm2_async(q, w, &squares);
	else
		gt_dot_async(q, q, &squares);
	gt_reductions_wait(gt_array_backend(q));
	return squares;
}

static gt_status run(const gt_problem *problem, const void *options, gt_array *x, const gt_monitor *m)
{
	const struct options *o = options;
	const gt_linop *A = problem->A[0];
	const gt_array *b = problem->b[0], *w = problem->w ? problem->w[0] : NULL;
	gt_array *r = NULL, *q = NULL, *s = NULL, *p = NULL;
	gt_status st = GT_OK;

	GT_TRY(gt_array_like(b, &r));
	GT_TRY(gt_array_like(b, &q));
	GT_TRY(gt_array_like(x, &s));
	GT_TRY(gt_array_like(x, &p));

	int done = 0;
	double data = gt_pwls_residual(problem, 0, x, r);
	gt_scale(-1, r); /* r = W (b - A x) */
	gt_adjoint(A, r, s);
	gt_copy(s, p);
	double gamma = gt_dot(s, s), first = gamma;
	const gt_state_entry kept[] = { { "x", x, NULL },        { "residual", r, NULL },   { "direction", p, NULL },
		                        { "data", NULL, &data }, { "first", NULL, &first }, { NULL, NULL, NULL } };
	GT_TRY(gt_resume(m, kept, &done));
	if (done) {
		gt_adjoint(A, r, s);
		gamma = gt_dot(s, s);
	}
	const double stop = o->tolerance * o->tolerance * first;

	for (int k = done + 1; k <= o->iterations && gamma > stop; k++) {
		double pp, rr = NAN;
		gt_forward(A, p, q);
		const double alpha = gamma / squares_of(q, w, p, &pp);
		gt_axpy(alpha, p, x);
		if (w)
			gt_mul(w, q);
		gt_axpy(-alpha, q, r);
		if (!w)
			gt_dot_async(r, r, &rr);
		gt_adjoint(A, r, s);
		const double previous = gamma;
		gamma = gt_dot(s, s);
		gt_xpay(s, gamma / previous, p); /* p = s + beta p */
		gt_progress g;
		gt_progress_of(k, o->iterations, x, &g);
		if (!w)
			g.residual = sqrt(rr);
		data = w ? fmax(0, data - 0.5 * alpha * previous) : 0.5 * g.residual * g.residual;
		g.data = g.cost = data;
		g.penalty = 0;
		g.gradient = sqrt(gamma);
		g.change = fabs(alpha) * sqrt(pp / (double)gt_array_size(x));
		g.kept = kept;
		GT_TRY(gt_report(m, &g));
	}
	if (!isfinite(gamma))
		st = gt_fail(GT_ERR_DIVERGED, "solver 'cgls' diverged: its gradient is not finite");
done:
	gt_array_free(r);
	gt_array_free(q);
	gt_array_free(s);
	gt_array_free(p);
	return st;
}

const gt_solver gt_solver_cgls = {
	.name = "cgls",
	.about = "weighted least squares without a penalty; cheapest iteration; choose the number of iterations (Hestenes, Stiefel 1952)",
	.traits = GT_SUPPORTS_TEAM | GT_SUPPORTS_WEIGHTS,
	.params = params,
	.defaults = &defaults,
	.options_size = sizeof defaults,
	.run = run,
};
