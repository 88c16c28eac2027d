/* Starts devices, which takes a fraction of a second each, in a background thread. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
#include "core/device/backend.h"
#include "core/device/prefetch.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_t thread;
static pid_t owner; /* the process that owns the thread: a child does not have it; 0: not started */
static char wanted[64];
static void (*starts)(const char *name);

static void start_one(const char *name)
{
	gt_backend *be = NULL;
	if (gt_backend_open_now(name, &be) == GT_OK)
		gt_backend_close(be);
}

static void *start(void *self)
{
	(void)self;
	starts(wanted);
	return NULL;
}

/* Call with the lock held. */
static void wait_for_thread(void)
{
	if (owner == getpid())
		pthread_join(thread, NULL);
	owner = 0;
}

void gt_backend_prefetch(const char *name) { gt_backend_prefetch_by(start_one, name); }

void gt_backend_prefetch_by(void (*start_named)(const char *name), const char *name)
{
	pthread_mutex_lock(&lock);
	wait_for_thread();
	starts = start_named;
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
