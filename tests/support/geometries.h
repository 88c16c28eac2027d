#ifndef GT_TESTS_GEOMETRIES_H
#define GT_TESTS_GEOMETRIES_H
#include <gantry/grid.h>
#include <gantry/scan.h>
/* Small asymmetric scans and grids: every detector shape; circular, helical and short scans. Detector, focal spot
 * and grid have offsets, axes are reversed, sizes are odd. */
struct gt_test_geometry { const char *name; gt_scan *scan; gt_grid grid; };
int gt_test_geometries(void);
/* The caller frees scan. */
struct gt_test_geometry gt_test_geometry(int i);
/* Crops to the central n voxels along each axis, for slow tests. */
void gt_test_crop(gt_grid *g, size_t n);
#endif
