#ifndef GT_CORE_PIPELINE_STAGE_H
#define GT_CORE_PIPELINE_STAGE_H
/* A stage of a pipeline: a thread that fills two buffers in turn for its caller, or empties those that the caller
 * filled. */
#include <pthread.h>
#include <stddef.h>
#include <gantry/status.h>

enum { GT_STAGE_BUFFERS = 2 };
typedef struct {
	/* Set these, then start. */
	gt_status (*work)(void *self, size_t item, void *buffer);       /* in the thread */
	void  *self, *buffer[GT_STAGE_BUFFERS];
	size_t items;                   /* how many, from 0 on */
	int    fills;                   /* the thread fills; 0: it empties */
	int    alone;                   /* no thread: work() is called when the caller takes or gives */
	double seconds;                 /* that work() took, so far; read it when the stage has ended */
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
/* The caller's next buffer, filled (or to be filled) by its turn; fails as work() did. */
gt_status gt_stage_take (gt_stage *s, void **buffer);
void      gt_stage_give (gt_stage *s);        /* the caller is done with it */
/* Waits until all that was given is done; fails as work() did. */
gt_status gt_stage_end  (gt_stage *s);
/* Gives up; fine after gt_stage_end(), and for a stage that was never started. */
void      gt_stage_stop (gt_stage *s);
#endif
