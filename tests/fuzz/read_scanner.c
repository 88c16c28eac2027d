/* Geometry files of scanners and other programs, and images that contain angles. Accepted geometries are written in
 * each format that can hold them and read back. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <gantry/io.h>
#include "io/geometry/geometry_files.h"
#include "tests/fuzz/fuzz.h"

enum { SIZES = 1, PITCH = 2, DIRECTION = 4, OFFSET = 8, PARALLEL = 16, ORIGIN = 32, IMAGES_BELOW = 64, UNIT = 128 };
enum { MAX_VIEWS = 5000 };

static void write_and_read(const gt_scan *scan)
{
	static const char *const names[] = { "b.xml", "b.npy", "b.json", "b.csv", "b.leap" };
	gt_geometry_options o = gt_geometry_defaults;
	char path[600];
	o.rows = scan->rows;
	o.columns = scan->columns;
	o.column_pitch = scan->column_pitch;
	o.row_pitch = scan->row_pitch;
	o.parallel = scan->shape == GT_PARALLEL;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		gt_geometry *g = NULL;
		snprintf(path, sizeof path, "%s/%s", gt_fuzz_folder(), names[i]);
		if (gt_geometry_write(path, NULL, scan, NULL) != GT_OK || gt_geometry_read(path, &o, &g) != GT_OK)
			gt_fuzz_failed();
		else
			gt_fuzz_must(gt_geometry_scan(g)->views == scan->views, "views that got lost on the way");
		gt_geometry_free(g);
	}
}

static void use(gt_geometry *g)
{
	const unsigned open = gt_geometry_open(g);
	gt_fuzz_check_scan(gt_geometry_scan(g));
	gt_fuzz_must(*gt_geometry_format(g), "a format without a name");
	gt_fuzz_must(gt_geometry_white(g) >= 0, "counts below 0");
	(void)gt_geometry_images(g);
	if (open && gt_geometry_reverse(g, open) == GT_OK)
		gt_fuzz_check_scan(gt_geometry_scan(g));
	if (gt_geometry_scan(g)->views < MAX_VIEWS)
		write_and_read(gt_geometry_scan(g));
}

/* Images with angles: in the folder of the file, or two levels below. */
static void put_images(gt_fuzz_input *in, unsigned said)
{
	static const char *const below[] = { "Acquisitions", "Acquisitions/1" }, *const beside[] = { "Scan0", "Scan0" };
	static const char *const kinds[] = { "xim", "hnd", "hnc" };
	const char *const *folder = said & IMAGES_BELOW ? below : beside;
	char name[600];
	for (int i = 0; i < 2; i++) {
		snprintf(name, sizeof name, "%s/%s", gt_fuzz_folder(), folder[i]);
		mkdir(name, 0700);
	}
	for (int i = 1; i < 4 && in->size; i++) {
		snprintf(name, sizeof name, "%s/Proj_%d.%s", folder[1], i, kinds[gt_fuzz_byte(in) % 3]);
		gt_fuzz_part(in, name);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	gt_fuzz_input in = { data, size };
	gt_geometry_options o = gt_geometry_defaults;
	gt_geometry *g = NULL;
	gt_fuzz_clear();
	const unsigned said = gt_fuzz_byte(&in);
	if (said & SIZES) {
		o.rows = 2;
		o.columns = 4;
	}
	if (said & PITCH)
		o.column_pitch = o.row_pitch = 0.5;
	if (said & ORIGIN)
		o.origin[0] = o.origin[1] = -0.25;
	if (said & UNIT)
		o.unit = 10;
	o.direction = said & DIRECTION ? GT_SIGN_REVERSED : GT_SIGN_OPEN;
	o.offset = said & OFFSET ? GT_SIGN_AS_FILE : GT_SIGN_OPEN;
	o.parallel = (said & PARALLEL) != 0;
	const char *path = gt_fuzz_part(&in, "Scan.xml");
	if (!path)
		return 0;
	if (in.size)
		put_images(&in, said);
	const int known = gt_geometry_probe(path);
	if (gt_geometry_read(path, &o, &g) != GT_OK)
		gt_fuzz_failed();
	else
		use(g);
	gt_fuzz_must(known || !g, "a file of unknown format was read");
	gt_geometry_free(g);
	return 0;
}
