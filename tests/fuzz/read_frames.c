/* A folder of images of counts, whose names are the first part, a line each; angles.txt and fields may be among
 * them. */
#include <string.h>
#include "io/table.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	gt_fuzz_input in = { data, size };
	gt_fuzz_clear();
	char names[256], *rest = names;
	size_t n = 0;
	size_t length = gt_fuzz_byte(&in);
	for (; n < length && in.size; n++)
		names[n] = (char)gt_fuzz_byte(&in);
	names[n] = 0;
	for (char *c = names; *c; c++)
		if (*c == '/')
			*c = '_';
	for (char *name = strsep(&rest, "\n"); name && in.size; name = strsep(&rest, "\n"))
		if (*name && *name != '.')
			gt_fuzz_part(&in, name);
	gt_fuzz_read(&gt_format_frames, gt_fuzz_folder(), NULL);
	return 0;
}
