#ifndef GT_APPS_CLI_PROGRESS_H
#define GT_APPS_CLI_PROGRESS_H
/* Progress on stderr: a bar on a terminal, else a line per iteration (or every few seconds). */
#include <gantry/monitor.h>

typedef struct {
	const char *what;
	int quiet, terminal, lines;     /* lines: some were printed that say how far it is */
	double started, shown;          /* s */
	int resumed;                    /* iterations that were done before it started */
	char now[128];                  /* what the last iteration told */
	double data_norm, water;        /* |b| and mm^-1: to show residual and change in familiar units; NAN: no HU */
} app_progress;

double app_seconds(void);                                       /* monotonic clock */
app_progress app_progress_start(const char *what, int quiet);
/* A gt_phantom_progress; self is the app_progress. */
int  app_progress_fraction(void *self, double done);
/* The same with words behind the percentage. */
void app_progress_text(app_progress *p, double done, const char *more);
void app_progress_iteration(app_progress *p, const gt_progress *g);
/* So far within the iteration after `iteration`, 0 to 1, NAN: before the first one; left: s, NAN: not known. */
void app_progress_partial(app_progress *p, int iteration, int iterations, double fraction, double left);
void app_progress_end(app_progress *p);

#endif
