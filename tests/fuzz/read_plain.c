/* A volume with JSON: the first byte chooses NumPy or raw, then both files follow. */
#include "io/table.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	gt_fuzz_input in = { data, size };
	gt_fuzz_clear();
	const int npy = gt_fuzz_byte(&in) & 1;
	const char *head = gt_fuzz_part(&in, npy ? "a.npy.json" : "a.raw.json");
	if (!head)
		return 0;
	gt_fuzz_part(&in, npy ? "a.npy" : "a.raw");
	gt_fuzz_read(npy ? &gt_format_npy : &gt_format_raw, head, NULL);
	return 0;
}
