#ifndef GT_TESTS_GEOMETRIES_H
#define GT_TESTS_GEOMETRIES_H
#include "core/scan.h"
/* Small scans and grids on which nothing is symmetric: every detector shape, circular, helical, short, with offsets of detector,
 * focal spot and grid, reversed axes, odd sizes. */
struct gt_test_geometry { const char *name; gt_scan *scan; gt_grid grid; };
int gt_test_geometries(void);
/* The caller frees scan. */
struct gt_test_geometry gt_test_geometry(int i);
#endif
