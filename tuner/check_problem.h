#ifndef GT_TUNER_CHECK_PROBLEM_H
#define GT_TUNER_CHECK_PROBLEM_H
/* Check problems similar to a large one, on which variants are compared with the CPU in double. */
#include <gantry/grid.h>
#include <gantry/scan.h>
#ifdef __cplusplus
extern "C" {
#endif
enum { GT_CHECK_PROBLEMS = 3 }; /* number of check problems, smallest first */
/* Makes check problem k of a scan and a grid, with odd sizes. It keeps the pixel height in slices, by which operators
 * choose a kernel.
 * Sizes stay above those with special kernels for few rows or slices, unless the problem has few itself. Long volumes
 * are cropped to a part that views see; a helix keeps the views that see it.
 * If method is 1, it has more views, because direct methods refuse too few. Errors as gt_scan_coarsen(). */
gt_status gt_check_problem(const gt_scan *scan, const gt_grid *grid, int method, int k, gt_scan **check, gt_grid *part);
#ifdef __cplusplus
}
#endif
#endif
