#ifndef GT_TESTS_PROBLEM_H
#define GT_TESTS_PROBLEM_H
#include <gantry/grid.h>
#include <gantry/scan.h>
#include <gantry/solver.h>
/* A reconstruction problem with the projections of a known volume as data, for tests of solvers. */
struct gt_test_problem {
	gt_backend *be;
	gt_scan *scan;
	gt_grid grid;
	size_t subsets;
	gt_linop **A;
	gt_array **b, *truth, *x;       /* x: zero */
	gt_problem problem;
};
/* n^3 voxels of the modified 3-D Shepp-Logan phantom, `views` flat views that cover it, in ordered subsets. */
struct gt_test_problem gt_test_problem(gt_backend *be, gt_type type, size_t n, size_t views, size_t subsets);
/* Returns different weights for each subset, for p->problem.w. gt_test_weights_free() accepts NULL. */
gt_array **gt_test_weights(const struct gt_test_problem *p);
void gt_test_weights_free(const struct gt_test_problem *p, gt_array *const *w);
void gt_test_problem_free(struct gt_test_problem *p);
/* |x - truth| / |truth| over the central half of the slices. */
double gt_test_problem_error(const struct gt_test_problem *p, const gt_array *x);
#endif
