/* Child process that evaluates variants: variants are sent through one pipe, results return through another. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "core/clock.h"
#include "core/text.h"
#include "tuner/child.h"
#include "tuner/tuner.h"

struct gt_child {
	gt_try run;
	void *self;
	double limit, start;
	pid_t process; /* 0: no process */
	int to, from, sent;
	double until;
	char why[256];
};
enum { MAX_TEXT = 1024 };

const char *gt_tune_verdict_text(gt_tune_verdict v)
{
	static const char *const text[] = { "ok", "not-legal", "not-built", "wrong", "ended" };
	return (unsigned)v < sizeof text / sizeof *text ? text[v] : "unknown";
}

/* Transfers all bytes; returns 0 on failure. */
static int move(int file, void *bytes, size_t n, int out)
{
	for (size_t done = 0; done < n;) {
		const ssize_t k = out ? write(file, (char *)bytes + done, n - done) : read(file, (char *)bytes + done, n - done);
		if (k <= 0 && !(k < 0 && errno == EINTR))
			return 0;
		done += k > 0 ? (size_t)k : 0;
	}
	return 1;
}

static void serve(const gt_child *c, int in, int out)
{
	const struct rlimit none = { 0, 0 };
	char text[MAX_TEXT];
	for (int s = 1; s < 32; s++)
		signal(s, s == SIGINT ? SIG_IGN : SIG_DFL);
	setrlimit(RLIMIT_CORE, &none);
	prctl(PR_SET_PDEATHSIG, SIGKILL); /* ends the child if the parent is killed */
	while (move(in, text, sizeof text, 0)) {
		gt_tune_evaluation t;
		memset(&t, 0, sizeof t);
		t.size = sizeof t;
		c->run(c->self, text, &t);
		if (!move(out, &t, sizeof t, 1))
			break;
	}
	_exit(0);
}

static gt_status start(gt_child *c)
{
	int in[2], out[2];
	if (pipe(in) != 0)
		return gt_fail(GT_ERR_IO, "no pipe to a process for variants: %s", strerror(errno));
	if (pipe(out) != 0) {
		close(in[0]);
		close(in[1]);
		return gt_fail(GT_ERR_IO, "no pipe to a process for variants: %s", strerror(errno));
	}
	fflush(stdout);
	fflush(stderr);
	const pid_t process = fork();
	if (process == 0) {
		close(in[1]);
		close(out[0]);
		serve(c, in[0], out[1]);
	}
	close(in[0]);
	close(out[1]);
	if (process < 0) {
		close(in[1]);
		close(out[0]);
		return gt_fail(GT_ERR_IO, "no process for variants: %s", strerror(errno));
	}
	c->process = process;
	c->to = in[1];
	c->from = out[0];
	return GT_OK;
}

/* Writes how the process ended to how. Later children may hold its pipes open, so closing them does not end it. */
static void stop(gt_child *c, char *how, size_t size)
{
	int status = 0;
	pid_t ended;
	close(c->to);
	close(c->from);
	if (!how) /* otherwise the child closed its pipe and ends on its own */
		kill(c->process, SIGKILL);
	do
		ended = waitpid(c->process, &status, 0);
	while (ended < 0 && errno == EINTR);
	if (how && WIFSIGNALED(status))
		gt_snprintf(how, size, "its process died: %s", strsignal(WTERMSIG(status)));
	else if (how)
		gt_snprintf(how, size, "its process ended with %d", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
	c->process = 0;
}

gt_status gt_child_new(gt_try run, void *self, double limit, double start_limit, gt_child **out)
{
	gt_child *c = calloc(1, sizeof *c);
	if (!c)
		return gt_fail(GT_ERR_MEMORY, "no memory for a process for variants");
	c->run = run;
	c->self = self;
	c->limit = limit;
	c->start = start_limit;
	signal(SIGPIPE, SIG_IGN);
	*out = c;
	return GT_OK;
}

void gt_child_free(gt_child *c)
{
	if (c && c->process)
		stop(c, NULL, 0);
	free(c);
}

/* Returns 1 if there is something to read or the other end is closed, 0 on timeout. */
static int wait_until(int file, double end)
{
	for (;;) {
		struct pollfd p = { .fd = file, .events = POLLIN };
		const double left = end - gt_seconds();
		const int n = poll(&p, 1, left > 0 ? (int)(left * 1000) + 1 : 0);
		if (n > 0)
			return 1;
		if ((n == 0 && left <= 0) || (n < 0 && errno != EINTR))
			return 0;
	}
}

void gt_child_send(gt_child *c, const char *variant)
{
	char text[MAX_TEXT] = { 0 };
	gt_snprintf(text, sizeof text, "%s", variant);
	c->sent = 0;
	c->until = gt_seconds() + c->limit + (c->process ? 0 : c->start);
	c->why[0] = 0;
	if (!c->process && start(c) != GT_OK)
		gt_snprintf(c->why, sizeof c->why, "%s", gt_error());
	else
		c->sent = move(c->to, text, sizeof text, 1);
}

void gt_child_wait(gt_child *c, gt_tune_evaluation *t)
{
	const int in_time = c->sent && wait_until(c->from, c->until);
	memset(t, 0, sizeof *t);
	if (in_time && move(c->from, t, sizeof *t, 0)) {
		t->why[sizeof t->why - 1] = 0;
		if (t->verdict == GT_TUNE_ENDED) /* the child requests a new process because its device is lost */
			stop(c, NULL, 0);
		return;
	}
	memset(t, 0, sizeof *t);
	t->size = sizeof *t;
	t->verdict = GT_TUNE_ENDED;
	gt_snprintf(t->why, sizeof t->why, "%s", c->why);
	if (!c->process)
		return;
	if (!c->sent || in_time) {
		stop(c, t->why, sizeof t->why);
	} else {
		stop(c, NULL, 0);
		gt_snprintf(t->why, sizeof t->why, "it did not end in time");
	}
}

void gt_child_try(gt_child *c, const char *variant, gt_tune_evaluation *t)
{
	gt_child_send(c, variant);
	gt_child_wait(c, t);
}
