/* Direct writer: values of a large file, through the page cache and around it, in any blocks; full disks.
 * labels: unit property, backend: none */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "io/write_kit/direct_writer.h"
#include "tests/support/support.h"

/* More than three blocks, and a remainder. */
enum { BLOCK = 1 << 21, NUMBERS = 3 * BLOCK + 12345 };

static char name[64];
static int file;
static float *data, *got;

static void setup(void)
{
	strcpy(name, "/tmp/gantry-sink-XXXXXX");
	ck_assert_int_ge(file = mkstemp(name), 0);
	data = malloc(NUMBERS * sizeof *data);
	got = malloc(NUMBERS * sizeof *got);
	ck_assert(data && got);
	gt_test_random(5, NUMBERS, data);
}

static void teardown(void)
{
	free(data);
	free(got);
	close(file);
	unlink(name);
}

/* _i: bypasses the page cache or not, from the first byte or after a header, in HU or not. */
GT_TESTS(values_come_back, 8)
{
	static const size_t cut[] = { 0, 1, 70001, BLOCK - 5, 2 * BLOCK + 1, NUMBERS };
	const int past = _i & 1, head = _i & 2 ? 333 : 0;
	const double water = _i & 4 ? 0.02 : 0;
	gt_direct_writer *s;
	ck_ok(gt_direct_writer_new("volume", name, file, head, past, water, &s));
	for (size_t i = 0; i + 1 < sizeof cut / sizeof *cut; i++)
		ck_ok(gt_direct_writer_write(s, cut[i], cut[i + 1] - cut[i], data + cut[i]));
	ck_ok(gt_direct_writer_write(s, NUMBERS, 0, data));
	gt_direct_writer_free(s);
	ck_assert_int_eq(pread(file, got, NUMBERS * sizeof *got, head), (ssize_t)(NUMBERS * sizeof *got));
	for (size_t i = 0; i < NUMBERS; i++)
		if (got[i] != (water > 0 ? (float)(1000 * (data[i] / water - 1)) : data[i]))
			ck_abort_msg("number %zu: %g, of %g", i, (double)got[i], (double)data[i]);
	struct stat stat;
	ck_assert_int_eq(fstat(file, &stat), 0);
	ck_assert_uint_eq((size_t)stat.st_size, (size_t)head + NUMBERS * sizeof *got);
}

GT_TESTS(full_disk, 2)
{
	const struct rlimit little = { 9 << 20, RLIM_INFINITY };
	struct rlimit before;
	gt_direct_writer *s;
	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
	signal(SIGXFSZ, SIG_IGN);
	ck_ok(gt_direct_writer_new("volume", name, file, 0, _i, 0, &s));
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &little), 0);
	const gt_status st = gt_direct_writer_write(s, 0, NUMBERS, data);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
	ck_refused(st, GT_ERR_IO, "volume: cannot be written: ");
	gt_direct_writer_free(s);
}

GT_TEST(small_is_kept)
{
	ck_assert(!gt_direct_writer_past(1e6));
	ck_assert(gt_direct_writer_past(1e18));
}

int main(void) { return gt_test_main_with("sink", setup, teardown); }
