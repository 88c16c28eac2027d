/* Device initialisation in a background thread.
 * labels: unit */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <gantry/array.h>
#include "core/device/prefetch.h"
#include "team/team.h"
#include "tests/support/support.h"

static const char *name(void) { return getenv("GT_BACKEND") ? getenv("GT_BACKEND") : "cpu"; }

GT_TEST(opened_after_it)
{
	gt_backend *be = NULL;
	gt_backend_prefetch(name());
	ck_ok(gt_backend_open(name(), &be));
	gt_array *x = gt_test_array(be, GT_F32, 100, 1);
	gt_fill(2, x);
	ck_assert(gt_sum(x) == 200);
	gt_array_free(x);
	gt_backend_close(be);
	gt_backend_prefetch_end();
}

/* A device that is never opened leaves nothing; an unknown or too long name is reported when it is opened. */
GT_TEST(never_opened)
{
	char text[200];
	const size_t before = gt_test_threads();
	memset(text, 'x', sizeof text - 1);
	text[sizeof text - 1] = 0;
	for (int i = 0; i < 20; i++) {
		gt_backend_prefetch(i % 3 == 0 ? "cpu:2" : i % 3 == 1 ? "no such device" : text);
		gt_fail(GT_ERR_ARG, "the caller's own message");
		gt_backend_prefetch_end();
		ck_assert_str_eq(gt_error(), "the caller's own message");
	}
	gt_backend_prefetch_end();
	gt_test_no_thread_left(before);
	gt_backend *be = NULL;
	gt_backend_prefetch("no such device");
	ck_refused(gt_backend_open("no such device", &be), GT_ERR_UNKNOWN, "no such device");
}

/* A second prefetch waits for the first, for any device. */
GT_TEST(twice)
{
	gt_backend *be = NULL;
	gt_backend_prefetch("cpu:1");
	gt_backend_prefetch("cpu:2");
	ck_ok(gt_backend_open("cpu:1", &be));
	gt_backend_close(be);
}

static char started[64];
static void note(const char *what) { snprintf(started, sizeof started, "%s", what); }

GT_TEST(by_a_function)
{
	gt_backend_prefetch_by(note, "cuda:0-3");
	gt_backend_prefetch_end();
	ck_assert_str_eq(started, "cuda:0-3");
}

/* Teams of any kind, with and without GPUs and a launcher of processes: nothing is left, and nothing is reported. */
GT_TEST(teams)
{
	const char *const specs[] = {
		"cpu:1x2", "cuda:0,1", "cuda:0,0", "cuda:9999", "cuda:0-99", "mpi", "mpi:cuda", "mpi:cpu:1", "cpu:2"
	};
	for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
		gt_fail(GT_ERR_ARG, "the caller's own message");
		gt_team_prefetch(specs[i]);
		gt_backend_prefetch_end();
		ck_assert_str_eq(gt_error(), "the caller's own message");
	}
	gt_team *t = NULL;
	gt_team_prefetch("cuda:0,0");
	ck_refused(gt_team_open("cuda:0,0", &t), GT_ERR_ARG, "named twice");
	gt_team_prefetch("cpu:1x2");
	ck_ok(gt_team_open("cpu:1x2", &t));
	gt_team_close(t);
}

/* A forked child has no thread to wait for. */
GT_TEST(a_child)
{
	gt_backend_prefetch("cpu:1");
	const pid_t child = fork();
	if (child == 0) {
		gt_backend *be = NULL;
		alarm(GT_TEST_HANGS / 2);
		_exit(gt_backend_open("cpu:1", &be) == GT_OK ? 0 : 1);
	}
	int status = 1;
	waitpid(child, &status, 0);
	gt_backend_prefetch_end();
	ck_assert_int_eq(status, 0);
}

int main(void) { return gt_test_main("prefetch", NULL); }
