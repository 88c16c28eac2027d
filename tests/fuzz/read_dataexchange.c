/* HDF5 files from bytes, as Data Exchange. */
#include "io/table.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	gt_fuzz_clear();
	gt_fuzz_read(&gt_format_dataexchange, gt_fuzz_file("a.h5", data, size), NULL);
	return 0;
}
