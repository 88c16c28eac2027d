/* View cache: equal values wherever views are cached, one read of each view, and refusals.
 * labels: unit backend: none */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "io/slice_writer.h"
#include "io/view_reader.h"
#include "recon/view_cache.h"
#include "tests/support/support.h"

enum { VIEWS = 7, ROWS = 5, COLUMNS = 3 };

/* Views whose values encode their position, and the number of reads of each row. */
static int reads[VIEWS][ROWS];
static size_t fails_at = VIEWS;

static float value_at(size_t view, size_t row, size_t column) { return (float)(10000 * view + 100 * row + column); }

static gt_status read_view(gt_view_reader *v, size_t view, size_t row, size_t rows, float *out)
{
	(void)v;
	if (view == fails_at)
		return gt_fail(GT_ERR_IO, "the reader fails");
	for (size_t r = 0; r < rows; r++) {
		reads[view][row + r]++;
		for (size_t c = 0; c < COLUMNS; c++)
			out[r * COLUMNS + c] = value_at(view, row + r, c);
	}
	return GT_OK;
}

static char folder[64];
static gt_scan *scan;
static gt_view_reader reader = { .path = "views", .size = { VIEWS, ROWS, COLUMNS }, .read = read_view };

static void setup(void)
{
	gt_test_folder(folder);
	ck_ok(gt_scan_new(GT_FLAT, VIEWS, ROWS, COLUMNS, &scan));
}

static void teardown(void)
{
	gt_scan_free(scan);
	gt_test_folder_remove(folder);
}

static void check_rows(gt_view_cache *k, int fresh, size_t first, size_t n, size_t row, size_t rows)
{
	float got[VIEWS * ROWS * COLUMNS + 1];
	got[n * rows * COLUMNS] = 77;
	ck_ok(gt_view_cache_read(k, fresh, first, n, row, rows, got));
	for (size_t v = 0; v < n; v++)
		for (size_t r = 0; r < rows; r++)
			for (size_t c = 0; c < COLUMNS; c++) {
				const float x = got[(v * rows + r) * COLUMNS + c], expected = value_at(first + v, row + r, c);
				ck_assert_msg(x == expected, "view %zu row %zu column %zu: %g, expected %g", first + v, row + r, c,
				              (double)x, (double)expected);
			}
	ck_assert(got[n * rows * COLUMNS] == 77);
}

/* Two passes over all views, in batches of 3, with different rows. */
GT_TESTS_IN(two_passes, GT_VIEW_CACHE_NOT, GT_VIEW_CACHE_AUTO)
{
	const gt_view_cache_place where = (gt_view_cache_place)_i;
	gt_view_cache k;
	ck_ok(gt_view_cache_open(&k, where, folder, &reader, scan));
	ck_assert_int_eq(rmdir(folder), 0); /* the scratch file has no name, so the folder is empty */
	ck_assert_int_eq(mkdir(folder, 0700), 0);
	for (size_t first = 0; first < VIEWS; first += 3)
		check_rows(&k, 1, first, first + 3 <= VIEWS ? 3 : VIEWS - first, 0, 2);
	for (size_t first = 0; first < VIEWS; first += 3)
		check_rows(&k, 0, first, first + 3 <= VIEWS ? 3 : VIEWS - first, 1, 4);
	check_rows(&k, 0, 0, VIEWS, ROWS - 1, 1);
	check_rows(&k, 0, VIEWS - 1, 1, 0, ROWS);
	for (size_t v = 0; v < VIEWS; v++)
		for (size_t r = 0; r < ROWS; r++) {
			const int passes = (r < 2) + (r >= 1) + (r == ROWS - 1) + (v == VIEWS - 1);
			ck_assert_int_eq(reads[v][r], where == GT_VIEW_CACHE_NOT ? passes : 1);
		}
	gt_view_cache_close(&k);
	gt_view_cache_close(&k);
}

GT_TEST(bytes)
{
	const double view = ROWS * COLUMNS * sizeof(float);
	ck_assert(gt_view_cache_bytes(GT_VIEW_CACHE_NOT, scan) == 0);
	ck_assert(gt_view_cache_bytes(GT_VIEW_CACHE_HOST, scan) == VIEWS * view);
	ck_assert(gt_view_cache_bytes(GT_VIEW_CACHE_SCRATCH, scan) == view);
	ck_assert_str_eq(gt_view_cache_places[GT_VIEW_CACHE_HOST], "memory");
	ck_assert_str_eq(gt_view_cache_places[GT_VIEW_CACHE_AUTO], "auto");
}

GT_TESTS_IN(a_reader_that_fails, GT_VIEW_CACHE_NOT, GT_VIEW_CACHE_AUTO)
{
	float got[VIEWS * ROWS * COLUMNS];
	gt_view_cache k;
	fails_at = 4;
	ck_ok(gt_view_cache_open(&k, (gt_view_cache_place)_i, folder, &reader, scan));
	ck_ok(gt_view_cache_read(&k, 1, 0, 3, 0, ROWS, got));
	ck_refused(gt_view_cache_read(&k, 1, 3, 3, 0, ROWS, got), GT_ERR_IO, "view 4: the reader fails");
	gt_view_cache_close(&k);
}

GT_TEST(no_such_folder)
{
	gt_view_cache k;
	char path[128];
	snprintf(path, sizeof path, "%s/none", folder);
	ck_refused(gt_view_cache_open(&k, GT_VIEW_CACHE_SCRATCH, path, &reader, scan), GT_ERR_IO, "/none: No such file");
	gt_view_cache_close(&k);
}

GT_TEST(unwritable_folder)
{
	gt_view_cache k;
	ck_assert_int_eq(chmod(folder, 0500), 0);
	if (access(folder, W_OK) != 0) /* root may write anywhere */
		ck_refused(gt_view_cache_open(&k, GT_VIEW_CACHE_SCRATCH, folder, &reader, scan), GT_ERR_IO, folder);
	else
		ck_refused(gt_view_cache_open(&k, GT_VIEW_CACHE_SCRATCH, "/proc/self", &reader, scan), GT_ERR_IO, "--scratch=/proc/self");
	gt_view_cache_close(&k);
	chmod(folder, 0700);
}

GT_TEST(full_disk)
{
	gt_view_cache k;
	const size_t views = scan->views;
	scan->views = (size_t)1 << 45;
	ck_refused(gt_view_cache_open(&k, GT_VIEW_CACHE_SCRATCH, folder, &reader, scan), GT_ERR_IO,
	           "not enough disk space: needs 1966080 GiB, ");
	gt_view_cache_close(&k);
	ck_refused(gt_view_cache_open(&k, GT_VIEW_CACHE_HOST, folder, &reader, scan), GT_ERR_MEMORY, "projections of 1966080 GiB");
	gt_view_cache_close(&k);
	scan->views = views;
}

/* A truncated scratch file is an error. */
GT_TEST(truncated_scratch_file)
{
	float got[VIEWS * ROWS * COLUMNS];
	gt_view_cache k;
	ck_ok(gt_view_cache_open(&k, GT_VIEW_CACHE_SCRATCH, folder, &reader, scan));
	check_rows(&k, 1, 0, VIEWS, 0, ROWS);
	ck_assert_int_eq(ftruncate(k.file, (off_t)(3 * ROWS * COLUMNS * sizeof(float))), 0);
	check_rows(&k, 0, 0, 3, 0, ROWS);
	ck_refused(gt_view_cache_read(&k, 0, 2, 2, 0, ROWS, got), GT_ERR_IO, "view 3 cannot be read: it ends too early");
	gt_view_cache_close(&k);
}

int main(void) { return gt_test_main_with("view_cache", setup, teardown); }
