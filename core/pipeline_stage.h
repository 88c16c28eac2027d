#ifndef GT_CORE_PIPELINE_STAGE_H
#define GT_CORE_PIPELINE_STAGE_H
/* Pipeline stage: a thread that fills two buffers alternately for its caller, or empties buffers that the caller
 * filled. */
#include <pthread.h>
#include <stddef.h>
#include <gantry/status.h>

enum { GT_STAGE_BUFFERS = 2 };
typedef struct {
	/* Set these, then start. */
	gt_status (*work)(void *self, size_t item, void *buffer);       /* in the thread */
	void  *self, *buffer[GT_STAGE_BUFFERS];
	size_t items;                   /* number of items, from 0 */
	int    fills;                   /* 1: the thread fills; 0: it empties */
	int    alone;                   /* no thread: work() runs when the caller takes or gives a buffer */
	double seconds;                 /* time in work() so far; valid after the stage has ended */
	/* Private. */
	size_t filled, emptied;
	int    started, stopped;
	gt_status status;
	char   message[1024];
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
} gt_stage;

gt_status gt_stage_start(gt_stage *s);
/* Returns the caller's next buffer, filled or to be filled; returns a failure of work(). */
gt_status gt_stage_take (gt_stage *s, void **buffer);
void      gt_stage_give (gt_stage *s);        /* the caller has finished with the buffer */
/* Waits until all given buffers are processed; returns a failure of work(). */
gt_status gt_stage_end  (gt_stage *s);
/* Stops the stage; allowed after gt_stage_end() and before any start. */
void      gt_stage_stop (gt_stage *s);
#endif
