/* Starts devices, which takes a fraction of a second each, in a background thread. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "core/device/backend.h"
#include "core/device/prefetch.h"
#include "core/partition/rank.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_t thread;
static pid_t owner; /* the process that owns the thread: a child does not have it; 0: not started */
static char wanted[64];

static int start_one(const char *name)
{
	gt_backend *be = NULL;
	if (gt_backend_open_now(name, &be) != GT_OK)
		return 0;
	gt_backend_close(be);
	return 1;
}

/* list: "0-3" or "0,2". Ends at the first device that cannot be opened. */
static void start_gpus(const char *list)
{
	char name[32], *end = NULL;
	for (const char *at = list; *at; at = *end ? end + 1 : end) {
		const long first = strtol(at, &end, 10), last = end > at && *end == '-' ? strtol(end + 1, &end, 10) : first;
		if (end == at)
			return;
		for (long k = first; k <= last; k++) {
			snprintf(name, sizeof name, "cuda:%ld", k);
			if (!start_one(name))
				return;
		}
	}
}

static void *start(void *self)
{
	(void)self;
	if (!gt_team_is_spec(wanted))
		start_one(wanted);
	else if (!strncmp(wanted, "cuda:", 5))
		start_gpus(wanted + 5);
	return NULL;
}

/* Call with the lock held. */
static void wait_for_thread(void)
{
	if (owner == getpid())
		pthread_join(thread, NULL);
	owner = 0;
}

void gt_backend_prefetch(const char *name)
{
	pthread_mutex_lock(&lock);
	wait_for_thread();
	const int n = snprintf(wanted, sizeof wanted, "%s", name);
	if (n >= 0 && (size_t)n < sizeof wanted && pthread_create(&thread, NULL, start, NULL) == 0)
		owner = getpid();
	pthread_mutex_unlock(&lock);
}

void gt_backend_prefetch_end(void)
{
	pthread_mutex_lock(&lock);
	wait_for_thread();
	pthread_mutex_unlock(&lock);
}

gt_status gt_backend_open(const char *name, gt_backend **out)
{
	gt_backend_prefetch_end();
	return gt_backend_open_now(name, out);
}
