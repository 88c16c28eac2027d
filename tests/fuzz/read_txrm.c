/* Zeiss .txrm: images and geometry in the streams of a compound file; the first byte chooses the options. */
#include <gantry/io.h>
#include "io/table.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	gt_fuzz_input in = { data, size };
	gt_fuzz_clear();
	gt_frames_options f = gt_frames_defaults;
	gt_read_options o = gt_read_defaults;
	const unsigned known = gt_fuzz_byte(&in);
	f.direction = known & 1 ? GT_SIGN_AS_FILE : GT_SIGN_OPEN;
	f.axis_side = known & 2 ? GT_SIGN_REVERSED : GT_SIGN_OPEN;
	f.flat = known & 4 ? "none" : NULL;
	f.values = known & 8 ? GT_FRAMES_LINE_INTEGRALS : GT_FRAMES_COUNTS;
	o.frames = &f;
	gt_fuzz_read(&gt_format_frames, gt_fuzz_file("a.txrm", in.data, in.size), &o);
	return 0;
}
