/* Self-calibration of a plate about a tilted axis: the tilt, and shift and roll of the detector.
 * labels: unit physics slow backend: none */
#include "tests/calibration/calibrate_scan.h"

static const struct calibrate_case cases[] = {
	{ GT_FLAT, 1.25, 30 / GT_DEGREES, 35, { 1.3, 0.5 / GT_DEGREES, 0, 0, 0, -1.2 / GT_DEGREES } },
	{ GT_PARALLEL, 0, 45 / GT_DEGREES, 35, { -1.3, 0.3 / GT_DEGREES, 0, 0, 0, 1.5 / GT_DEGREES } },
};

GT_TESTS(found, sizeof cases / sizeof *cases) { finds(&cases[_i]); }

int main(void) { return gt_test_main("calibrate_tilt", NULL); }
