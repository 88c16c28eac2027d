/* NetCDF files from bytes: the checks before libnetcdf opens a file, and the probe process. */
#include "io/table.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	gt_fuzz_clear();
	gt_fuzz_read(&gt_format_netcdf, gt_fuzz_file("a.nc", data, size), NULL);
	return 0;
}
