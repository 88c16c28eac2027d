/* Kernel forms of analytic backprojection: those of the papers, and Gantry's. */
#include "apps/study/fdk/fdk.h"

static const char flat_block[] = "16 x 16 columns of voxels, 128 slices per launch";
const fdk_form fdk_forms[] = {
	{ "strided", "Okitsu 2008: A", flat_block, "one view, lanes of a warp along y: accesses to the volume not coalesced", 1, 1, 0, 0,
	  26 },
	{ "coalesced", "Okitsu 2008: B", flat_block, "lanes along x", 1, 1, 0, 0, 26 },
	{ "local", "Okitsu 2008: C", flat_block, "4 views, added one by one to a sum in local memory", 4, 1, 0, 1, 26 },
	{ "local-ahead", "Okitsu 2008: D", flat_block, "the same with 12 views: places are computed ahead of what is fetched", 12, 1, 0, 1,
	  26 },
	{ "local-once", "Okitsu 2008: E", flat_block, "12 views, four in one expression: local memory accessed once for them", 12, 1, 0, 1,
	  26 },
	{ "batched", "", flat_block, "4 views summed in registers", 4, 1, 0, 0, 26 },
	{ "ahead", "Okitsu 2008: F", flat_block, "12 views summed in registers", 12, 1, 1, 0, 26 },
	{ "rsqrt", "Papenhausen 2013: +RSQRT", flat_block, "16 views, 1/w as rsqrt(w w)", 16, 1, 0, 0, 27 },
	{ "transposed", "Papenhausen 2013: +Transpose", flat_block, "besides, views along y on a volume with x and y exchanged", 16, 1, 0,
	  0, 27 },
	{ "atomic", "Papenhausen 2013: +Atomics", flat_block, "besides, sums added without being read", 16, 1, 0, 0, 27 },
	{ "separate", "Lu 2016: baseline", flat_block, "u free of z; slices outside, views inside, a texture for each", 16, 1, 0, 1, 4 },
	{ "intra", "Lu 2016: intra-layer first", flat_block, "one layered texture; views outside, slices inside", 16, 1, 0, 0, 5 },
	{ "layered", "Lu 2016: inter-layer first", flat_block, "one layered texture; slices outside, views inside", 16, 1, 0, 0, 4 },
	{ "plain", "", "16 slices of a column per thread", "no texture: places in double, two rows interpolated per voxel", 0, 1, 0, 0, 0 },
	{ "tiles", "", "16 x 16 columns, all views of a batch", "tiles of each view in shared memory, rows interpolated once", 0, 1, 0, 0,
	  0 },
	{ "tilted", "", "the same", "tiles for tilted detectors", 0, 0, 0, 0, 0 },
	{ .name = NULL },
};

const fdk_form *fdk_form_find(const char *name)
{
	const fdk_form *f = fdk_forms;
	while (f->name && strcmp(f->name, name))
		f++;
	return f->name ? f : NULL;
}

const fdk_way *fdk_way_of(const study *s, const char *form)
{
	const study_fdk *f = fdk_of(s);
	for (size_t i = 0; i < f->ways; i++)
		if (f->way[i].form && !strcmp(f->way[i].form->name, form))
			return &f->way[i];
	return NULL;
}
