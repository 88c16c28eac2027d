#ifndef GT_TESTS_DEFINITION_H
#define GT_TESTS_DEFINITION_H
#include <gantry/grid.h>
#include <gantry/scan.h>
/* Distance-driven projection from its definition (Liu, Fu, De Man, Yu 2017, eqs 14-18), pixel by pixel and voxel by
 * voxel. Shares only the rays of <gantry/author/scan_math.h> with the projector. x [z][y][x], y [view][row][column]. */
void gt_test_dd_forward(const gt_scan *scan, const gt_grid *grid, const float *x, double *y);
#endif
