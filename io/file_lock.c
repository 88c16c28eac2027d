/* One mutex for all files of all formats: many threads read and write, but few at the same time. */
#include "io/file_lock.h"
#include <pthread.h>
#include "core/fork.h"

static pthread_mutex_t lock;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void init(void)
{
	pthread_mutexattr_t attributes;
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&lock, &attributes);
	pthread_mutexattr_destroy(&attributes);
}

static void in_child(gt_fork_watch *self)
{
	(void)self;
	init();
}

static void begin_once(void)
{
	static gt_fork_watch watch;
	init();
	gt_fork_watch_begin(&watch, in_child);
}

void gt_file_lock(void)
{
	pthread_once(&once, begin_once);
	pthread_mutex_lock(&lock);
}

void gt_file_unlock(void) { pthread_mutex_unlock(&lock); }
