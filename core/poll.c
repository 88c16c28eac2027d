/* Cancellation and progress of the current thread's long calls. */
#include <math.h>
#include <stddef.h>
#include "core/clock.h"
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
	const double now = gt_seconds_coarse();
	if (p->asked > 0 && now - p->asked < INTERVAL_SECONDS)
		return 0;
	p->asked = now;
	gt_poll *const before = gt_poll_set(NULL);
	p->stopped = p->stop(p->self) != 0;
	gt_poll_set(before);
	return p->stopped;
}

static void start_part(gt_poll *p, double from, double to)
{
	p->from = from;
	p->to = to;
	p->done = p->depth > 1 ? fmax(p->done, from) : from;
}

void gt_poll_pass_begins(void)
{
	if (current && !current->depth++)
		start_part(current, 0, 0);
}

void gt_poll_pass_ends(void)
{
	if (!current || --current->depth)
		return;
	current->passes++;
	start_part(current, 0, 0);
}

void gt_poll_part(double from, double to)
{
	if (current)
		start_part(current, from, to);
}

void gt_poll_took(gt_poll *p, size_t taken, size_t n)
{
	if (p)
		p->done = fmax(p->done, p->from + (p->to - p->from) * fmin(1, (double)taken / (double)n));
}
