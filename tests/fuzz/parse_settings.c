/* Settings of a reconstruction as texts of the command line; the first byte chooses the setting, files are excluded. */
#include <stdlib.h>
#include <gantry/recon.h>
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const key[] = { "preset",  "solver",  "projector", "penalty", "weights", "grid",
		                           "padding", "stop",    "precision", "water",   "unit",    "device-memory",
		                           "keep",    "overlap", "slabs",     "check",   "force",   "backend" };
	gt_fuzz_input in = { data, size };
	const char *which = key[gt_fuzz_byte(&in) % (sizeof key / sizeof *key)];
	char *text = gt_fuzz_text(&in);
	if (gt_recon_check(which, text) != GT_OK)
		gt_fuzz_failed();
	free(text);
	return 0;
}
