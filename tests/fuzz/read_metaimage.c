/* MetaImage: a head, and the file of data beside it. */
#include "io/table.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	gt_fuzz_input in = { data, size };
	gt_fuzz_clear();
	const char *head = gt_fuzz_part(&in, "a.mhd");
	gt_fuzz_part(&in, "a.raw");
	if (head)
		gt_fuzz_read(&gt_format_metaimage, head, NULL);
	return 0;
}
