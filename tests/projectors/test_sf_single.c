/* SF-TR in single precision on the CPU: see single_pairs.h. Scans that are not upright, and SF-TT, go the way that
 * test_sf tests.
 * labels: property unit slow; backend: none */
#include "projectors/sf/fast/sf_single.h"
#include "tests/support/vector_sets.h"

#define GT_SF_KERNELS sixteen_lanes
#define GT_SF_KERNELS_NAME "sixteen"
#include "projectors/sf/fast/sf_single_kernels.inc"

GT_TEST_USE(gt_sf_single)
GT_TEST_FOUND_BY_NAME(gt_sf_single)

#define geometries sf_geometries
#define geometry sf_geometry
#include "tests/projectors/sf_scans.h"
#undef geometries
#undef geometry
#define PAIR "sf-tr"
#define SCANS sf_geometries
#define SCAN sf_geometry
#include "tests/projectors/single_pairs.h"

int main(void) { return gt_test_main("sf_single", fill); }
