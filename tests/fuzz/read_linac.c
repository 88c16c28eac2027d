/* Images of linear accelerators: Varian's .xim, .hnd or .hnc, Elekta's .his; the first byte chooses the name. */
#include "io/table.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	gt_fuzz_input in = { data, size };
	gt_fuzz_clear();
	gt_frames_options f = gt_frames_defaults;
	gt_read_options o = gt_read_defaults;
	f.angles = "0:13";
	f.white = 1000;
	f.air = "no";
	o.frames = &f;
	o.axis = 1.5;
	static const char *const names[] = { "a.xim", "a.his", "a.hnd", "a.hnc" };
	const int which = gt_fuzz_byte(&in) & 3;
	gt_fuzz_read(&gt_format_frames, gt_fuzz_file(names[which], in.data, in.size), &o);
	return 0;
}
