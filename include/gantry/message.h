#ifndef GANTRY_MESSAGE_H
#define GANTRY_MESSAGE_H
/* What the library has to say while it works: a choice that it made and why, a remark on the data, a step that begins. The library never
 * prints: it hands each message to its caller, who may show it, filter it by severity and subject, or leave it. */
#include <stddef.h>
#include <gantry/status.h>
#ifdef __cplusplus
extern "C" {
#endif

typedef enum { GT_INFO, GT_WARNING } gt_severity;
/* The subject of a message. */
typedef enum {
	GT_ABOUT_CHOICE,                /* a method, a setting or a grid that was chosen, and why */
	GT_ABOUT_STEP,                  /* a step of a computation that begins or has ended */
	GT_ABOUT_DATA,                  /* something in the projections that the user should know */
	GT_ABOUT_GEOMETRY,              /* the same in the scan or the grid */
	GT_ABOUT_MEMORY,                /* what a run takes, and how it is cut */
	GT_ABOUT_CHECKPOINT             /* a run that is saved or continued */
} gt_subject;
typedef struct {
	size_t size;                    /* sizeof(gt_message) of the library: later versions add members at the end */
	gt_severity severity;
	gt_subject subject;
	const char *text;               /* one sentence or line in UTF-8, without a newline; valid during the call */
} gt_message;

/* Who listens. say may be NULL: nobody. It is called from the thread that called the library. */
typedef struct {
	void (*say)(void *self, const gt_message *m);
	void *self;
} gt_listener;

/* Wall time of the stages of a run: reading, weights, operators, iterations, ... Starts the clock of the process in the
 * stage "start"; later stages are those of the calling thread. */
GT_API void gt_timings_start(void);
/* Returns the number of stages so far, in the order of their first begin, and the name and the time, s, of stage i; the
 * running stage counts until now. i at or beyond the number: name NULL, 0 s. */
GT_API size_t gt_timings(size_t i, const char **name, double *seconds);

#ifdef __cplusplus
}
#endif
#endif
