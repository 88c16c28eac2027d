#ifndef GT_APPS_CLI_RUNLOG_H
#define GT_APPS_CLI_RUNLOG_H
/* Log of the iterations of a run: a file during the run, and a plot at the end.
 * NAME.json: {"run": {...}, "columns": [{"name", "unit"}, ...], "iterations": [{...}, ...], "end": {...}}, null for
 * unknown values; valid JSON after every iteration. NAME.csv: run and units in lines that begin with #; unknown values
 * are empty. */
#include <stdio.h>
#include <gantry/author/monitor.h>

/* A line of the record of the run. A list ends with key = NULL; its texts are borrowed. */
typedef struct { const char *key, *value; } app_fact;

enum { RUNLOG_ITERATION, RUNLOG_SECONDS, RUNLOG_COST, RUNLOG_DATA, RUNLOG_PENALTY, RUNLOG_GRADIENT, RUNLOG_RESIDUAL, RUNLOG_CHANGE, RUNLOG_COLUMNS };
typedef struct {
	const char *log, *plot;         /* files; NULL: none */
	/* private */
	FILE *file;
	int json, seeks, failed; /* failed: errno of the first failed write */
	double (*row)[RUNLOG_COLUMNS];
	size_t rows, drawn, room;
	char *title;
} app_runlog;

/* Checks that the files can be written, that the plot is a PNG (GT_ERR_ARG), and that gnuplot is installed
 * (GT_ERR_UNSUPPORTED). */
gt_status app_runlog_check(const char *log, const char *plot);
gt_status app_runlog_open (app_runlog *l, const app_fact *run);
void      app_runlog_add  (app_runlog *l, const double row[RUNLOG_COLUMNS]);
/* Writes the end of the log, with the reason of an early end (NULL: none), and draws the plot if draws is 1. May be
 * called twice, or without an open log. */
gt_status app_runlog_close(app_runlog *l, int iterations, int max, const char *reason, int draws);
#endif
