/* The distance-driven pair in single precision on the CPU: see single_pairs.h.
 * labels: property unit; backend: none */
#include "projectors/dd/fast/dd_single.h"
#include "tests/support/vector_sets.h"

#define GT_DD_KERNELS sixteen_lanes
#define GT_DD_KERNELS_NAME "sixteen"
#include "projectors/dd/fast/dd_single_kernels.inc"

GT_TEST_USE(gt_dd_single)
GT_TEST_FOUND_BY_NAME(gt_dd_single)

#define PAIR "dd"
#define SCANS gt_test_geometries
#define SCAN gt_test_geometry
#include "tests/projectors/single_pairs.h"

int main(void) { return gt_test_main("dd_single", fill); }
