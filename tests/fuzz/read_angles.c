/* Angle tables: the first part of the input names them, the second is a file. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "io/frames/view_angles.h"
#include "io/table.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	gt_fuzz_input in = { data, size };
	gt_fuzz_clear();
	static const long long number[] = { 3, 4, 7, 9 };
	double angle[4];
	const char *spec = gt_fuzz_part(&in, "spec"), *file = gt_fuzz_file("angles.txt", in.data, in.size);
	char text[256] = "";
	FILE *f = spec ? fopen(spec, "rb") : NULL;
	if (f) {
		text[fread(text, 1, sizeof text - 1, f)] = 0;
		fclose(f);
	}
	/* a spec is used as one; other texts name the file */
	if (!strstr(text, "..") && !strchr(text, ':'))
		text[0] = 0;
	for (int gaps = 0; gaps < 2; gaps++)
		if (gt_view_angles(*text ? text : file, gaps, gaps ? number : NULL, 4, &gt_read_defaults, angle) != GT_OK)
			gt_fuzz_failed();
		else
			for (int i = 0; i < 4; i++)
				gt_fuzz_must(isfinite(angle[i]), "an angle that is none");
	return 0;
}
