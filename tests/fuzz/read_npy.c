/* One file of images: a NumPy array or a TIFF file of several pages, as line integrals and as a sinogram. */
#include "io/table.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	gt_fuzz_input in = { data, size };
	gt_fuzz_clear();
	gt_frames_options f = gt_frames_defaults;
	gt_read_options o = gt_read_defaults;
	f.values = GT_FRAMES_LINE_INTEGRALS;
	f.angles = "0:13";
	f.sinogram = gt_fuzz_byte(&in) & 1;
	o.frames = &f;
	o.axis = 1.5;
	gt_fuzz_read(&gt_format_frames, gt_fuzz_file("a.npy", in.data, in.size), &o);
	return 0;
}
