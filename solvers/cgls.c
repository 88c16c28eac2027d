/* Conjugate gradients on the normal equations of least squares: Bjorck, Numerical Methods for Least Squares Problems,
 * SIAM 1996, algorithm 7.4.1. */
#include <math.h>
#include "solvers/solver.h"

struct options {
	int iterations;
	double tolerance;
};
static const struct options defaults = { .iterations = 20, .tolerance = 0 };
static const gt_param params[] = {
	{ .key = "iterations", .help = "at most", .kind = GT_INT, .at = offsetof(struct options, iterations), .least = 0, .most = 1e6 },
	{ .key = "tolerance",
	  .help = "stop when |A'(b - A x)| has fallen by this factor",
	  .kind = GT_REAL,
	  .at = offsetof(struct options, tolerance),
	  .least = 0,
	  .most = 1 },
	{ .key = NULL },
};

static gt_status run(const gt_problem *problem, const void *options, gt_array *x, const gt_monitor *m)
{
	const struct options *o = options;
	const gt_linop *A = problem->A[0];
	const gt_array *b = problem->b[0];
	gt_array *r = NULL, *q = NULL, *s = NULL, *p = NULL;
	gt_status st = GT_OK;

	GT_TRY(gt_array_like(b, &r));
	GT_TRY(gt_array_like(b, &q));
	GT_TRY(gt_array_like(x, &s));
	GT_TRY(gt_array_like(x, &p));

	gt_forward(A, x, r);
	gt_xpay(b, -1, r); /* r = b - A x */
	gt_adjoint(A, r, s);
	gt_copy(s, p);
	double gamma = gt_dot(s, s);
	const double stop = o->tolerance * o->tolerance * gamma;

	for (int k = 1; k <= o->iterations && gamma > stop; k++) {
		gt_forward(A, p, q);
		const double alpha = gamma / gt_dot(q, q);
		gt_axpy(alpha, p, x);
		gt_axpy(-alpha, q, r);
		const double change = fabs(alpha) * sqrt(gt_dot(p, p) / (double)gt_array_size(x));
		gt_adjoint(A, r, s);
		const double next = gt_dot(s, s);
		gt_xpay(s, next / gamma, p); /* p = s + beta p */
		gamma = next;
		gt_progress g = gt_progress_of(k, o->iterations, x);
		g.residual = sqrt(gt_dot(r, r));
		g.change = change;
		GT_TRY(gt_report(m, &g));
	}
	if (!isfinite(gamma))
		st = gt_fail(GT_ERR_UNSUPPORTED, "solver 'cgls' diverged: its gradient is not finite");
done:
	gt_array_free(r);
	gt_array_free(q);
	gt_array_free(s);
	gt_array_free(p);
	return st;
}

const gt_solver gt_solver_cgls = {
	.name = "cgls",
	.about = "conjugate gradients, plain least squares",
	.params = params,
	.defaults = &defaults,
	.options_size = sizeof defaults,
	.run = run,
};
