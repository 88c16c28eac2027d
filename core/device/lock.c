/* Reference count, recursive lock and cancellation of a backend. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include "core/device/backend.h"
#include "core/fork.h"
#include "core/poll.h"

struct gt_lock {
	gt_fork_watch fork; /* first member: its address is the lock's */
	gt_backend *be;
	atomic_size_t owners;         /* references: the caller of gt_backend_open(), and objects on the backend */
	pthread_mutex_t lock;         /* held by one thread at a time */
	_Atomic(const void *) holder; /* the holding thread, as the address of its `me`; NULL: none */
	unsigned depth, long_calls;   /* recursion depth of locks, and of long calls */
	gt_poll poll, *poll_before;
};

static _Thread_local char me;

/* The child's only thread, or none, holds the lock. A GPU belongs to the parent. */
static void in_child(gt_fork_watch *self)
{
	struct gt_lock *t = (struct gt_lock *)self;
	gt_backend *be = t->be;
	pthread_mutex_init(&t->lock, NULL);
	if (atomic_load(&t->holder) == &me) {
		pthread_mutex_lock(&t->lock);
	} else {
		atomic_store(&t->holder, NULL);
		t->depth = t->long_calls = 0;
	}
	if (be->kind == GT_CPU || be->dry_run)
		return;
	be->lost = 1;
	be->status = GT_ERR_DEVICE;
	snprintf(be->message, sizeof be->message,
	         "%s was opened by the process that this one was forked from: a GPU cannot be used in both; open it after fork()",
	         be->name);
}

gt_status gt_lock_new(gt_backend *be)
{
	struct gt_lock *t = calloc(1, sizeof *t);
	if (!t)
		return gt_fail(GT_ERR_MEMORY, "no memory for backend '%s'", be->ops->name);
	t->be = be;
	atomic_store(&t->owners, 1);
	pthread_mutex_init(&t->lock, NULL);
	be->lock = t;
	gt_fork_watch_begin(&t->fork, in_child);
	return GT_OK;
}

void gt_lock_free(gt_backend *be)
{
	struct gt_lock *t = be->lock;
	if (!t)
		return;
	gt_fork_watch_end(&t->fork);
	pthread_mutex_destroy(&t->lock);
	free(t);
}

void gt_backend_lock_to_add(gt_backend *be)
{
	struct gt_lock *t = be->lock;
	if (atomic_load_explicit(&t->holder, memory_order_relaxed) != &me) {
		pthread_mutex_lock(&t->lock);
		atomic_store_explicit(&t->holder, &me, memory_order_relaxed);
		if (be->ops->enter && !be->lost)
			be->ops->enter(be);
	}
	t->depth++;
}

void gt_backend_lock(gt_backend *be)
{
	gt_backend_lock_to_add(be);
	if (be->late)
		be->ops->catch_up(be);
}

int gt_backend_is_outermost(const gt_backend *be) { return be->lock->depth == 1; }

void gt_backend_unlock(gt_backend *be)
{
	struct gt_lock *t = be->lock;
	if (--t->depth)
		return;
	if (be->ops->leave && !be->lost)
		be->ops->leave(be);
	atomic_store_explicit(&t->holder, NULL, memory_order_relaxed);
	pthread_mutex_unlock(&t->lock);
}

/* A request to stop is sticky, like a failure. */
static void take_answer(gt_backend *be)
{
	if (!be->lock->poll.stopped)
		return;
	be->lock->poll.stopped = 0;
	gt_backend_fail(be, gt_fail(GT_STOPPED, "%s: stopped by the caller", be->name));
}

/* Call with the lock held. */
static int begin(gt_backend *be)
{
	struct gt_lock *t = be->lock;
	if (!t->long_calls && be->status == GT_OK && gt_poll_ask(&t->poll))
		take_answer(be);
	if (be->status != GT_OK || be->dry_run) {
		gt_backend_unlock(be);
		return 0;
	}
	if (!t->long_calls++ && t->poll.stop)
		t->poll_before = gt_poll_set(&t->poll);
	return 1;
}

int gt_backend_begin(gt_backend *be)
{
	gt_backend_lock(be);
	return begin(be);
}

int gt_backend_begin_with(gt_backend *be, const gt_array *x, const gt_array *y)
{
	gt_backend_lock_to_add(be);
	if (be->late) {
		be->ops->catch_up_of(be, x->data, gt_array_bytes(x));
		be->ops->catch_up_of(be, y->data, gt_array_bytes(y));
	}
	return begin(be);
}

void gt_backend_end(gt_backend *be)
{
	struct gt_lock *t = be->lock;
	if (!--t->long_calls && gt_poll_get() == &t->poll) {
		gt_poll_set(t->poll_before);
		take_answer(be);
	}
	gt_backend_unlock(be);
}

void gt_backend_poll(gt_backend *be, int (*stop)(void *self), void *self)
{
	gt_backend_lock(be);
	be->lock->poll = (gt_poll){ .stop = stop, .self = self };
	gt_backend_unlock(be);
}

double gt_backend_passes(const gt_backend *be)
{
	const gt_poll *p = &be->lock->poll;
	return p->passes + (p->depth ? p->done : 0);
}

double gt_backend_part(const gt_backend *be) { return be->lock->poll.done; }

gt_backend *gt_backend_hold(gt_backend *be)
{
	atomic_fetch_add_explicit(&be->lock->owners, 1, memory_order_relaxed);
	return be;
}

void gt_backend_let_go(gt_backend *be)
{
	if (atomic_fetch_sub_explicit(&be->lock->owners, 1, memory_order_acq_rel) == 1)
		gt_backend_destroy(be);
}
