/* Misuse of gt_recon: callbacks that change it, settings changed after a run, structs of older programs, values
 * that are not finite, wrong handles.
 * labels: unit */
#include <stddef.h>
#include <string.h>
#include <unistd.h>
#include "tests/recon/small_recon.h"

static const char *const two_steps[][2] = { { "solver", "os-sart:iterations=2,subsets=4" }, { "init", "zero" }, { NULL, NULL } };

GT_TEST(what_was_found_outlives_the_settings)
{
	gt_projections *p = projections();
	gt_recon *r = recon(p, two_steps);
	gt_volume *v;
	ck_ok(gt_volume_new(&grid, &v));
	ck_ok(gt_recon_run(r, v));
	ck_ok(gt_recon_set(r, "init", "fdk"));
	ck_assert_str_eq(gt_recon_text(r, "start"), "zero");
	gt_recon_free(r);
	gt_volume_free(v);
	gt_projections_free(p);
}

GT_TEST(a_grid_that_is_set_after_a_volume_gave_one)
{
	gt_projections *p = projections();
	gt_recon *r = recon(p, NULL);
	gt_volume *v, *w;
	gt_grid coarse, chosen;
	ck_ok(gt_grid_parse("12x11x3@12x12x12", &coarse));
	ck_ok(gt_volume_new(&grid, &v));
	ck_ok(gt_volume_new(&coarse, &w));
	ck_ok(gt_recon_run(r, v));
	ck_ok(gt_recon_set(r, "grid", "12x11x3@12x12x12"));
	ck_ok(gt_recon_run(r, w));
	ck_ok(gt_recon_chosen_grid(r, &chosen));
	ck_assert(gt_grid_same(&chosen, &coarse));
	gt_recon_free(r);
	gt_volume_free(v);
	gt_volume_free(w);
	gt_projections_free(p);
}

/* On the default grid, a run into memory equals a run into a file, with padding slices. */
GT_TEST(the_default_grid_gives_one_volume)
{
	char folder[] = "/tmp/test_recon_misuse_XXXXXX", out[64];
	gt_projections *p = projections();
	gt_recon *r = recon(p, two_steps), *f = recon(p, two_steps);
	gt_volume *v, *w;
	gt_grid g;
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(out, sizeof out, "%s/volume.nc", folder);
	ck_ok(gt_recon_choose(r));
	ck_ok(gt_recon_chosen_grid(r, &g));
	ck_ok(gt_volume_new(&g, &v));
	ck_ok(gt_recon_run(r, v));
	ck_ok(gt_recon_run_to(f, out, NULL));
	ck_ok(gt_read_volume(out, NULL, &w));
	ck_assert_int_eq(memcmp(gt_volume_data(v), gt_volume_data(w), gt_grid_voxels(&g) * sizeof(float)), 0);
	unlink(out);
	rmdir(folder);
	gt_recon_free(r);
	gt_recon_free(f);
	gt_volume_free(v);
	gt_volume_free(w);
	gt_projections_free(p);
}

/* Options of an older program: the allocation ends after the old struct. */
GT_TEST(options_that_end_early)
{
	char folder[] = "/tmp/test_recon_misuse_XXXXXX", scan[64], out[64];
	const size_t n = offsetof(gt_read_options, notes), m = offsetof(gt_write_options, notes);
	void *const o = malloc(n), *const w = malloc(m);
	gt_read_options wrong = gt_read_defaults;
	gt_write_options bad = gt_write_defaults;
	gt_projections *p = projections();
	gt_recon *r;
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(scan, sizeof scan, "%s/scan.nc", folder);
	snprintf(out, sizeof out, "%s/volume.nc", folder);
	ck_ok(gt_write_projections(scan, NULL, p));
	memcpy(o, &gt_read_defaults, n);
	memcpy(o, &n, sizeof n);
	memcpy(w, &gt_write_defaults, m);
	memcpy(w, &m, sizeof m);
	wrong.size = 0;
	ck_refused(gt_recon_open(scan, &wrong, &r), GT_ERR_ARG, "size=0");
	ck_assert_ptr_null(r);
	ck_ok(gt_recon_open(scan, o, &r));
	free(o);
	set_all(r, NULL);
	bad.size = sizeof bad + 8;
	ck_refused(gt_recon_run_to(r, out, &bad), GT_ERR_ARG, "expected sizeof(gt_write_options)");
	ck_ok(gt_recon_run_to(r, out, w));
	ck_ok(gt_recon_set(r, "slabs", "yes"));
	ck_ok(gt_recon_run_to(r, out, w));
	free(w);
	unlink(scan);
	unlink(out);
	rmdir(folder);
	gt_recon_free(r);
	gt_projections_free(p);
}

static int tries;

static int change_settings(void *self, const gt_recon_progress *progress)
{
	gt_recon *r = self;
	const char *text;
	if (progress->phase != GT_RECON_ITERATION)
		return 0;
	ck_refused(gt_recon_set(r, "solver", "pcg"), GT_ERR_ARG, "gt_recon_set: called from a callback");
	ck_refused(gt_recon_grid(r, &grid), GT_ERR_ARG, "gt_recon_grid: called from a callback");
	ck_refused(gt_recon_start(r, NULL), GT_ERR_ARG, "gt_recon_start: called from a callback");
	ck_refused(gt_recon_choose(r), GT_ERR_ARG, "gt_recon_choose: called from a callback");
	ck_refused(gt_recon_plan(r, NULL, &text), GT_ERR_ARG, "gt_recon_plan: called from a callback");
	ck_refused(gt_recon_run_to(r, "volume.nc", NULL), GT_ERR_ARG, "gt_recon_run_to: called from a callback");
	ck_assert_ptr_nonnull(gt_recon_text(r, "solver"));
	tries++;
	return 0;
}

GT_TEST(callbacks_change_nothing)
{
	gt_projections *p = projections();
	gt_recon *r = recon(p, two_steps);
	gt_volume *v;
	ck_ok(gt_volume_new(&grid, &v));
	gt_recon_on_progress(r, change_settings, r);
	ck_ok(gt_recon_run(r, v));
	ck_assert_int_eq(tries, 2);
	ck_ok(gt_recon_set(r, "solver", "pcg:iterations=1"));
	gt_recon_free(r);
	gt_volume_free(v);
	gt_projections_free(p);
}

static int calls_after;

static int free_it(void *self, const gt_recon_progress *progress)
{
	gt_recon *r = self;
	calls_after += progress->phase == GT_RECON_ITERATION;
	if (progress->phase == GT_RECON_ITERATION)
		gt_recon_free(r);
	ck_assert_ptr_nonnull(gt_recon_text(r, "grid")); /* valid until the call ends */
	return 0;
}

GT_TEST(a_callback_frees_it)
{
	gt_projections *p = projections();
	gt_recon *r = recon(p, two_steps);
	gt_volume *v;
	ck_ok(gt_volume_new(&grid, &v));
	gt_recon_on_progress(r, free_it, r);
	ck_ok(gt_recon_run(r, v));
	ck_assert_int_eq(calls_after, 2);
	gt_volume_free(v);
	gt_projections_free(p);
}

/* Refused as in files. */
GT_TEST(values_and_geometry_that_are_none)
{
	gt_projections *p = projections();
	gt_recon *r = recon(p, two_steps);
	gt_volume *v;
	float *start = calloc(gt_grid_voxels(&grid), sizeof *start);
	ck_ok(gt_volume_new(&grid, &v));
	start[24 * 22 + 24 + 7] = NAN;
	ck_ok(gt_recon_start(r, start));
	ck_refused(gt_recon_run(r, v), GT_ERR_ARG, "voxel [1][1][7] is nan");
	ck_ok(gt_recon_start(r, NULL));
	gt_projections_data(p)[COLUMNS * ROWS * 2 + COLUMNS + 3] = NAN;
	ck_refused(gt_recon_run(r, v), GT_ERR_FORMAT, "1 values are not finite, the first nan in view 2, row 1, column 3");
	ck_ok(gt_recon_set(r, "force", "yes"));
	ck_refused(gt_recon_run(r, v), GT_ERR_FORMAT, "not finite");
	gt_projections_data(p)[COLUMNS * ROWS * 2 + COLUMNS + 3] = 0;
	ck_ok(gt_recon_run(r, v));
	ck_ok(gt_recon_set(r, "force", NULL));
	gt_projections_scan(p)->column_pitch = NAN;
	ck_refused(gt_recon_choose(r), GT_ERR_FORMAT, "column_pitch=nan");
	gt_recon_free(r);
	gt_volume_free(v);
	free(start);
	gt_projections_free(p);
}

static int stop_at(void *self, const gt_recon_progress *progress) { return progress->phase == *(const gt_recon_phase *)self; }

GT_TEST(reading_and_slabs_stop)
{
	char folder[] = "/tmp/test_recon_misuse_XXXXXX", scan[64], out[64];
	gt_projections *p = projections();
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(scan, sizeof scan, "%s/scan.nc", folder);
	snprintf(out, sizeof out, "%s/volume.nc", folder);
	ck_ok(gt_write_projections(scan, NULL, p));
	for (int slabs = 0; slabs < 2; slabs++) {
		gt_recon_phase phase = slabs ? GT_RECON_SLAB : GT_RECON_READING;
		gt_recon *r;
		ck_ok(gt_recon_open(scan, NULL, &r));
		set_all(r, NULL);
		ck_ok(gt_recon_set(r, "slabs", slabs ? "yes" : "auto"));
		gt_recon_on_progress(r, stop_at, &phase);
		ck_refused(gt_recon_run_to(r, out, NULL), GT_STOPPED, slabs ? "before the first slab" : "scan.nc was read");
		ck_assert_int_ne(access(out, F_OK), 0);
		gt_recon_free(r);
	}
	unlink(scan);
	ck_assert_int_eq(rmdir(folder), 0);
	gt_projections_free(p);
}

GT_TEST(handles_of_another_kind)
{
	gt_projections *p = projections();
	gt_recon *r = recon(p, NULL), *other;
	gt_volume *v;
	gt_recon_outcome how = { .size = sizeof how };
	ck_ok(gt_volume_new(&grid, &v));
	void *const volume = v, *const data = p;
	ck_refused(gt_recon_new(volume, &other), GT_ERR_ARG, "gt_recon_new: expected projections, found something else");
	ck_refused(gt_recon_run(r, data), GT_ERR_ARG, "gt_recon_run: expected a volume, found something else");
	ck_refused(gt_recon_set(volume, "solver", "pcg"), GT_ERR_ARG, "expected a gt_recon, found something else");
	ck_refused(gt_recon_result(data, &how), GT_ERR_ARG, "expected a gt_recon, found something else");
	ck_assert_ptr_null(gt_recon_text(volume, "solver"));
	ck_assert_int_eq(gt_recon_iterates(volume), -1);
	ck_assert_ptr_null(gt_projections_data(volume));
	ck_assert_ptr_null(gt_volume_grid(data));
	ck_refused(gt_volume_set_water(data, 0.02), GT_ERR_ARG, "expected a volume, found something else");
	ck_refused(gt_write_volume("/tmp/volume.nc", NULL, data), GT_ERR_ARG, "expected a volume, found something else");
	ck_refused(gt_write_projections("/tmp/scan.nc", NULL, volume), GT_ERR_ARG, "expected projections, found something else");
	gt_volume_free(data);
	gt_projections_free(volume);
	gt_recon_free(volume);
	ck_ok(gt_recon_run(r, v));
	gt_recon_free(r);
	gt_volume_free(v);
	gt_projections_free(p);
}

int main(void) { return gt_test_main("recon_misuse", NULL); }
