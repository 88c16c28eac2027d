/* Which question this thread asks while it computes, and how often. */
#include <stddef.h>
#include <time.h>
#include "core/poll.h"

#define INTERVAL_SECONDS 0.01

static _Thread_local gt_poll *current;

gt_poll *gt_poll_get(void) { return current; }

gt_poll *gt_poll_set(gt_poll *p)
{
	gt_poll *before = current;
	current = p;
	return before;
}

int gt_poll_ask(gt_poll *p)
{
	if (!p || !p->stop || p->stopped)
		return p && p->stopped;
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
	const double now = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
	if (p->asked > 0 && now - p->asked < INTERVAL_SECONDS)
		return 0;
	p->asked = now;
	p->stopped = p->stop(p->self) != 0;
	return p->stopped;
}
