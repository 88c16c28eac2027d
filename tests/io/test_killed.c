/* Signals, limits and full disks that end the writing of a file: no partial file remains.
 * labels: unit, backend: none */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <gantry/io.h>
#include "geometry/volume.h"
#include "tests/support/support.h"

static char folder[64], path[128];

static void setup(void)
{
	gt_test_folder(folder);
	snprintf(path, sizeof path, "%s/a.nc", folder);
}

static void teardown(void) { gt_test_folder_remove(folder); }

static gt_volume *large_volume(void)
{
	gt_volume *v = gt_volume_blank();
	v->grid = (gt_grid){ { 128, 128, 128 }, { 1, 1, 1 }, { 0, 0, 0 } };
	v->data = malloc(gt_grid_voxels(&v->grid) * sizeof(float));
	gt_test_random(7, gt_grid_voxels(&v->grid), v->data);
	return v;
}

/* Resets the handlers of the test runner and of sanitizers. */
static void default_actions(void)
{
	static const int all[] = { SIGINT,  SIGTERM, SIGHUP, SIGPIPE, SIGXCPU, SIGXFSZ, SIGALRM,
		                   SIGUSR1, SIGSEGV, SIGBUS, SIGFPE,  SIGILL,  SIGABRT };
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		signal(all[i], SIG_DFL);
}

/* Beyond the limit: killed while writing if the size was unknown, else refused before. The fixture finds files that
 * remain. */
GT_TEST(killed_by_the_file_size_limit)
{
	static const char *const names[] = { "v.nc", "v.mha", "v.mhd" };
	const gt_write_options packed = { .size = sizeof packed, .deflate = 1 }; /* the size is unknown before */
	gt_volume *v = large_volume();
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char other[200];
		int status = snprintf(other, sizeof other, "%s/%s", folder, names[i]);
		const pid_t child = fork();
		if (child == 0) {
			const struct rlimit limit = { 1 << 20, 1 << 20 };
			default_actions();
			gt_tmp_clean_on_signals();
			_exit(setrlimit(RLIMIT_FSIZE, &limit) != 0 || gt_write_volume(other, i ? NULL : &packed, v) == GT_OK);
		}
		ck_assert(child > 0 && waitpid(child, &status, 0) == child);
		ck_assert(i ? WIFEXITED(status) && WEXITSTATUS(status) == 0 : WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ);
		ck_assert(access(other, F_OK) != 0);
	}
	gt_volume_free(v);
}

/* The limit is set after the file was begun: killed while writing, for any format. */
static void write_past_the_limit(const char *name, const gt_volume *v)
{
	const struct rlimit limit = { 1 << 20, 1 << 20 };
	gt_slice_writer *out;
	if (gt_slice_writer_create(name, NULL, v, &out) != GT_OK || setrlimit(RLIMIT_FSIZE, &limit) != 0)
		_exit(1);
	const gt_status st = gt_slice_writer_write(out, v->grid.n[2], v->data);
	_exit(st == GT_OK && gt_slice_writer_commit(out) == GT_OK ? 2 : 3);
}

GT_TEST(killed_in_mid_write)
{
	static const char *const names[] = { "v.nc", "v.mha", "v.mhd" };
	gt_volume *v = large_volume();
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char other[200];
		int status = snprintf(other, sizeof other, "%s/%s", folder, names[i]);
		const pid_t child = fork();
		if (child == 0) {
			default_actions();
			gt_tmp_clean_on_signals();
			write_past_the_limit(other, v);
		}
		ck_assert(child > 0 && waitpid(child, &status, 0) == child);
		ck_assert_msg(WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ, "%s: ended with status %d", names[i], status);
		ck_assert(access(other, F_OK) != 0);
	}
	gt_volume_free(v);
}

/* A file system of 2 MiB, if this process may mount one. */
GT_TEST(disk_full)
{
	if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
	    mount("none", folder, "tmpfs", 0, "size=2m") != 0)
		return;
	gt_volume *v = large_volume();
	gt_write_options packed = gt_write_defaults;
	char other[200];
	packed.deflate = 1;
	snprintf(other, sizeof other, "%s/v.nc", folder);
	ck_refused(gt_write_volume(other, NULL, v), GT_ERR_IO, "v.nc: not enough disk space: needs 8 MiB, 2 MiB available");
	ck_refused(gt_write_volume(other, &packed, v), GT_ERR_IO, "v.nc: cannot be written: No space left on device (");
	snprintf(other, sizeof other, "%s/v.mha", folder);
	ck_refused(gt_write_volume(other, NULL, v), GT_ERR_IO, "v.mha: not enough disk space: needs 8 MiB, 2 MiB available");
	ck_assert_int_eq(umount(folder), 0);
	gt_volume_free(v);
}

GT_TEST(killed_while_writing)
{
	static const int signals[] = {
		SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXCPU, SIGALRM, SIGUSR1, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT
	};
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
		int ready[2];
		char other[200], byte;
		snprintf(other, sizeof other, "%s/b.nc", folder);
		ck_assert_int_eq(pipe(ready), 0);
		const pid_t child = fork();
		if (child == 0) {
			char *tmp;
			default_actions();
			gt_tmp_clean_on_signals();
			if (gt_tmp_path(other, &tmp) != GT_OK || access(tmp, F_OK) != 0 || write(ready[1], "x", 1) != 1)
				_exit(1);
			for (;;)
				pause();
		}
		ck_assert(child > 0 && read(ready[0], &byte, 1) == 1);
		kill(child, signals[i]);
		int status;
		ck_assert_int_eq(waitpid(child, &status, 0), child);
		ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == signals[i]);
		ck_assert(access(other, F_OK) != 0);
		close(ready[0]);
		close(ready[1]);
	}
}

/* HDF5 may exit if it cannot initialise. The fixture finds files that remain. */
GT_TEST(a_library_ends_the_program)
{
	int status;
	fflush(NULL);
	const pid_t child = fork();
	if (child == 0) {
		char *tmp;
		gt_tmp_clean_on_signals();
		exit(gt_tmp_path(path, &tmp) == GT_OK && access(tmp, F_OK) == 0 ? 255 : 1);
	}
	ck_assert(child > 0 && waitpid(child, &status, 0) == child);
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 255);
}

GT_TEST(signals_of_the_program_are_left_alone)
{
	char *tmp;
	struct sigaction now;
	default_actions();
	ck_ok(gt_tmp_path(path, &tmp));
	ck_assert(sigaction(SIGTERM, NULL, &now) == 0 && now.sa_handler == SIG_DFL); /* no handlers were requested */
	gt_tmp_drop(tmp);
	gt_tmp_clean_on_signals();
	signal(SIGINT, SIG_IGN);
	ck_ok(gt_tmp_path(path, &tmp));
	ck_assert(sigaction(SIGINT, NULL, &now) == 0 && now.sa_handler == SIG_IGN);
	ck_assert(sigaction(SIGTERM, NULL, &now) == 0 && now.sa_handler != SIG_DFL);
	gt_tmp_drop(tmp);
	ck_assert(sigaction(SIGTERM, NULL, &now) == 0 && now.sa_handler == SIG_DFL);
	gt_tmp_drop(NULL);
}

int main(void) { return gt_test_main_with("killed", setup, teardown); }
