/* Shape files: accepted ones have a radius, values and line integrals. */
#include <math.h>
#include <gantry/phantom.h>
#include "io/table.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	gt_fuzz_input in = { data, size };
	gt_fuzz_clear();
	const double from[3] = { 1, -200, 3 }, direction[3] = { 0.01, 1, -0.02 };
	gt_phantom *p = NULL;
	if (gt_phantom_new(gt_fuzz_file("a.phantom", in.data, in.size), NULL, &p) != GT_OK) {
		gt_fuzz_failed();
		return 0;
	}
	gt_fuzz_must(isfinite(gt_phantom_radius(p)), "an infinite object");
	gt_fuzz_must(isfinite(gt_phantom_value(p, direction)), "a value that is none");
	gt_fuzz_must(isfinite(gt_phantom_line(p, from, direction, 1)), "a line integral that is none");
	gt_phantom_free(p);
	return 0;
}
