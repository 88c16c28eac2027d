#ifndef GANTRY_MESSAGE_H
#define GANTRY_MESSAGE_H
/* Messages of the library: choices with their reasons, notes on the data, steps. The library never prints. It passes
 * each message to the caller, which may filter it by severity and subject. */
#include <stddef.h>
#include <gantry/status.h>
#ifdef __cplusplus
extern "C" {
#endif

typedef enum { GT_INFO, GT_WARNING } gt_severity;
/* The subject of a message. */
typedef enum {
	GT_ABOUT_CHOICE,                /* a chosen method, setting or grid, with the reason */
	GT_ABOUT_STEP,                  /* a step of a computation that begins or has ended */
	GT_ABOUT_DATA,                  /* properties of the projections that users should know */
	GT_ABOUT_GEOMETRY,              /* likewise for the scan or the grid */
	GT_ABOUT_MEMORY,                /* memory of a run, and its partition into slabs */
	GT_ABOUT_CHECKPOINT             /* saving or continuing a run */
} gt_subject;
typedef struct {
	size_t size;                    /* sizeof(gt_message) of the library: later versions add members at the end */
	gt_severity severity;
	gt_subject subject;
	const char *text;               /* one sentence or line in UTF-8, without a newline; valid during the call */
} gt_message;

/* Callback for messages, called in the thread that called the library. say NULL: no callback. */
typedef struct {
	void (*say)(void *self, const gt_message *m);
	void *self;
} gt_listener;

/* Wall time of the stages of a run: reading, weights, operators, iterations, ... Starts the clock of the process in the
 * stage "start"; later stages are those of the calling thread. */
GT_API void gt_timings_start(void);
/* Returns the number of stages so far. name, seconds: of stage i in the order of their first begin. The running stage
 * counts until now. i at or beyond the number: NULL, 0. */
GT_API size_t gt_timings(size_t i, const char **name, double *seconds);

#ifdef __cplusplus
}
#endif
#endif
