#ifndef GT_CORE_POLL_H
#define GT_CORE_POLL_H
/* A long call that asks its caller whether to stop: see gt_backend_poll(). While one is set, gt_parallel() asks between
 * the pieces that the calling thread takes itself, and leaves the remaining pieces of that call and of all later
 * ones. */

typedef struct {
	int (*stop)(void *self); /* NULL: nobody to ask */
	void *self;
	int stopped;
	double asked; /* when, in seconds of the monotonic clock; 0: never */
} gt_poll;

/* The one of this thread (NULL: none) from here on; returns the one before. */
gt_poll *gt_poll_set(gt_poll *p);
gt_poll *gt_poll_get(void);
/* Non-zero once the caller wants to stop. Asks at most every 10 ms. p may be NULL. */
int gt_poll_ask(gt_poll *p);

#endif
