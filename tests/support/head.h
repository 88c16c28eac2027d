#ifndef GT_TESTS_HEAD_H
#define GT_TESTS_HEAD_H
#include <gantry/grid.h>
#include <gantry/scan.h>
#include <gantry/solver.h>
/* A noisy scan of a head: the arc of a clinical scanner, coarser by a factor, with photon noise and statistical
 * weights. */
struct gt_test_head {
	gt_backend *be;
	gt_scan *scan;
	gt_grid grid, inner;            /* inner: without padding slices */
	size_t below, subsets;
	gt_linop **A;
	gt_array **b, **w, *x;          /* x: zero */
	gt_problem problem;             /* whole or in subsets; grid points into this struct: do not copy it */
};
/* n x n x slices voxels over 300 mm and 2.5 mm per slice, one detector row per slice. Detector and views of the
 * scanner are reduced by `coarse`. */
struct gt_test_head *gt_test_head(gt_backend *be, gt_type type, size_t n, size_t slices, size_t coarse, size_t subsets, double photons);
void gt_test_head_free(struct gt_test_head *h);
/* RMS of x - y over the inner slices, in HU of water 0.02/mm. y: double, on the host. */
double gt_test_head_difference(const struct gt_test_head *h, const gt_array *x, const double *y);
#endif
