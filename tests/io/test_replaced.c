/* A replaced file keeps its permissions; files that must not be replaced remain.
 * labels: unit backend: none */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <gantry/io.h>
#include "tests/support/support.h"

static char folder[64], path[96], alias[96];
static gt_volume *volume;

static void setup(void)
{
	const gt_grid grid = { { 3, 2, 4 }, { 1, 1, 1 }, { 0, 0, 0 } };
	gt_test_folder(folder);
	snprintf(path, sizeof path, "%s/a.nc", folder);
	snprintf(alias, sizeof alias, "%s/alias.nc", folder);
	ck_ok(gt_volume_new(&grid, &volume));
	umask(022);
	ck_ok(gt_write_volume(path, NULL, volume));
}

static void teardown(void)
{
	gt_volume_free(volume);
	unlink(path);
	unlink(alias);
	gt_test_folder_remove(folder);
}

static unsigned mode_of(const char *name)
{
	struct stat s;
	ck_assert_int_eq(stat(name, &s), 0);
	return s.st_mode & 0777;
}

GT_TEST(rights)
{
	char *tmp;
	ck_assert_int_eq(chmod(path, 0600), 0);
	ck_ok(gt_tmp_path(path, &tmp));
	ck_assert_uint_eq(mode_of(tmp), 0600);
	gt_tmp_drop(tmp);
	ck_ok(gt_write_volume(path, NULL, volume));
	ck_assert_uint_eq(mode_of(path), 0600);
}

GT_TEST(write_protection)
{
	ck_assert_int_eq(chmod(path, 0440), 0);
	ck_refused(gt_write_volume(path, NULL, volume), GT_ERR_IO, "a.nc: already exists and is write-protected");
	ck_assert_uint_eq(mode_of(path), 0440);
}

GT_TEST(links)
{
	struct stat s;
	char *tmp;
	ck_assert_int_eq(symlink(path, alias), 0);
	ck_refused(gt_write_volume(alias, NULL, volume), GT_ERR_IO, "alias.nc: is a symbolic link to /");
	ck_refused(gt_can_write_volume(alias, NULL), GT_ERR_IO, "a.nc: expected that name");
	ck_assert(lstat(alias, &s) == 0 && S_ISLNK(s.st_mode));
	ck_assert(unlink(alias) == 0 && symlink("/nowhere/at/all", alias) == 0);
	ck_refused(gt_tmp_path(alias, &tmp), GT_ERR_IO, "is a symbolic link to a missing file");
}

int main(void) { return gt_test_main_with("replaced", setup, teardown); }
