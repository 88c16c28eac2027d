#ifndef GT_SOLVERS_SWEEPS_H
#define GT_SOLVERS_SWEEPS_H
#include <gantry/solver.h>

/* The run of os-sart, sirt and sart, as gt_solver has it; options: struct gt_ordered_subsets_options. Memory beside
 * that of the subsets: a volume, and what Anderson's acceleration takes. Private to this room. */
gt_status gt_sweeps_run(const gt_problem *p, const void *options, gt_array *x, const gt_monitor *m);

#endif
