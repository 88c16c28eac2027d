/* A signal that ends a process with several writing threads leaves no unfinished files or folders.
 * labels: unit backend: none */
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <gantry/io.h>
#include "tests/support/support.h"

enum { ROUNDS = 60, THREADS = 2 };

static char place[64];

static void make_file_in(const char *folder)
{
	char name[300];
	snprintf(name, sizeof name, "%s/000001.dcm", folder);
	FILE *f = fopen(name, "w");
	if (f)
		fclose(f);
}

static void *make_and_finish(void *self)
{
	char file[128], folder[128], *tmp = NULL;
	snprintf(file, sizeof file, "%s/file-%d", place, *(int *)self);
	snprintf(folder, sizeof folder, "%s/folder-%d", place, *(int *)self);
	for (int i = 0;; i++) {
		if (gt_tmp_folder(folder, 2, "dcm", &tmp) == GT_OK) {
			make_file_in(tmp);
			gt_tmp_drop(tmp);
		}
		if (gt_tmp_path(file, &tmp) == GT_OK) {
			if (i % 2)
				gt_tmp_drop(tmp);
			else
				gt_tmp_commit(tmp, file);
		}
	}
	return NULL;
}

/* begun: gets a byte as soon as signals clean up. */
static void busy_child(int begun)
{
	static int number[THREADS];
	pthread_t thread;
	gt_tmp_clean_on_signals();
	if (write(begun, "x", 1) != 1)
		_exit(1);
	for (int k = 1; k < THREADS; k++) {
		number[k] = k;
		pthread_create(&thread, NULL, make_and_finish, &number[k]);
	}
	make_and_finish(&number[0]);
}

/* Counts and removes files with temporary names. */
static int unfinished(void)
{
	int found = 0;
	char name[400];
	DIR *d = opendir(place);
	for (struct dirent *e; d && (e = readdir(d));) {
		if (e->d_name[0] != '.' || !strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		snprintf(name, sizeof name, "%s/%.255s/000001.dcm", place, e->d_name);
		unlink(name);
		snprintf(name, sizeof name, "%s/%.255s", place, e->d_name);
		remove(name);
		found++;
	}
	if (d)
		closedir(d);
	return found;
}

GT_TEST(nothing_stays)
{
	int left = 0;
	gt_test_folder(place);
	signal(SIGTERM, SIG_DFL); /* the runner's handler would end this test from within its child */
	for (int i = 0; i < ROUNDS; i++) {
		int status = 0, begun[2];
		char byte;
		ck_assert_int_eq(pipe(begun), 0);
		const pid_t child = fork();
		if (child == 0)
			busy_child(begun[1]);
		ck_assert_int_gt(child, 0);
		ck_assert_int_eq(read(begun[0], &byte, 1), 1);
		close(begun[0]);
		close(begun[1]);
		const struct timespec wait = { 0, 2000000 + 397000L * (i % 50) };
		nanosleep(&wait, NULL);
		kill(child, SIGTERM);
		ck_assert_int_eq(waitpid(child, &status, 0), child);
		ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
		left += unfinished();
	}
	for (int k = 0; k < THREADS; k++) {
		char name[128];
		snprintf(name, sizeof name, "%s/file-%d", place, k);
		unlink(name);
	}
	ck_assert_int_eq(left, 0);
	ck_assert_int_eq(rmdir(place), 0);
}

int main(void) { return gt_test_main("signals", NULL); }
