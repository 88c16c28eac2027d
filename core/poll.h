#ifndef GT_CORE_POLL_H
#define GT_CORE_POLL_H
#include <stddef.h>
/* A long call that asks its caller whether to stop: see gt_backend_poll(). While one is set, gt_parallel() asks between
 * the pieces that the calling thread takes itself, and leaves the remaining pieces of that call and of all later
 * ones. It also knows how far the call is, where the call says which part of it each gt_parallel() is. */

typedef struct {
	int (*stop)(void *self); /* NULL: nobody to ask */
	void *self;
	int stopped;
	double asked; /* when, in seconds of the monotonic clock; 0: never */
	double from, to; /* gt_parallel() does this part of the call */
	double done;     /* of the call */
	unsigned depth;  /* operators within each other; 0: none is applied */
	double passes;   /* operators that were applied */
} gt_poll;

/* The one of this thread (NULL: none) from here on; returns the one before. */
gt_poll *gt_poll_set(gt_poll *p);
gt_poll *gt_poll_get(void);
/* Non-zero once the caller wants to stop. Asks at most every 10 ms. p may be NULL. Who is asked may compute elsewhere:
 * that is no part of the call, and asks nobody. */
int gt_poll_ask(gt_poll *p);

/* Around the application of an operator; one within another is part of it. */
void gt_poll_pass_begins(void);
void gt_poll_pass_ends(void);
/* What gt_parallel() does from here on is this part of the call, of 0 to 1; from = to: a part that is too short to
 * count. A call that says nothing is not known to be anywhere until it has ended. */
void gt_poll_part(double from, double to);
/* So many pieces of n of this part are taken. p may be NULL. */
void gt_poll_took(gt_poll *p, size_t taken, size_t n);

#endif
