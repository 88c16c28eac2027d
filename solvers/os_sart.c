/* Simultaneous algebraic reconstruction (solvers/sweep.h) under three names: with ordered subsets, with all views at once
 * (SIRT), and view by view (SART). */
#include <math.h>
#include "solvers/sweep.h"

static gt_status run(const gt_problem *p, const void *options, gt_array *x, const gt_monitor *m)
{
	const struct gt_sweep_options *o = options;
	gt_sweep *s = NULL;
	gt_array *old = NULL;
	gt_status st = GT_OK;
	double relax = o->relax;
	const gt_kept kept[] = { { "x", x, NULL }, { "relax", NULL, &relax }, { NULL, NULL, NULL } };
	int done = 0;
	GT_TRY(gt_sweep_new(p, o, x, &s));
	GT_TRY(gt_array_like(x, &old));
	GT_TRY(gt_resume(m, kept, &done));
	for (int k = done + 1; k <= o->iterations; k++) {
		double residual;
		gt_copy(x, old);
		gt_sweep_run(s, relax, x, &residual);
		gt_progress g = gt_progress_of(k, o->iterations, x);
		g.residual = sqrt(residual);
		g.change = sqrt(gt_dist2(x, old) / (double)gt_array_size(x));
		g.judged = old;
		g.kept = kept;
		relax *= o->reduce;
		GT_TRY(gt_report(m, &g));
	}
done:
	gt_sweep_free(s);
	gt_array_free(old);
	return st;
}

#define SWEEPS(symbol, name_, about_, table, values)                                         \
	const gt_solver gt_solver_##symbol = { .name = name_,                                \
		                               .about = about_,                              \
		                               .traits = GT_TAKES_SUBSETS | GT_TAKES_BOUNDS, \
		                               .params = table,                              \
		                               .defaults = &(values),                        \
		                               .options_size = sizeof(values),               \
		                               .run = run,                                   \
		                               .subsets = gt_sweep_subsets,                  \
		                               .nonneg = gt_sweep_nonneg }

static const struct gt_sweep_options os_sart = {
	.iterations = 20, .subsets = 10, .nonneg = 1, .order = GT_SWEEP_BIT_REVERSED, .relax = 1, .reduce = 0.99, .threshold = 1e-3
};
static const gt_param os_sart_params[] = { GT_SWEEP_ITERATIONS, GT_SWEEP_SUBSETS,   GT_SWEEP_RELAX, GT_SWEEP_REDUCE, GT_SWEEP_NONNEG,
	                                   GT_SWEEP_ORDER,      GT_SWEEP_THRESHOLD, GT_SWEEP_KEEP,  { .key = NULL } };
SWEEPS(os_sart, "os-sart", "algebraic reconstruction with ordered subsets (SIRT, SART)", os_sart_params, os_sart);

/* Its sums need no more memory kept than not. */
static const struct gt_sweep_options sirt = {
	.iterations = 100, .subsets = 1, .nonneg = 1, .keep = GT_SWEEP_KEEP_YES, .relax = 1, .reduce = 1, .threshold = 1e-3
};
static const gt_param sirt_params[] = { GT_SWEEP_ITERATIONS, GT_SWEEP_RELAX,     GT_SWEEP_REDUCE,
	                                GT_SWEEP_NONNEG,     GT_SWEEP_THRESHOLD, { .key = NULL } };
SWEEPS(sirt, "sirt", "algebraic reconstruction from all views at once: os-sart with one subset", sirt_params, sirt);

static const struct gt_sweep_options sart = {
	.iterations = 10, .subsets = 0, .nonneg = 1, .order = GT_SWEEP_BIT_REVERSED, .relax = 1, .reduce = 0.99, .threshold = 1e-3
};
static const gt_param sart_params[] = { GT_SWEEP_ITERATIONS, GT_SWEEP_RELAX,     GT_SWEEP_REDUCE, GT_SWEEP_NONNEG,
	                                GT_SWEEP_ORDER,      GT_SWEEP_THRESHOLD, GT_SWEEP_KEEP,   { .key = NULL } };
SWEEPS(sart, "sart", "algebraic reconstruction view by view: os-sart with one view per subset", sart_params, sart);
