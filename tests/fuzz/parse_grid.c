/* Grids, numbers and sizes of the command line: accepted values are in range, and a grid prints and reads back. */
#include <math.h>
#include <stdlib.h>
#include <gantry/author/params.h>
#include "core/params.h"
#include "core/text.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	gt_fuzz_input in = { data, size };
	char *text = gt_fuzz_text(&in), word[64];
	gt_grid grid;
	double x;
	long long k;
	if (gt_grid_parse(text, &grid) != GT_OK)
		gt_fuzz_failed();
	else if (gt_grid_check(&grid, NULL) == GT_OK)
		gt_fuzz_check_grid(&grid);
	if (gt_bytes_parse("memory", text, &x) == GT_OK)
		gt_fuzz_must(isfinite(x) && x >= 0 && *gt_bytes_text(x, word), "bytes that are no number");
	if (gt_parse_real("x", text, -1, 1e6, &x) == GT_OK)
		gt_fuzz_must(x >= -1 && x <= 1e6, "a number out of its range");
	if (gt_parse_mu("mu", text, 0, 10, &x) == GT_OK)
		gt_fuzz_must(x >= 0 && x <= 10, "an attenuation out of its range");
	if (gt_parse_int("k", text, -3, 1e6, &k) == GT_OK)
		gt_fuzz_must(k >= -3 && k <= 1000000, "a whole number out of its range");
	free(text);
	return 0;
}
