/* Header and data in two files: whenever a writer ends, no header names the data of another.
 * labels: unit property, backend: none */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <gantry/io.h>
#include "tests/io/volumes.h"
#include "tests/support/support.h"

static char folder[64], path[128], raw[128];

/* Replaces rename(): the given call fails or ends the program. */
static int rename_number, rename_fails_at, rename_ends_at;

int rename(const char *from, const char *to)
{
	rename_number++;
	if (rename_number == rename_ends_at)
		_exit(9);
	if (rename_number == rename_fails_at) {
		errno = EIO;
		return -1;
	}
	return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

static void setup(void)
{
	gt_test_folder(folder);
	snprintf(path, sizeof path, "%s/a.mhd", folder);
	snprintf(raw, sizeof raw, "%s/a.raw", folder);
}

static void teardown(void)
{
	DIR *dir = opendir(folder);
	ck_assert_ptr_nonnull(dir);
	for (struct dirent *e; (e = readdir(dir));)
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
			unlinkat(dirfd(dir), e->d_name, 0);
	closedir(dir);
	ck_assert_int_eq(rmdir(folder), 0);
}

static int files_in(const char *name)
{
	DIR *dir = opendir(name);
	int n = 0;
	ck_assert_ptr_nonnull(dir);
	for (struct dirent *e; (e = readdir(dir));)
		n += strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
	closedir(dir);
	return n;
}

static float first_of(const char *name)
{
	gt_volume *v;
	ck_ok(gt_read_volume(name, NULL, &v));
	const float x = v->data[0];
	gt_volume_free(v);
	return x;
}

/* An error, or the end of the program, before either rename: the old pair is read. */
GT_TEST(no_head_names_data_of_another)
{
	gt_write_options o = gt_write_defaults;
	gt_volume *v = volume();
	v->data[0] = 1;
	ck_ok(gt_write_volume(path, &o, v));
	v->data[0] = 2;
	o.unit = GT_HU;
	for (int at = 1; at <= 2; at++) {
		rename_number = 0;
		rename_fails_at = at;
		ck_assert_int_eq(gt_write_volume(path, &o, v), GT_ERR_IO);
		rename_fails_at = 0;
		ck_assert(first_of(path) == 1);
		const pid_t child = fork();
		if (!child) {
			rename_number = 0;
			rename_ends_at = at;
			gt_write_volume(path, &o, v);
			_exit(0);
		}
		int status;
		ck_assert(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 9);
		ck_assert(first_of(path) == 1);
	}
	ck_ok(gt_write_volume(path, &o, v));
	ck_assert_float_eq_tol(first_of(path), 2, 1e-6f);
	gt_volume_free(v);
}

/* Data that another header names are neither replaced nor removed; a name it gives to missing data is not reused. */
GT_TEST(data_of_other_heads_stay)
{
	gt_write_options o = gt_write_defaults;
	gt_volume *v = volume();
	char other[128];
	snprintf(other, sizeof other, "%s/other.mhd", folder);
	v->data[0] = 1;
	ck_ok(gt_write_volume(path, &o, v));
	ck_assert_int_eq(rename(path, other), 0);
	for (int i = 2; i < 5; i++) {
		v->data[0] = (float)i;
		ck_ok(gt_write_volume(path, &o, v));
		ck_assert(first_of(path) == (float)i && first_of(other) == 1);
	}
	ck_assert_int_eq(files_in(folder), 4);
	unlink(raw);
	ck_ok(gt_write_volume(path, &o, v));
	ck_assert_int_eq(gt_read_volume(other, NULL, &(gt_volume *){ NULL }), GT_ERR_IO);
	gt_volume_free(v);
}

int main(void) { return gt_test_main_with("metaimage_pair", setup, teardown); }
