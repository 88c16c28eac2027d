/* A volume as TIFF, with a description in its first page. */
#include "io/table.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	gt_read_options o = gt_read_defaults;
	gt_fuzz_clear();
	const char *path = gt_fuzz_file("a.tif", data, size);
	gt_fuzz_read(&gt_format_tiff, path, NULL);
	o.position = GT_HFP;
	o.center = 1;
	gt_fuzz_read(&gt_format_tiff, path, &o);
	return 0;
}
