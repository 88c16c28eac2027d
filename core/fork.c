/* List of fork() handlers for the child, and the single handler that runs them. */
#include <pthread.h>
#include "core/fork.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static gt_fork_watch *list;

static void before_fork(void) { pthread_mutex_lock(&lock); }
static void in_parent(void) { pthread_mutex_unlock(&lock); }
static void in_child(void)
{
	for (gt_fork_watch *w = list; w; w = w->next)
		w->in_child(w);
	pthread_mutex_unlock(&lock);
}
static void install(void) { pthread_atfork(before_fork, in_parent, in_child); }
/* Before the program has threads: a fork() in progress ignores handlers that another thread registers meanwhile. */
__attribute__((constructor)) static void install_at_load(void) { pthread_once(&once, install); }

void gt_fork_watch_begin(gt_fork_watch *w, void (*child)(gt_fork_watch *self))
{
	pthread_once(&once, install);
	pthread_mutex_lock(&lock);
	*w = (gt_fork_watch){ child, NULL, list };
	if (list)
		list->before = w;
	list = w;
	pthread_mutex_unlock(&lock);
}

void gt_fork_watch_end(gt_fork_watch *w)
{
	if (!w->in_child)
		return;
	pthread_mutex_lock(&lock);
	if (w->before)
		w->before->next = w->next;
	else
		list = w->next;
	if (w->next)
		w->next->before = w->before;
	pthread_mutex_unlock(&lock);
}
