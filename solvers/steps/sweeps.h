#ifndef GT_SOLVERS_SWEEPS_H
#define GT_SOLVERS_SWEEPS_H
#include <gantry/solver.h>

/* Runs os-sart, sirt and sart as gt_solver requires; options: struct gt_ordered_subsets_options. Memory in addition
 * to the subsets: a volume, and that of Anderson acceleration. Private to solvers/. */
gt_status gt_sweeps_run(const gt_problem *p, const void *options, gt_array *x, const gt_monitor *m);

#endif
