/* Concurrent reading and writing by threads: volumes, views, checkpoints; and fork() during this.
 * labels: unit; backend: none */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <gantry/author/constants.h>
#include <gantry/data.h>
#include <gantry/io.h>
#include "io/checkpoint.h"
#include "io/view_reader.h"
#include "tests/support/support.h"

enum { THREADS = 5 };

static char folder[] = "/tmp/gantry-turns-XXXXXX";

struct thread {
	int index;
	char why[256];
};

static gt_status volumes(const char *path, unsigned seed)
{
	const gt_grid grid = { { 7 + seed, 5, 3 }, { 1, 2, 3 }, { 0, 0, 0 } };
	gt_volume *v = NULL, *w = NULL;
	gt_status st = gt_volume_new(&grid, &v);
	for (size_t i = 0; st == GT_OK && i < gt_grid_voxels(&grid); i++)
		gt_volume_data(v)[i] = (float)(rand_r(&seed) % 1000);
	if (st == GT_OK)
		st = gt_write_volume(path, NULL, v);
	if (st == GT_OK)
		st = gt_read_volume(path, NULL, &w);
	if (st == GT_OK && memcmp(gt_volume_data(v), gt_volume_data(w), gt_grid_voxels(&grid) * sizeof(float)) != 0)
		st = GT_ERR_FORMAT;
	gt_volume_free(v);
	gt_volume_free(w);
	return st;
}

static gt_status views(const char *path, unsigned seed)
{
	const gt_orbit orbit = { .views = 6,
		                 .rows = 4,
		                 .columns = 9 + seed,
		                 .source_to_axis = 500,
		                 .source_to_detector = 900,
		                 .column_pitch = 2,
		                 .row_pitch = 2,
		                 .turn = 2 * GT_PI };
	gt_scan *scan = NULL;
	gt_projections *p = NULL, *head = NULL;
	gt_view_reader *r = NULL;
	float *some = calloc(4 * (9 + seed), sizeof *some);
	gt_status st = gt_scan_orbit(&orbit, &scan);
	if (st == GT_OK)
		st = gt_projections_new(scan, &p);
	for (size_t i = 0; st == GT_OK && i < gt_scan_size(scan); i++)
		gt_projections_data(p)[i] = (float)(rand_r(&seed) % 7);
	if (st == GT_OK)
		st = gt_write_projections(path, NULL, p);
	if (st == GT_OK)
		st = gt_view_reader_open_scan(path, NULL, &head, &r);
	if (st == GT_OK)
		st = gt_view_reader_read(r, 5, 1, 0, 4, some);
	if (st == GT_OK && memcmp(some, gt_projections_data(p) + gt_scan_size(scan) / 6 * 5, gt_scan_size(scan) / 6 * sizeof *some) != 0)
		st = GT_ERR_FORMAT;
	gt_view_reader_close(r);
	gt_projections_free(head);
	gt_projections_free(p);
	gt_scan_free(scan);
	free(some);
	return st;
}

static gt_status checkpoints(const char *path, unsigned seed)
{
	const gt_checkpoint_line run[] = { { "grid", "that of the test" }, { NULL, NULL } };
	double value = seed + 0.5, read = 0;
	const gt_state_entry kept[] = { { "value", NULL, &value }, { NULL, NULL, NULL } },
			     again[] = { { "value", NULL, &read }, { NULL, NULL, NULL } };
	gt_checkpoint *c = NULL;
	gt_status st = gt_checkpoint_write(path, run, 3, kept);
	if (st == GT_OK)
		st = gt_checkpoint_open(path, &c);
	if (st == GT_OK)
		st = gt_checkpoint_fill(c, again);
	if (st == GT_OK && read != value)
		st = GT_ERR_FORMAT;
	gt_checkpoint_free(c);
	return st;
}

static void *work(void *arg)
{
	static gt_status (*const jobs[])(const char *path, unsigned seed) = { volumes, views, checkpoints };
	struct thread *t = arg;
	for (int i = 0; i < (gt_tests_long() ? 25 : 8) && !*t->why; i++) {
		const int job = (t->index + i) % 3;
		char path[128];
		snprintf(path, sizeof path, "%s/%d-%d.nc", folder, t->index, job);
		if (jobs[job](path, (unsigned)(i % 4)) != GT_OK)
			snprintf(t->why, sizeof t->why, "job %d: %s", job, gt_error());
		unlink(path);
	}
	return NULL;
}

GT_TEST(threads_are_serialised)
{
	pthread_t thread[THREADS];
	struct thread t[THREADS];
	memset(t, 0, sizeof t);
	ck_assert_ptr_nonnull(mkdtemp(folder));
	for (int i = 0; i < THREADS; i++) {
		t[i].index = i;
		ck_assert_int_eq(pthread_create(&thread[i], NULL, work, &t[i]), 0);
	}
	/* a child without these threads, one of which may hold the lock */
	const pid_t child = fork();
	if (child == 0) {
		char path[128];
		snprintf(path, sizeof path, "%s/child.raw", folder);
		alarm(GT_TEST_HANGS / 2);
		gt_file_kind(path, NULL, &(int){ 0 });
		_exit(0);
	}
	int status = 1;
	waitpid(child, &status, 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	for (int i = 0; i < THREADS; i++)
		ck_assert_msg(!*t[i].why, "thread %d: %s", i, t[i].why);
	ck_assert_int_eq(status, 0);
	ck_assert_int_eq(rmdir(folder), 0);
}

int main(void) { return gt_test_main("file turns", NULL); }
