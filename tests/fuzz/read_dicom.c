/* DICOM: a folder of up to four files, as slices of a volume and as projections. */
#include "io/table.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	gt_fuzz_input in = { data, size };
	gt_fuzz_clear();
	static const char *const name[] = { "1.dcm", "2.dcm", "3.dcm", "4.dcm" };
	for (size_t i = 0; i < sizeof name / sizeof *name && gt_fuzz_part(&in, name[i]); i++)
		;
	gt_fuzz_read(&gt_format_dicom_ct_pd, gt_fuzz_folder(), NULL);
	gt_fuzz_read(&gt_format_dicom_series, gt_fuzz_folder(), NULL);
	return 0;
}
