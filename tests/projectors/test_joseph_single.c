/* Joseph's pair in single precision on the CPU: see single_pairs.h. test_ray covers scans that are not level.
 * labels: property unit; backend: none */
#include "projectors/ray/fast/joseph_single.h"
#include "tests/support/vector_sets.h"

#define GT_JOSEPH_KERNELS sixteen_lanes
#define GT_JOSEPH_KERNELS_NAME "sixteen"
#include "projectors/ray/fast/joseph_single_kernels.inc"

GT_TEST_USE(gt_joseph_single)
GT_TEST_FOUND_BY_NAME(gt_joseph_single)

#include "tests/projectors/ray_scans.h"
#define PAIR "joseph"
#define SCANS ray_scans
#define SCAN ray_scan
#include "tests/projectors/single_pairs.h"

int main(void) { return gt_test_main("joseph_single", fill); }
