/* Simultaneous algebraic reconstruction (solvers/ordered_subsets.h): with ordered subsets (OS-SART), with all views
 * at once (SIRT), and view by view (SART). The iteration is in solvers/steps/sweeps.c. */
#include "solvers/anderson.h"
#include "solvers/ordered_subsets.h"
#include "solvers/steps/sweeps.h"

#define SWEEPS(symbol, name_, more, about_, table, values)                                                                     \
	const gt_solver gt_solver_##symbol = { .name = name_,                                                                  \
		                               .about = about_,                                                                \
		                               .traits = GT_SUPPORTS_TEAM | GT_SUPPORTS_SUBSETS | GT_SUPPORTS_BOUNDS | (more), \
		                               .params = table,                                                                \
		                               .defaults = &(values),                                                          \
		                               .options_size = sizeof(values),                                                 \
		                               .run = gt_sweeps_run,                                                           \
		                               .subsets = gt_ordered_subsets_subsets,                                          \
		                               .nonneg = gt_ordered_subsets_nonneg }

static const struct gt_ordered_subsets_options os_sart = {
	.iterations = 20, .subsets = 10, .nonneg = 1, .order = GT_OS_BIT_REVERSED, .relax = 1, .reduce = 0.99, .threshold = 1e-3
};
static const gt_param os_sart_params[] = { GT_OS_ITERATIONS,
	                                   GT_OS_SUBSETS,
	                                   GT_OS_RELAX,
	                                   GT_OS_REDUCE,
	                                   GT_OS_NONNEG,
	                                   GT_OS_MOMENTUM,
	                                   GT_ANDERSON(struct gt_ordered_subsets_options, anderson),
	                                   GT_OS_ORDER,
	                                   GT_OS_THRESHOLD,
	                                   GT_OS_KEEP,
	                                   { .key = NULL } };
SWEEPS(os_sart, "os-sart", 0,
       "OS-SART: algebraic steps over ordered subsets; few passes over many views, no penalty (Andersen, Kak 1984; Jiang, Wang 2003)",
       os_sart_params, os_sart);

/* Storing the sums of one subset takes no more memory than recomputing them. */
static const struct gt_ordered_subsets_options sirt = {
	.iterations = 100, .subsets = 1, .nonneg = 1, .keep = GT_OS_KEEP_YES, .relax = 1, .reduce = 1, .threshold = 1e-3
};
static const gt_param sirt_params[] = { GT_OS_ITERATIONS, GT_OS_RELAX,    GT_OS_REDUCE,
	                                GT_OS_NONNEG,     GT_OS_MOMENTUM, GT_ANDERSON(struct gt_ordered_subsets_options, anderson),
	                                GT_OS_THRESHOLD,  { .key = NULL } };
SWEEPS(sirt, "sirt", 0,
       "SIRT: converges to weighted least squares where OS-SART ends in a limit cycle; anderson=8 accelerates it (Jiang, Wang 2003)",
       sirt_params, sirt);

static const struct gt_ordered_subsets_options sart = {
	.iterations = 10, .subsets = 0, .nonneg = 1, .order = GT_OS_BIT_REVERSED, .relax = 1, .reduce = 0.99, .threshold = 1e-3
};
static const gt_param sart_params[] = { GT_OS_ITERATIONS, GT_OS_RELAX,     GT_OS_REDUCE, GT_OS_NONNEG,   GT_OS_MOMENTUM,
	                                GT_OS_ORDER,      GT_OS_THRESHOLD, GT_OS_KEEP,   { .key = NULL } };
SWEEPS(sart, "sart", GT_AMPLIFIES_INCONSISTENCY, "SART: OS-SART with one view per subset; fast for few views (Andersen, Kak 1984)",
       sart_params, sart);
