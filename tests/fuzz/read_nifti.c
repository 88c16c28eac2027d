/* NIfTI-1 and -2, packed ones too. */
#include "io/table.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	gt_fuzz_clear();
	gt_fuzz_read(&gt_format_nifti, gt_fuzz_file("a.nii.gz", data, size), NULL);
	return 0;
}
