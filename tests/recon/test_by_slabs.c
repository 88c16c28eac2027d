/* Reconstruction by slabs with gt_recon: result, report of the partition, refusals and cancellation.
 * labels: unit */
#include <math.h>
#include <string.h>
#include <unistd.h>
#include "analytic/fbp/fast/back_single.h"
#include "io/slice_writer.h"
#include "tests/recon/small_recon.h"

static char folder[64], scan[96], out[96];

static void setup(void)
{
	gt_projections *p = projections();
	p->water = 0.019;
	gt_test_folder(folder);
	snprintf(scan, sizeof scan, "%s/scan.nc", folder);
	snprintf(out, sizeof out, "%s/volume.nc", folder);
	ck_ok(gt_write_projections(scan, NULL, p));
	gt_projections_free(p);
}

static void teardown(void)
{
	unlink(scan);
	unlink(out);
	rmdir(folder);
}

/* Opens the scan file with the grid of the tests. */
static gt_recon *of_file(const char *const (*set)[2])
{
	gt_recon *r;
	ck_ok(gt_recon_open(scan, NULL, &r));
	set_all(r, set);
	ck_ok(gt_recon_grid(r, &grid));
	return r;
}

static gt_volume *written(gt_recon *r)
{
	gt_volume *v;
	ck_ok(gt_recon_run_to(r, out, NULL));
	ck_ok(gt_read_volume(out, NULL, &v));
	ck_assert(gt_grid_same(gt_volume_grid(v), &grid));
	return v;
}

static const char *const cuts[][5][2] = {
	{ { "slabs", "yes" }, { NULL, NULL } },
	{ { "device-memory", "60kB" }, { "keep", "memory" }, { NULL, NULL } },
	{ { "slabs", "yes" }, { "device-memory", "60kB" }, { "keep", "no" }, { NULL, NULL } },
	{ { "overlap", "no" }, { "solver", "fdk:filter=ram-lak" }, { NULL, NULL } },
	{ { "slabs", "yes" }, { "unit", "HU" }, { "water", "0.025" }, { NULL, NULL } },
	{ { "device-memory", "60kB" }, { "keep", "scratch" }, { "scratch", "/tmp" }, { NULL, NULL } },
	{ { "device-memory", "120kB" }, { "keep", "no" }, { "precision", "double" }, { NULL, NULL } },
};
enum { CUTS = sizeof cuts / sizeof *cuts };

/* Slabs sum in another order: float rounds at 1e-7, sums over 48 views reach 1e-5. */
GT_TESTS(slabs_are_the_whole, CUTS)
{
	gt_recon *r = of_file(NULL), *s = of_file(cuts[_i]);
	gt_recon_slabs cut = { .size = sizeof cut };
	gt_recon_outcome how = { .size = sizeof how };
	gt_volume *whole = written(r), *slabs = written(s);
	const float *x = gt_volume_data(whole), *y = gt_volume_data(slabs);
	double max = 0, differs = 0;
	for (size_t i = 0; i < gt_grid_voxels(&grid); i++) {
		max = fmax(max, fabs((double)x[i]));
		differs = fmax(differs, fabs((double)x[i] - (double)y[i]));
	}
	ck_assert_msg(max > 0.005 && differs < 1e-5 * max, "%g of %g", differs, max);
	ck_refused(gt_recon_slabs_result(r, &cut), GT_ERR_ARG, "not by slabs");
	ck_ok(gt_recon_slabs_result(s, &cut));
	ck_assert_uint_eq(cut.size, sizeof cut);
	ck_assert((cut.slabs - 1) * cut.slices < grid.n[2] && cut.slabs * cut.slices >= grid.n[2]);
	ck_assert_uint_ge(cut.slabs, 2);
	if (_i == 1 || _i == 2 || _i == 5)
		ck_assert_str_eq(cut.kept, _i == 1 ? "memory" : _i == 2 ? "no" : "scratch");
	ck_assert_uint_le(cut.rows, ROWS);
	ck_assert(cut.views > 0 && cut.views <= VIEWS && cut.whole > 0);
	ck_assert(cut.device > 0 && cut.process >= cut.host);
	ck_assert(cut.device <= 60e3 || (_i != 1 && _i != 2));
	ck_assert_double_eq_tol(slabs->water, _i == 4 ? 0.025 : 0.019, 1e-9);
	/* each slice is written once, as float */
	ck_assert_double_eq(cut.bytes[GT_RECON_STAGE_WRITE], 4. * (double)gt_grid_voxels(&grid));
	ck_ok(gt_recon_result(s, &how));
	ck_assert_double_eq(how.seconds, cut.whole);
	ck_assert_int_eq(how.iterations, 0);
	ck_assert_ptr_nonnull(strstr(gt_recon_text(s, "parameters"), "solver=fdk"));
	ck_assert_ptr_nonnull(strstr(gt_recon_text(s, "backend"), gt_test_is_gpu() ? "cuda" : "cpu"));
	ck_assert_ptr_nonnull(gt_recon_text(s, "slabs"));
	ck_assert_ptr_null(gt_recon_text(r, "slabs"));
	gt_volume_free(whole);
	gt_volume_free(slabs);
	gt_recon_free(r);
	gt_recon_free(s);
}

/* Plans with one more setting and returns the partition. */
static gt_recon_slabs cut_with(const char *key, const char *value)
{
	gt_recon *r = of_file(cuts[0]);
	gt_recon_slabs cut = { .size = sizeof cut };
	ck_ok(gt_recon_set(r, key, value));
	ck_ok(gt_recon_plan(r, NULL, NULL));
	ck_ok(gt_recon_slabs_result(r, &cut));
	gt_recon_free(r);
	return cut;
}

/* Bytes of tiles and lines that each thread of the CPU has in single precision alone. */
static double bytes_of_tiles(const gt_recon_slabs *cut)
{
	const gt_fbp_plan slab = { .rows = cut->rows, .grid = { .n = { 0, 0, cut->slices } } };
	gt_backend *be = gt_test_backend();
	const int threads = gt_test_is_gpu() ? 0 : gt_pool_threads(gt_backend_pool(be));
	gt_backend_close(be);
	return threads * (double)gt_back_single_bytes(&slab);
}

/* Settings take effect: precision, unit, host memory limit, and the water value of the run before the one of the
 * write options. Double precision takes twice the memory of single precision without its tiles. */
GT_TEST(settings_of_slabs)
{
	const gt_recon_slabs single = cut_with("precision", "single"), twice = cut_with("precision", "double"), hu = cut_with("unit", "HU");
	gt_write_options o = gt_write_defaults, in_hu = o;
	gt_recon *r = of_file(cuts[4]);
	gt_volume *v;
	o.unit = GT_PER_MM;
	in_hu.unit = GT_HU;
	ck_assert(twice.slices == single.slices && twice.views == single.views);
	ck_assert_double_gt(twice.device, (gt_test_is_gpu() ? 1.7 : 2) * (single.device - bytes_of_tiles(&single)));
	ck_assert_double_eq(hu.host - single.host, (double)gt_slice_writer_bytes(&in_hu, &grid) - (double)gt_slice_writer_bytes(&o, &grid));
	ck_assert_double_gt(hu.host, single.host);
	o.water = 0.03;
	ck_ok(gt_recon_run_to(r, out, &o));
	ck_ok(gt_read_volume(out, NULL, &v));
	ck_assert_double_eq_tol(v->water, 0.025, 1e-9);
	gt_volume_free(v);
	ck_ok(gt_recon_set(r, "host-memory", "1MB"));
	ck_refused(gt_recon_run_to(r, out, NULL), GT_ERR_MEMORY, "memory");
	gt_recon_free(r);
}

/* The geometry of one file with the projections of another, with and without slabs: doubled data give a doubled
 * volume. */
GT_TESTS(data_of_another_file, 2)
{
	char twice[96];
	gt_projections *p = projections();
	gt_recon *r = of_file(_i ? cuts[0] : NULL);
	gt_volume *once = written(r), *v;
	const float *x = gt_volume_data(once), *y;
	for (size_t i = 0; i < gt_scan_size(p->scan); i++)
		gt_projections_data(p)[i] *= 2;
	snprintf(twice, sizeof twice, "%s/twice.nc", folder);
	ck_ok(gt_write_projections(twice, NULL, p));
	ck_ok(gt_recon_set(r, "data", twice));
	v = written(r);
	y = gt_volume_data(v);
	for (size_t i = 0; i < gt_grid_voxels(&grid); i++)
		ck_assert_float_eq_tol(y[i], 2 * x[i], 1e-6f);
	unlink(twice);
	gt_volume_free(once);
	gt_volume_free(v);
	gt_recon_free(r);
	gt_projections_free(p);
}

/* Returns 1 if the start of the file contains the text. */
static int file_has(const char *file, const char *text)
{
	char head[4096];
	FILE *f = fopen(file, "rb");
	ck_assert_ptr_nonnull(f);
	const size_t n = fread(head, 1, sizeof head, f);
	fclose(f);
	return memmem(head, n, text, strlen(text)) != NULL;
}

/* The requested unit is the unit of the file, with and without slabs. */
GT_TESTS(unit, 2)
{
	static const char *const units[] = { "mm-1", "HU" };
	char file[96], text[16];
	snprintf(file, sizeof file, "%s/volume.mha", folder);
	for (int i = 0; i < 2; i++) {
		gt_recon *r = of_file(_i ? cuts[0] : NULL);
		ck_ok(gt_recon_set(r, "unit", units[i]));
		ck_ok(gt_recon_run_to(r, file, NULL));
		ck_assert_int_eq(gt_recon_text(r, "slabs") != NULL, _i);
		snprintf(text, sizeof text, " unit=%s", units[i]);
		ck_assert_msg(file_has(file, text), "no '%s' in the file", text);
		gt_recon_free(r);
		unlink(file);
	}
}

/* An arc of a displaced detector whose nearer side does not hold the object: refused as in memory, or another method. */
GT_TEST(an_object_beyond_the_nearer_side)
{
	gt_orbit o = small_orbit;
	gt_recon *r;
	o.column_offset = 9;
	o.turn = 300 / GT_DEGREES;
	o.column_pitch = 6;
	gt_projections *p = projections_on(&o, 0);
	ck_ok(gt_write_projections(scan, NULL, p));
	gt_projections_free(p);
	r = of_file(cuts[0]);
	ck_ok(gt_recon_set(r, "solver", "fdk"));
	ck_refused(gt_recon_run_to(r, out, NULL), GT_ERR_UNSUPPORTED,
	           "fdk: the object extends beyond the nearer side of a detector displaced by 9.0 of 40 columns");
	ck_ok(gt_recon_set(r, "solver", "fdk:offset=off"));
	ck_ok(gt_recon_run_to(r, out, NULL));
	gt_recon_free(r);
	r = of_file(cuts[0]);
	ck_refused(gt_recon_plan(r, NULL, NULL), GT_ERR_ARG, "slabs=yes: only for reconstruction by slabs, and 'fdk'");
	gt_recon_free(r);
}

/* Weights of the file are read for a method that uses them. */
GT_TEST(weights_of_the_file)
{
	static const char *const pcg[][2] = { { "solver", "pcg:iterations=1" }, { "weights", "file" }, { NULL, NULL } };
	gt_projections *p = projections();
	float *w = malloc(gt_scan_size(p->scan) * sizeof *w);
	for (size_t i = 0; i < gt_scan_size(p->scan); i++)
		w[i] = 1 + (float)(i % 3);
	ck_ok(gt_projections_set_weights(p, w));
	ck_ok(gt_write_projections(scan, NULL, p));
	gt_recon *r = of_file(pcg);
	gt_volume_free(written(r));
	ck_assert_msg(!strncmp(gt_recon_text(r, "weights"), "file/2", 6), "%s", gt_recon_text(r, "weights"));
	gt_recon_free(r);
	free(w);
	gt_projections_free(p);
}

/* A mask of corrected pixels, also in whole rows: the slabs are the whole. */
GT_TEST(masked_scan)
{
	gt_projections *p = projections();
	const size_t n = gt_scan_size(p->scan);
	float *mask = malloc(n * sizeof *mask);
	double max = 0, differs = 0;
	for (size_t i = 0; i < n; i++)
		mask[i] = i % 13 == 4 || i / COLUMNS % ROWS == 6 ? 0 : i % 7 == 2 ? 0.1f : 1;
	ck_ok(gt_projections_set_weights(p, mask));
	ck_ok(gt_write_projections(scan, NULL, p));
	gt_recon *r = of_file(NULL), *s = of_file(cuts[1]);
	gt_volume *whole = written(r), *slabs = written(s);
	for (size_t i = 0; i < gt_grid_voxels(&grid); i++) {
		max = fmax(max, fabs((double)gt_volume_data(whole)[i]));
		differs = fmax(differs, fabs((double)gt_volume_data(whole)[i] - gt_volume_data(slabs)[i]));
	}
	ck_assert_msg(max > 0.005 && differs < 1e-5 * max, "%g of %g", differs, max);
	gt_volume_free(whole);
	gt_volume_free(slabs);
	gt_recon_free(r);
	gt_recon_free(s);
	gt_projections_free(p);
	free(mask);
}

static int count_threads(void *self, const gt_recon_progress *p)
{
	size_t *threads = self;
	if (p->phase == GT_RECON_SLAB && p->done > 0 && !*threads)
		*threads = gt_test_threads();
	return 0;
}

/* Overlapping stages have their own threads, sequential stages have none. */
GT_TEST(threads_of_stages)
{
	static const char *const settings[][3][2] = { { { "slabs", "yes" }, { "overlap", "no" }, { NULL, NULL } },
		                                      { { "slabs", "yes" }, { NULL, NULL } } };
	size_t threads[2] = { 0, 0 };
	for (size_t i = 0; i < 2; i++) {
		gt_recon *r = of_file(settings[i]);
		gt_recon_on_progress(r, count_threads, &threads[i]);
		gt_volume_free(written(r));
		gt_recon_free(r);
	}
	ck_assert_msg(threads[0] && threads[1] > threads[0], "%zu threads, and %zu without overlap", threads[1], threads[0]);
}

/* A plan and its run have the same partition. */
GT_TEST(planned)
{
	gt_recon *r = of_file(cuts[2]);
	gt_recon_slabs plan = { .size = sizeof plan }, cut = { .size = sizeof cut };
	const char *lines;
	char expected[64];
	ck_ok(gt_recon_plan(r, NULL, &lines));
	ck_ok(gt_recon_slabs_result(r, &plan));
	snprintf(expected, sizeof expected, "slabs=%zu\nslices=%zu\nviews=%zu\n", plan.slabs, plan.slices, plan.views);
	ck_assert_msg(!strncmp(lines, expected, strlen(expected)), "'%s' does not begin with '%s'", lines, expected);
	ck_assert_ptr_nonnull(strstr(lines, "\nkept=no\n"));
	ck_assert(!strncmp(gt_recon_text(r, "backend"), gt_test_is_gpu() ? "cuda" : "cpu", 3));
	ck_assert(plan.whole == 0 && access(out, F_OK) != 0);
	ck_ok(gt_recon_run_to(r, out, NULL));
	ck_ok(gt_recon_slabs_result(r, &cut));
	ck_assert_uint_eq(cut.slabs, plan.slabs);
	ck_assert_double_eq(cut.device, plan.device);
	ck_assert_double_le(cut.device_peak, plan.device);
	cut.size = sizeof cut.size - 1;
	ck_refused(gt_recon_slabs_result(r, &cut), GT_ERR_ARG, "too small");
	ck_refused(gt_recon_slabs_result(r, NULL), GT_ERR_ARG, "out is NULL");
	ck_refused(gt_recon_slabs_result(NULL, &plan), GT_ERR_ARG, "r is NULL");
	gt_recon_free(r);
}

/* Settings for slabs are reported as without effect in other runs. */
GT_TEST(not_by_slabs)
{
	static const struct {
		const char *set[4][2], *text;
	} cases[] = {
		{ { { "slabs", "yes" }, { "preset", "iterative" } }, "slabs=yes: only for reconstruction by slabs, and '--preset" },
		{ { { "slabs", "yes" }, { "solver", "pcg" } }, "slabs=yes: only for reconstruction by slabs, and 'pcg'" },
		{ { { "overlap", "no" }, { "solver", "pcg" } }, "--no-overlap: only" },
		{ { { "keep", "memory" }, { "solver", "pcg" } }, "--keep: only" },
		{ { { "scratch", "/tmp" }, { "solver", "pcg" }, { "backend", "cpu:1x2" } }, "--scratch: only" },
		{ { { "scratch", "/tmp" }, { "weights", "noise" } }, "--scratch: only" },
		{ { { "slabs", "yes" }, { "weights", "noise" } }, "'fdk' computes all at once" },
		{ { { "slabs", "yes" }, { "penalty", "huber:strength=1" } }, "'fdk' computes all at once" },
		{ { { "slabs", "yes" }, { "init", "zero" } }, "'fdk' computes all at once" },
		{ { { "slabs", "yes" }, { "stop", "seconds=1" } }, "'fdk' computes all at once" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		gt_recon *r = of_file(NULL);
		for (size_t k = 0; cases[i].set[k][0]; k++)
			ck_ok(gt_recon_set(r, cases[i].set[k][0], cases[i].set[k][1]));
		ck_refused(gt_recon_choose(r), GT_ERR_ARG, cases[i].text);
		ck_assert_ptr_null(gt_recon_text(r, "slabs"));
		gt_recon_free(r);
	}
}

static int stop_at(void *self, const gt_recon_progress *p) { return (int)p->phase == *(int *)self; }

GT_TEST(stopped)
{
	gt_recon *r = of_file(cuts[0]);
	gt_recon_outcome how = { .size = sizeof how };
	int phases[] = { GT_RECON_WRITES, GT_RECON_SLAB };
	for (size_t i = 0; i < 2; i++) {
		gt_recon_on_progress(r, stop_at, &phases[i]);
		ck_assert_int_eq(gt_recon_run_to(r, out, NULL), GT_STOPPED);
		ck_assert_int_ne(access(out, F_OK), 0);
		ck_refused(gt_recon_result(r, &how), GT_ERR_ARG, "nothing has run yet");
	}
	gt_recon_on_progress(r, NULL, NULL);
	gt_volume_free(written(r));
	gt_recon_free(r);
}

/* A run by slabs into an array of the caller is refused; the message names gt_recon_run_to(). */
GT_TEST(into_memory)
{
	gt_recon *r = of_file(cuts[0]);
	gt_volume *v;
	ck_ok(gt_volume_new(&grid, &v));
	ck_refused(gt_recon_run(r, v), GT_ERR_MEMORY, "expected gt_recon_run_to()");
	gt_volume_free(v);
	gt_recon_free(r);
}

int main(void) { return gt_test_main_with("by_slabs", setup, teardown); }
