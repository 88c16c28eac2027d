/* MetaImage: a header and its data file, read as a volume, which is also written as a pair, and as projections of a
 * known scan. */
#include <stdio.h>
#include "io/table.h"
#include "tests/fuzz/fuzz.h"

enum { COLUMNS = 4, ROWS = 3, VIEWS = 2 };

/* Projections of a scan of the seeds' size. */
static void read_views(const char *path)
{
	static gt_scan *scan;
	const gt_orbit o = { .shape = GT_FLAT,
		             .views = VIEWS,
		             .rows = ROWS,
		             .columns = COLUMNS,
		             .source_to_axis = 500,
		             .source_to_detector = 900,
		             .column_pitch = 20,
		             .row_pitch = 15,
		             .turn = 6 };
	gt_view_reader *r = NULL;
	float row[COLUMNS];
	if (!scan)
		gt_fuzz_must(gt_scan_orbit(&o, &scan) == GT_OK, "no scan");
	if (gt_view_reader_open(path, NULL, scan, &r) != GT_OK) {
		gt_fuzz_failed();
		return;
	}
	for (size_t v = 0; v < VIEWS; v++)
		for (size_t l = 0; l < ROWS; l++)
			if (gt_view_reader_read(r, v, 1, l, 1, row) != GT_OK)
				gt_fuzz_failed();
	gt_view_reader_close(r);
}

/* Twice under one name, so that the first pair's data are replaced. */
static void write_pair(const char *path)
{
	char pair[600];
	gt_volume *v = NULL;
	if (gt_read_volume(path, NULL, &v) != GT_OK)
		return;
	snprintf(pair, sizeof pair, "%s/pair.mhd", gt_fuzz_folder());
	for (int i = 0; i < 2 && gt_grid_voxels(gt_volume_grid(v)) < 4096; i++)
		if (gt_write_volume(pair, NULL, v) != GT_OK)
			gt_fuzz_failed();
	gt_volume_free(v);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	gt_fuzz_input in = { data, size };
	gt_fuzz_clear();
	const char *head = gt_fuzz_part(&in, "a.mhd");
	gt_fuzz_part(&in, "a.raw");
	if (!head)
		return 0;
	gt_fuzz_read(&gt_format_metaimage, head, NULL);
	read_views(head);
	write_pair(head);
	return 0;
}
