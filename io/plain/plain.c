/* The formats "npy" and "raw": data that every language reads without a library, and a JSON that describes them. */
#include <stdlib.h>
#include "io/frames/frame_source.h"
#include "io/plain/plain.h"
#include "io/plain/plain_header.h"
#include "io/table.h"

static int probe_as(const char *path, int npy)
{
	char *head, *data;
	const int found = gt_plain_find(path, &head, &data) && gt_is_npy(data) == npy;
	free(head);
	free(data);
	return found;
}
static int probe_npy(const char *path) { return probe_as(path, 1); }
static int probe_raw(const char *path) { return probe_as(path, 0); }

static gt_status write_npy(const char *path, const gt_write_options *o, const gt_volume *v) { return gt_plain_write(1, path, o, v); }
static gt_status write_raw(const char *path, const gt_write_options *o, const gt_volume *v) { return gt_plain_write(0, path, o, v); }

static gt_status create_npy(const char *path, const gt_write_options *o, const gt_volume *head, gt_slice_writer **s)
{
	return gt_plain_create(1, path, o, head, s);
}

static gt_status create_raw(const char *path, const gt_write_options *o, const gt_volume *head, gt_slice_writer **s)
{
	return gt_plain_create(0, path, o, head, s);
}

const gt_format gt_format_npy = {
	.name = "npy",
	.about = "NumPy with JSON",
	.extensions = "npy",
	.probe = probe_npy,
	.unitless = 1,
	.write_volume = write_npy,
	.create_slices = create_npy,
	.slices = &gt_plain_slices,
	.numbers = 1,
};

const gt_format gt_format_raw = {
	.name = "raw",
	.about = "raw values with JSON",
	.extensions = "raw",
	.probe = probe_raw,
	.unitless = 1,
	.write_volume = write_raw,
	.create_slices = create_raw,
	.slices = &gt_plain_slices,
	.numbers = 1,
};
