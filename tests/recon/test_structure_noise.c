/* Noise in soft tissue against the requested noise, for many photons and for the usual number.
 * labels: physics slow */
#include "tests/recon/structure_noise.h"

SET(fine, "3HU");
SET(usual, "10HU");
static const target targets[] = {
	{ { "1e6 photons", GT_FLAT, 180, 1, 84, 0, 2, WHOLE, "", fine, 0, 0 }, 1e6, 3, 0.9, 1.1 },
	{ { "1e5 photons", GT_ARC, 180, 1, 84, 0, 2, WHOLE, "", usual, 0, 0 }, 1e5, 10, 0.9, 1.1 },
};

GT_TESTS_ALIKE(as_requested, sizeof targets / sizeof *targets) { check_noise(&targets[_i]); }

int main(void) { return gt_test_main("structure noise", NULL); }
