/* Option structs of older programs with fewer members, and handles without data.
 * labels: unit, backend: none */
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <gantry/io.h>
#include "tests/support/support.h"

static const gt_grid grid = { { 4, 3, 2 }, { 1, 1, 1 }, { 0, 0, 0 } };
static char path[64];

static void setup(void)
{
	snprintf(path, sizeof path, "/tmp/gantry-options-%ld.mha", (long)getpid());
	gt_volume *v;
	ck_ok(gt_volume_new(&grid, &v));
	ck_ok(gt_write_volume(path, NULL, v));
	gt_volume_free(v);
}

static void teardown(void) { unlink(path); }

static void never(void *self, const gt_message *m)
{
	(void)self;
	ck_abort_msg("'%s' is reported to a caller without a listener", m->text);
}

GT_TEST(smaller_options_have_the_defaults_of_the_rest)
{
	gt_read_options r = gt_read_defaults;
	gt_write_options w = gt_write_defaults;
	gt_volume *v;
	/* bytes past the end of a smaller struct are ignored */
	memset((char *)&r + offsetof(gt_read_options, slope), 0x55, sizeof r - offsetof(gt_read_options, slope));
	r.notes.say = never;
	r.size = offsetof(gt_read_options, slope);
	ck_ok(gt_read_volume(path, &r, &v));
	ck_assert(gt_volume_data(v)[0] == 0);
	memset((char *)&w + offsetof(gt_write_options, water), 0x55, sizeof w - offsetof(gt_write_options, water));
	w.size = offsetof(gt_write_options, water);
	ck_ok(gt_can_write_projections("/tmp/gantry-options.nc", &w));
	ck_ok(gt_write_volume(path, &w, v));
	gt_volume_free(v);
	r.size = w.size = sizeof(size_t);
	ck_ok(gt_read_volume(path, &r, &v));
	ck_ok(gt_write_volume(path, &w, v));
	gt_volume_free(v);
}

GT_TEST(sizes_that_are_none_are_refused)
{
	const size_t sizes[] = { 0, sizeof(size_t) - 1, 100000 };
	gt_volume *v, *got;
	gt_slice_writer *s;
	ck_ok(gt_read_volume(path, NULL, &v));
	for (size_t i = 0; i < 3; i++) {
		gt_read_options r = gt_read_defaults;
		gt_write_options w = gt_write_defaults;
		gt_projections *p;
		char text[64];
		r.size = w.size = sizes[i];
		snprintf(text, sizeof text, "options of size=%zu: expected sizeof(gt_", sizes[i]);
		ck_refused(gt_read_volume(path, &r, &got), GT_ERR_ARG, text);
		ck_assert_ptr_null(got);
		ck_refused(gt_read_projections(path, &r, &p), GT_ERR_ARG, text);
		ck_refused(gt_write_volume(path, &w, v), GT_ERR_ARG, text);
		ck_refused(gt_slice_writer_create(path, &w, v, &s), GT_ERR_ARG, text);
		ck_refused(gt_can_write_projections("/tmp/gantry-options.nc", &w), GT_ERR_ARG, text);
	}
	gt_volume_free(v);
}

GT_TEST(handles_that_hold_nothing)
{
	gt_volume *head;
	gt_slice_writer *s;
	ck_refused(gt_read_volume(path, NULL, NULL), GT_ERR_ARG, "gt_read_volume: expected a place for the volume, found NULL");
	ck_refused(gt_read_projections(path, NULL, NULL), GT_ERR_ARG,
	           "gt_read_projections: expected a place for the projections, found NULL");
	ck_refused(gt_write_volume(path, NULL, NULL), GT_ERR_ARG, "gt_write_volume: expected a volume, found NULL");
	ck_refused(gt_write_projections(path, NULL, NULL), GT_ERR_ARG, "gt_write_projections: expected projections, found NULL");
	ck_refused(gt_slice_writer_create(path, NULL, NULL, &s), GT_ERR_ARG, "gt_slice_writer_create: head is NULL");
	ck_ok(gt_volume_wrap(&grid, NULL, NULL, NULL, &head));
	ck_refused(gt_write_volume(path, NULL, head), GT_ERR_ARG, ".mha: the volume is a grid without voxels");
	gt_volume_free(head);
}

/* A volume in memory of the caller is written and read like one of the library. */
GT_TEST(borrowed_voxels_are_written)
{
	float data[24];
	gt_volume *v, *got;
	gt_test_random(3, 24, data);
	ck_ok(gt_volume_wrap(&grid, data, NULL, NULL, &v));
	ck_ok(gt_write_volume(path, NULL, v));
	ck_ok(gt_read_volume(path, NULL, &got));
	ck_assert_int_eq(memcmp(gt_volume_data(got), data, sizeof data), 0);
	gt_volume_free(got);
	gt_volume_free(v);
}

int main(void) { return gt_test_main_with("options", setup, teardown); }
