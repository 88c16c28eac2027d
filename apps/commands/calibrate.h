#ifndef GT_APPS_COMMANDS_CALIBRATE_H
#define GT_APPS_COMMANDS_CALIBRATE_H
/* What the ways to calibrate share. */
#include <stdio.h>
#include "apps/cli/cli.h"

typedef struct {
	const char *output, *find, *picture, *backend, *beads, *table;
	double span;
	long long iterations, columns, views, threads;
	int each_view, jitter;
} app_calibrate_options;

/* Source, detector and axes of view v, comma before each number: the columns that app_view_columns names. */
extern const char app_view_columns[];
void app_print_view(FILE *f, const gt_scan *scan, size_t v);
/* A number of a table, comma before it; nothing after the comma where it is not finite. */
void app_print_number(FILE *f, double x);

/* Each finds the geometry, corrects p's scan, prints (or gives as JSON) what it found, and writes picture and table
 * where they are asked for. *parameters: for the record in the output, malloc'ed. */
gt_status app_calibrate_beads(const cli_call *call, const app_calibrate_options *o, gt_projections *p, char **parameters);
gt_status app_calibrate_jitter(const cli_call *call, const app_calibrate_options *o, gt_projections *p, char **parameters);
/* Is the text of --beads a number or a file? What is wrong with the options for it. */
gt_status app_check_beads(const app_calibrate_options *o);

#endif
