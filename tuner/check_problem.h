#ifndef GT_TUNER_CHECK_PROBLEM_H
#define GT_TUNER_CHECK_PROBLEM_H
/* Small problems of the kind of a large one, on which a variant is compared with the CPU in double. */
#include <gantry/grid.h>
#include <gantry/scan.h>
#ifdef __cplusplus
extern "C" {
#endif
enum { GT_CHECK_PROBLEMS = 3 }; /* of them, the smallest first */
/* Number k of a scan and a grid, of odd sizes. Operators choose a kernel by the height of a pixel in slices and by
 * whether rows and slices are few: that height is the problem's own, and no size is below what has kernels of its own
 * unless the problem's is. Long volumes are cut to a piece that views see, of a helix with the views that see it.
 * method: 1: more views, too few are refused by direct methods. Fails as gt_scan_coarsen() does. */
gt_status gt_check_problem(const gt_scan *scan, const gt_grid *grid, int method, int k, gt_scan **check, gt_grid *part);
#ifdef __cplusplus
}
#endif
#endif
