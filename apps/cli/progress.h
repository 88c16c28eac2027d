#ifndef GT_APPS_CLI_PROGRESS_H
#define GT_APPS_CLI_PROGRESS_H
/* Progress on stderr: a bar on a terminal, else a line per iteration (or every few seconds). */
#include <gantry/author/monitor.h>

typedef struct {
	const char *what;
	int quiet, terminal, lines;     /* lines: progress lines were printed */
	double started, shown;          /* s */
	int resumed;                    /* iterations of the checkpoint */
	char now[128];                  /* figures of the last iteration */
	double data_norm, water;        /* |b| scales the residual; water (mm^-1, NAN: no HU) the change */
} app_progress;

double app_seconds(void);                                       /* monotonic clock */
app_progress app_progress_start(const char *what, int quiet);
/* Callback for the progress of a phantom or a reader; self is the app_progress. */
int  app_progress_fraction(void *self, double done);
/* Shows the fraction and appends a text. */
void app_progress_text(app_progress *p, double done, const char *more);
void app_progress_iteration(app_progress *p, const gt_progress *g);
/* Shows the fraction of the iteration after `iteration`, 0 to 1; NAN: before the first one. left: s, NAN: unknown. */
void app_progress_partial(app_progress *p, int iteration, int iterations, double fraction, double left);
void app_progress_end(app_progress *p);

#endif
