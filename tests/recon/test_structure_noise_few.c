/* Noise in soft tissue against the requested noise, for few views.
 * labels: physics slow */
#include "tests/recon/structure_noise.h"

SET(few, "11HU");
static const target targets[] = {
	{ { "few views", GT_FLAT, 45, 1, 84, 0, 2, WHOLE, "", few, 0, 0 }, 1e5, 11, 0.9, 1.1 },
};

GT_TESTS_ALIKE(as_requested, sizeof targets / sizeof *targets) { check_noise(&targets[_i]); }

int main(void) { return gt_test_main("structure noise of few views", NULL); }
