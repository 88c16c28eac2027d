#ifndef GT_CORE_POLL_H
#define GT_CORE_POLL_H
#include <stddef.h>
#include <gantry/threads.h>
/* Cancellation of a long call: see gt_backend_poll(). While it is set, gt_parallel() asks between the pieces of the
 * calling thread, and then skips the remaining pieces of this and all later calls. It also tracks progress if the call
 * states the fraction of each gt_parallel(). */

typedef struct {
	int (*stop)(void *self); /* NULL: not cancellable */
	void *self;
	int stopped;
	double asked; /* time of the last question, seconds of the monotonic clock; 0: never */
	double from, to; /* range of the call's progress that gt_parallel() covers */
	double done;     /* progress of the call */
	unsigned depth;  /* nesting depth of operators; 0: none is applied */
	double passes;   /* number of applied operators */
} gt_poll;

/* Sets the poll of this thread (NULL: none); returns the previous one. */
gt_poll *gt_poll_set(gt_poll *p);
gt_poll *gt_poll_get(void);
/* Returns non-zero once the caller wants to stop. Asks at most every 10 ms. p may be NULL. Computations within the
 * callback are not part of the call and do not ask. */
int gt_poll_ask(gt_poll *p);

/* Brackets the application of an operator; nested operators are part of it. */
void gt_poll_pass_begins(void);
void gt_poll_pass_ends(void);
/* Sets the range of progress, within 0 to 1, that the next gt_parallel() covers; from = to: too short to count. Without
 * ranges, progress is unknown until the call ends. */
void gt_poll_part(double from, double to);
/* Reports `taken` of n pieces of the current range. p may be NULL. */
void gt_poll_took(gt_poll *p, size_t taken, size_t n);

/* gt_parallel() with a pool for this call; in the calling thread up to n = alone, and if no thread can start. */
void gt_parallel_once(size_t n, size_t alone, size_t grain, gt_loop body, void *self);

#endif
