#ifndef GT_APPS_CLI_RUNLOG_H
#define GT_APPS_CLI_RUNLOG_H
/* What every iteration of a run was, in a file while it runs and as a plot when it ends.
 * NAME.json: {"run": {...}, "columns": [{"name", "unit"}, ...], "iterations": [{...}, ...], "end": {...}}, null where a value is not known;
 * complete after every iteration. NAME.csv: CSV, the run and the units in lines that begin with #, empty where it is not known. */
#include <stdio.h>
#include <gantry/monitor.h>

/* A line of the run's record. A list ends with key = NULL; its texts are borrowed. */
typedef struct { const char *key, *value; } app_fact;

enum { RUNLOG_ITERATION, RUNLOG_SECONDS, RUNLOG_COST, RUNLOG_DATA, RUNLOG_PENALTY, RUNLOG_GRADIENT, RUNLOG_RESIDUAL, RUNLOG_CHANGE, RUNLOG_COLUMNS };
typedef struct {
	const char *log, *plot;         /* files; NULL: none */
	/* inner */
	FILE *file;
	int json, seeks, failed; /* errno of the first writing that failed */
	double (*row)[RUNLOG_COLUMNS];
	size_t rows, drawn, room;
	char *title;
} app_runlog;

/* Can these files be written, is the plot's a PNG, and is there what draws it? GT_ERR_ARG, GT_ERR_IO, GT_ERR_UNSUPPORTED. */
gt_status app_runlog_check(const char *log, const char *plot);
gt_status app_runlog_open (app_runlog *l, const app_fact *run);
void      app_runlog_add  (app_runlog *l, const double row[RUNLOG_COLUMNS]);
/* The log's last words, why it ended early if it did (reason may be NULL); then draws, if that is wanted. Can be called twice, and where it
 * was never opened. */
gt_status app_runlog_close(app_runlog *l, int iterations, int max, const char *reason, int draws);
#endif
