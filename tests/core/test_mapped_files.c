/* Arrays that exceed the memory lie in unnamed files: equal values, and no file remains.
 * labels: unit */
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "core/device/backend.h"
#include "core/device/mapped_files.h"
#include "tests/support/support.h"

static char folder[] = "/tmp/gantry-mapped-XXXXXX";

static void make_folder(void)
{
	strcpy(folder + sizeof folder - 7, "XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
}
/* The folder must be empty. */
static void remove_folder(void) { ck_assert_int_eq(rmdir(folder), 0); }

/* Returns 1 if this address is a page of a file in the folder. */
static int is_in_file(const void *at)
{
	FILE *f = fopen("/proc/self/maps", "r");
	char line[512];
	int found = 0;
	ck_assert_ptr_nonnull(f);
	while (fgets(line, sizeof line, f)) {
		unsigned long from, to;
		if (sscanf(line, "%lx-%lx", &from, &to) == 2 && (unsigned long)at >= from && (unsigned long)at < to)
			found = strstr(line, folder) != NULL;
	}
	fclose(f);
	return found;
}

enum { N = 400003 }; /* floats: 1.5 MiB, no multiple of the page size */

static void fill(const float *values, gt_array *a) { gt_array_put_float(values, a); }

START_TEST(what_does_not_fit_lies_in_files)
{
	gt_backend *be;
	gt_array *a[4], *small;
	float *values = malloc(N * sizeof *values), *got = malloc(N * sizeof *got);
	for (size_t i = 0; i < N; i++)
		values[i] = (float)rand() / (float)RAND_MAX - 0.5f;
	make_folder();
	ck_ok(gt_backend_open("cpu:2", &be));
	ck_ok(gt_backend_scratch(be, folder, 2.5 * N * sizeof(float)));
	for (int i = 0; i < 4; i++)
		ck_ok(gt_array_new(be, GT_F32, N, &a[i]));
	ck_ok(gt_array_new(be, GT_F32, 100, &small));
	for (int i = 0; i < 4; i++)
		ck_assert_msg(is_in_file(gt_array_data(a[i])) == (i > 1), "array %d", i);
	ck_assert(!is_in_file(gt_array_data(small)));
	fill(values, a[0]);
	gt_copy(a[0], a[2]);
	gt_scale(2, a[2]);
	gt_axpby(1, a[2], 2, a[0]);
	gt_copy(a[2], a[3]);
	gt_axpy(-1, a[0], a[3]);
	gt_array_get_float(a[3], got);
	for (size_t i = 0; i < N; i++)
		ck_assert_float_eq(got[i], -2 * values[i]);
	/* a freed array makes memory available again */
	gt_array_free(a[0]);
	ck_ok(gt_array_new(be, GT_F32, N, &a[0]));
	ck_assert(!is_in_file(gt_array_data(a[0])));
	for (int i = 0; i < 4; i++)
		gt_array_free(a[i]);
	gt_array_free(small);
	ck_refused(gt_backend_scratch(be, folder, 1), GT_ERR_ARG, "already have a folder");
	gt_backend_close(be);
	remove_folder();
	free(values);
	free(got);
}
END_TEST

START_TEST(a_full_disk_is_told_before_anything_is_lost)
{
	gt_backend *be;
	gt_array *a, *b, *c;
	struct rlimit before, little;
	make_folder();
	ck_ok(gt_backend_open("cpu:1", &be));
	ck_ok(gt_backend_scratch(be, folder, 1));
	ck_ok(gt_array_new(be, GT_F32, N, &a));
	gt_fill(7, a);
	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
	little = before;
	little.rlim_cur = 2 * N;
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &little), 0);
	ck_assert(gt_array_new(be, GT_F32, N, &b) != GT_OK);
	ck_assert_ptr_nonnull(strstr(gt_error(), "no space for 1.53 MiB of array of 400003 floats"));
	ck_assert_ptr_nonnull(strstr(gt_error(), folder));
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
	ck_ok(gt_array_new(be, GT_F32, N, &c));
	ck_assert_double_eq(gt_sum(a), 7.0 * N);
	ck_assert_double_eq(gt_sum(c), 0);
	gt_array_free(a);
	gt_array_free(c);
	gt_backend_close(be);
	remove_folder();
}
END_TEST

START_TEST(folders_that_take_none_are_refused)
{
	double room, rate;
	gt_backend *be;
	gt_array *a;
	ck_refused(gt_folder_space("/no/such/folder", &room), GT_ERR_IO, "--scratch=/no/such/folder");
	ck_refused(gt_folder_rate("/no/such/folder", &rate), GT_ERR_IO, "/no/such/folder: cannot be examined: No such file");
	ck_ok(gt_backend_open("cpu:1", &be));
	ck_ok(gt_backend_scratch(be, "/no/such/folder", 1));
	ck_assert(gt_array_new(be, GT_F32, N, &a) != GT_OK);
	ck_assert_ptr_nonnull(strstr(gt_error(), "no file can be made there"));
	gt_backend_close(be);
	make_folder();
	ck_ok(gt_folder_space(folder, &room));
	ck_ok(gt_folder_rate(folder, &rate));
	ck_assert(room > 0 && rate > 0);
	remove_folder();
}
END_TEST

static void suite(TCase *tc)
{
	tcase_add_test(tc, what_does_not_fit_lies_in_files);
	tcase_add_test(tc, a_full_disk_is_told_before_anything_is_lost);
	tcase_add_test(tc, folders_that_take_none_are_refused);
}

int main(void) { return gt_test_main("mapped files", suite); }
