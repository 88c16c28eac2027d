#ifndef GT_TESTS_GEOMETRIES_H
#define GT_TESTS_GEOMETRIES_H
#include <gantry/grid.h>
#include <gantry/scan.h>
/* Small scans and grids on which nothing is symmetric: every detector shape, circular, helical, short, with offsets of detector,
 * focal spot and grid, reversed axes, odd sizes. */
struct gt_test_geometry { const char *name; gt_scan *scan; gt_grid grid; };
int gt_test_geometries(void);
/* The caller frees scan. */
struct gt_test_geometry gt_test_geometry(int i);
/* At most n of the voxels along each axis, those in the middle: for tests that take a time for each voxel. */
void gt_test_crop(gt_grid *g, size_t n);
#endif
