/* NIfTI-1 and -2, also compressed. */
#include <math.h>
#include "io/table.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* values of one byte become floats; uncompressed files contain all of them */
	const int packed = size > 1 && data[0] == 0x1f && data[1] == 0x8b;
	gt_fuzz_max_memory = packed ? INFINITY : 1e4 + 16 * (double)size;
	gt_fuzz_clear();
	gt_fuzz_read(&gt_format_nifti, gt_fuzz_file("a.nii.gz", data, size), NULL);
	return 0;
}
