/* Filtered backprojection by slabs from a reader to a writer: equal to the whole volume for any partition.
 * Failures and cancellation end it; the partition respects its memory limits.
 * labels: unit */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "analytic/fbp/slab.h"
#include "geometry/projections.h"
#include "io/slice_writer.h"
#include "io/view_reader.h"
#include "recon/slab_pipeline.h"
#include "tests/support/support.h"

enum { VIEWS = 23, ROWS = 21, COLUMNS = 27, NZ = 13, NOWHERE = 1000 };
static const gt_grid grid = { { 15, 16, NZ }, { 2.4, 2.3, 2.1 }, { 1.4, -0.7, 2.3 } };
enum { PLANE = 15 * 16, VOXELS = PLANE * NZ };

static float *data, *volume, *expected;
static size_t read_fails_at, write_fails_at, stop_at, batches_seen, written;
static double read_pause;

static gt_status read_view(gt_view_reader *v, size_t view, size_t row, size_t rows, float *out)
{
	(void)v;
	nanosleep(&(struct timespec){ .tv_nsec = (long)(1e9 * read_pause) }, NULL);
	if (view == read_fails_at)
		return gt_fail(GT_ERR_IO, "the reader fails");
	memcpy(out, data + (view * ROWS + row) * COLUMNS, rows * COLUMNS * sizeof *out);
	return GT_OK;
}

static gt_status write_slices(gt_slice_writer *s, size_t first, size_t n, const float *values)
{
	ck_assert_uint_eq(first, written);
	(void)s;
	if (first <= write_fails_at && write_fails_at < first + n)
		return gt_fail(GT_ERR_IO, "the writer fails");
	memcpy(volume + first * PLANE, values, n * PLANE * sizeof *values);
	written += n;
	return GT_OK;
}

static struct gt_view_reader reader = { .path = "views", .size = { VIEWS, ROWS, COLUMNS }, .bytes = 1000, .read = read_view };
static struct gt_slice_writer writer;

static char heard[1024];
static void say(void *self, const gt_message *m)
{
	(void)self;
	snprintf(heard + strlen(heard), sizeof heard - strlen(heard), "%s\n", m->text);
}
static const gt_listener listener = { say, NULL };

static gt_slab_progress last;
static int progress(void *self, const gt_slab_progress *p)
{
	ck_assert_ptr_eq(self, &batches_seen);
	ck_assert(p->done > last.done && p->done <= 1 && p->seconds >= last.seconds && p->slab >= last.slab && p->slab < p->slabs);
	ck_assert(p->read >= last.read && p->updates > last.updates && p->written >= last.written);
	last = *p;
	return ++batches_seen == stop_at;
}

static gt_backend *be;
static gt_scan *scan;
static gt_slab_case c;
static gt_slab_job job;

static void setup(void)
{
	const gt_orbit orbit = { GT_FLAT,
		                 .views = VIEWS,
		                 .rows = ROWS,
		                 .columns = COLUMNS,
		                 .source_to_axis = 200,
		                 .source_to_detector = 320,
		                 .column_pitch = 2.9,
		                 .row_pitch = 2.7,
		                 .start_angle = 0.4,
		                 .turn = 6.283185307179586,
		                 .row_offset = 0.3 };
	be = gt_test_backend();
	ck_ok(gt_scan_orbit(&orbit, &scan));
	data = malloc(gt_scan_size(scan) * sizeof *data);
	volume = calloc(VOXELS, sizeof *volume);
	expected = calloc(VOXELS, sizeof *expected);
	gt_test_random(7, gt_scan_size(scan), data);
	c = (gt_slab_case){ .log = &listener,
		            .progress = progress,
		            .progress_self = &batches_seen,
		            .type = GT_F32,
		            .method = gt_analytic_find("fdk"),
		            .scan = scan,
		            .grid = &grid,
		            .data = "views" };
	job = (gt_slab_job){ .c = &c, .views = &reader, .be = be };
	ck_ok(gt_slab_plan_new(c.method, &grid, scan, NULL, gt_backend_pool(be), &job.slabs));
	memcpy(writer.size, (const size_t[]){ NZ, 16, 15 }, sizeof writer.size);
	writer.path = "volume";
	writer.write = write_slices;
	read_fails_at = write_fails_at = NOWHERE;
}

static void teardown(void)
{
	gt_slab_plan_free(job.slabs);
	gt_scan_free(scan);
	gt_backend_close(be);
	free(data);
	free(volume);
	free(expected);
}

static void reconstruct_at_once(void)
{
	gt_array *b = NULL, *x = NULL;
	ck_ok(gt_array_new(be, c.type, gt_scan_size(scan), &b));
	ck_ok(gt_array_new(be, c.type, VOXELS, &x));
	gt_array_put_float(data, b);
	ck_ok(gt_analytic_run(c.method, be, &grid, scan, c.options, b, x));
	gt_array_get_float(x, expected);
	ck_ok(gt_backend_status(be));
	gt_array_free(b);
	gt_array_free(x);
}

/* A partition with these numbers of slices per slab, views per batch and slices per block. */
static gt_slab_cut cut_of(size_t slices, size_t batch, size_t piece, gt_view_cache_place kept)
{
	gt_slab_cut cut = { .slices = slices,
		            .slabs = (NZ + slices - 1) / slices,
		            .batch = batch,
		            .batches = (VIEWS + batch - 1) / batch,
		            .piece = piece,
		            .kept = kept };
	for (size_t k = 0; k < cut.slabs; k++) {
		size_t row, rows;
		gt_slab_plan_rows(job.slabs, k * slices, gt_slab_slices(&job, &cut, k), &row, &rows);
		cut.rows = rows > cut.rows ? rows : cut.rows;
	}
	cut.buffer = batch * cut.rows * COLUMNS * gt_type_size(c.type);
	return cut;
}

static gt_status run(const gt_slab_cut *cut, gt_slab_result *r)
{
	*r = (gt_slab_result){ .plan = *cut };
	memset(volume, 0, VOXELS * sizeof *volume);
	last = (gt_slab_progress){ 0 };
	batches_seen = written = writer.written = 0;
	heard[0] = 0;
	return gt_slab_pipeline(&job, &writer, r);
}

static const struct {
	size_t slices, batch, piece;
	gt_view_cache_place kept;
	gt_type type;
} cuts[] = {
	{ 1, 1, 1, GT_VIEW_CACHE_NOT, GT_F32 },   { 1, 23, 1, GT_VIEW_CACHE_HOST, GT_F32 },   { 5, 4, 2, GT_VIEW_CACHE_NOT, GT_F32 },
	{ 5, 4, 3, GT_VIEW_CACHE_HOST, GT_F64 },  { 4, 7, 4, GT_VIEW_CACHE_SCRATCH, GT_F32 }, { 13, 5, 13, GT_VIEW_CACHE_NOT, GT_F32 },
	{ 12, 22, 5, GT_VIEW_CACHE_NOT, GT_F64 }, { 7, 23, 7, GT_VIEW_CACHE_HOST, GT_F32 },
};
enum { CUTS = sizeof cuts / sizeof *cuts };

/* The second half of the loop runs the stages in sequence. */
GT_TESTS(as_at_once, 2 * CUTS)
{
	const size_t i = (size_t)_i % CUTS, before = gt_test_threads();
	gt_slab_result r;
	c.type = cuts[i].type;
	c.alone = _i >= CUTS;
	c.scratch = "/tmp";
	const gt_slab_cut cut = cut_of(cuts[i].slices, cuts[i].batch, cuts[i].piece, cuts[i].kept);
	reconstruct_at_once();
	ck_ok(run(&cut, &r));
	ck_assert_uint_eq(written, NZ);
	const double error = gt_test_rms(volume, expected, VOXELS);
	ck_assert_msg(error < (c.type == GT_F64 ? 1e-7 : 4e-6), "cut %zu: %g from the volume at once", i, error);
	ck_assert_uint_eq(batches_seen, cut.slabs * cut.batches);
	ck_assert(last.done == 1 && last.slab + 1 == cut.slabs && last.slabs == cut.slabs);
	ck_assert(r.bytes[GT_STAGE_WRITE] == VOXELS * 4.);
	ck_assert(r.bytes[GT_STAGE_DOWNLOAD] == VOXELS * (double)gt_type_size(c.type));
	ck_assert(r.bytes[GT_STAGE_BACKPROJECT] == (double)VOXELS * VIEWS && last.updates == (double)VOXELS * VIEWS);
	ck_assert(r.bytes[GT_STAGE_UPLOAD] == r.bytes[GT_STAGE_READ] * (double)(gt_type_size(c.type) / 4));
	ck_assert(r.seconds[GT_STAGE_READ] > 0 && r.seconds[GT_STAGE_WRITE] > 0 && r.whole > 0 && r.device_peak > 0);
	ck_assert(isfinite(r.seconds[GT_STAGE_FILTER]) == (c.alone || !gt_test_is_gpu()));
	ck_assert_str_eq(r.backend, gt_backend_name(be));
	ck_assert_str_eq(heard, "");
	gt_test_no_thread_left(before);
}

/* A view cannot be read: in the first, a middle and the last batch; without a view cache, also in the second slab. */
GT_TESTS(reading_fails, 6)
{
	static const size_t at[] = { 0, 11, VIEWS - 1 };
	const size_t before = gt_test_threads();
	gt_slab_result r;
	c.alone = _i & 1;
	read_fails_at = at[_i / 2];
	const gt_slab_cut cut = cut_of(5, 4, 2, GT_VIEW_CACHE_NOT);
	char view[32];
	snprintf(view, sizeof view, "view %zu: the reader fails", read_fails_at);
	ck_refused(run(&cut, &r), GT_ERR_IO, view);
	ck_assert_uint_eq(written, 0);
	gt_test_no_thread_left(before);
}

/* A slice cannot be written: of the first slab, of a middle one, and the last slice. */
GT_TESTS(writing_fails, 6)
{
	static const size_t at[] = { 0, 6, NZ - 1 };
	const size_t before = gt_test_threads();
	gt_slab_result r;
	c.alone = _i & 1;
	write_fails_at = at[_i / 2];
	const gt_slab_cut cut = cut_of(5, 4, 1, GT_VIEW_CACHE_NOT);
	ck_refused(run(&cut, &r), GT_ERR_IO, "the writer fails");
	ck_assert_uint_eq(written, write_fails_at);
	gt_test_no_thread_left(before);
}

/* Cancelled in the first slab, in a later one, and after the last batch; a slow reader does not delay it. */
GT_TESTS(stopped, 3)
{
	static const size_t at[] = { 1, 8, 18 };
	const size_t before = gt_test_threads();
	gt_slab_result r;
	stop_at = at[_i];
	read_pause = 0.001;
	const gt_slab_cut cut = cut_of(5, 4, 2, GT_VIEW_CACHE_NOT);
	ck_assert_uint_eq(cut.slabs * cut.batches, 18);
	ck_refused(run(&cut, &r), GT_STOPPED, "stopped in slab");
	ck_assert_uint_eq(batches_seen, stop_at);
	ck_assert_uint_lt(written, NZ);
	gt_test_no_thread_left(before);
}

/* Implausible line integrals are refused with the file name; with `force` they are reported once. */
GT_TEST(implausible)
{
	gt_slab_result r;
	for (size_t i = 0; i < gt_scan_size(scan); i++)
		data[i] = 30000;
	const gt_slab_cut cut = cut_of(5, 4, 2, GT_VIEW_CACHE_NOT);
	ck_refused(run(&cut, &r), GT_ERR_FORMAT, "views: ");
	ck_assert_ptr_nonnull(strstr(gt_error(), "are not line integrals"));
	c.force = 1;
	ck_ok(run(&cut, &r));
	ck_assert_ptr_nonnull(strstr(heard, "views: "));
	ck_assert_ptr_nonnull(strstr(heard, "are not line integrals"));
	ck_assert_ptr_eq(strchr(heard, '\n'), strrchr(heard, '\n'));
}

/* A scratch folder that does not exist. */
GT_TEST(no_scratch)
{
	gt_slab_result r;
	c.scratch = "/no/such/folder";
	const gt_slab_cut cut = cut_of(5, 4, 2, GT_VIEW_CACHE_SCRATCH);
	ck_refused(run(&cut, &r), GT_ERR_IO, "--scratch=/no/such/folder");
}

/* Partition -------------------------------------------------------------------- */

static void check_cut(const gt_slab_cut *cut)
{
	ck_assert_uint_ge(cut->slices, 1);
	ck_assert_uint_eq(cut->slabs, (NZ + cut->slices - 1) / cut->slices);
	ck_assert_uint_eq(cut->batches, (VIEWS + cut->batch - 1) / cut->batch);
	ck_assert_uint_eq(cut->rows, cut_of(cut->slices, cut->batch, 1, GT_VIEW_CACHE_NOT).rows);
	ck_assert_uint_eq(cut->buffer, cut_of(cut->slices, cut->batch, 1, GT_VIEW_CACHE_NOT).buffer);
	size_t slices = 0;
	for (size_t k = 0; k < cut->slabs; k++)
		slices += gt_slab_slices(&job, cut, k);
	ck_assert_uint_eq(slices, NZ);
}

/* Ample memory gives two slabs, one batch and a view cache; less memory reduces them to one slice and one view.
 * The device memory of a run is as planned. */
GT_TEST(chosen_by_the_device)
{
	gt_slab_cut all, cut;
	gt_slab_result r;
	c.keep = GT_VIEW_CACHE_AUTO;
	ck_ok(gt_slab_job_choose(&job, &all));
	check_cut(&all);
	ck_assert(all.slices == 7 && all.slabs == 2 && all.batch == VIEWS && all.batches == 1 && all.piece == 7);
	ck_assert_int_eq(all.kept, GT_VIEW_CACHE_HOST);
	reconstruct_at_once();
	double min = 0;
	for (double limit = all.device; limit > 0; limit *= 0.93) {
		c.device_limit = limit;
		if (gt_slab_job_choose(&job, &cut) != GT_OK)
			break;
		check_cut(&cut);
		ck_assert(cut.device <= limit && cut.slices <= all.slices && cut.batch <= all.batch);
		min = cut.device;
		gt_backend_close(be);
		be = job.be = gt_test_backend();
		ck_ok(run(&cut, &r));
		ck_assert_msg(gt_test_is_gpu() ? r.device_peak <= cut.device : r.device_peak == cut.device,
		              "%zu slices, %zu views: %g bytes, expected %g", cut.slices, cut.batch, r.device_peak, cut.device);
		ck_assert(gt_test_rms(volume, expected, VOXELS) < 4e-6);
	}
	ck_assert(cut.slices == 1 && cut.batch == 1);
	c.device_limit = min - 1;
	ck_refused(gt_slab_job_choose(&job, &cut), GT_ERR_MEMORY, "fdk by slabs, one slice and one view at a time, needs ");
	ck_assert_ptr_nonnull(strstr(gt_error(), "(--device-memory)"));
}

GT_TESTS_IN(chosen_by_the_host, GT_VIEW_CACHE_NOT, GT_VIEW_CACHE_AUTO + 1)
{
	gt_slab_cut cut;
	c.keep = (gt_view_cache_place)_i;
	c.scratch = "/tmp";
	ck_ok(gt_slab_job_choose(&job, &cut));
	const double aside = gt_view_cache_bytes(cut.kept, scan);
	ck_assert_int_eq(cut.kept, c.keep == GT_VIEW_CACHE_AUTO ? GT_VIEW_CACHE_HOST : c.keep);
	ck_assert(cut.host > aside + cut.reserve && cut.reserve == 16777216 && cut.process >= cut.host);
	/* two buffers of views and slices, two slices of the writer, slab tables, reader, view cache and reserve */
	const double buffers = 2. * ((double)cut.buffer + (double)(cut.piece * PLANE * 4));
	ck_assert(cut.host == buffers + 2 * PLANE * 4 + (double)gt_slab_bytes(job.slabs) + (double)reader.bytes + aside + cut.reserve);
	/* HU are written from a copy */
	gt_slab_cut hu;
	c.hu = 1;
	ck_ok(gt_slab_job_choose(&job, &hu));
	ck_assert(hu.host == cut.host + (16 << 20) + PLANE * 4);
	c.hu = 0;
	c.host_limit = 1e6;
	ck_refused(gt_slab_job_choose(&job, &cut), GT_ERR_MEMORY, "taken already");
}

static void check_job(const char *path)
{
	gt_slab_job s;
	c.data = path;
	c.backend = getenv("GT_BACKEND") ? getenv("GT_BACKEND") : "cpu";
	heard[0] = 0;
	ck_ok(gt_slab_job_open(&c, &s));
	ck_assert(strstr(heard, "backend ") == heard && s.slabs && s.views && s.be);
	gt_slab_job_close(&s);
	gt_slab_job_close(&s);
	c.backend = "abacus";
	ck_refused(gt_slab_job_open(&c, &s), GT_ERR_UNKNOWN, "abacus");
	c.backend = "cpu:1";
	c.method = gt_analytic_find("fbp");
	ck_assert_int_ne(gt_slab_job_open(&c, &s), GT_OK);
	ck_assert(!s.slabs && !s.views && !s.be);
}

GT_TEST(opened)
{
	char folder[] = "/tmp/gantry-slabs-XXXXXX", path[64];
	gt_slab_job s;
	gt_projections p = { .tag = GT_IS_PROJECTIONS, .scan = scan, .data = data };
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/a.nc", folder);
	c.data = path;
	ck_assert_int_ne(gt_slab_job_open(&c, &s), GT_OK);
	ck_ok(gt_write_projections(path, NULL, &p));
	check_job(path);
	unlink(path);
	rmdir(folder);
}

int main(void) { return gt_test_main_with("slab_pipeline", setup, teardown); }
