#ifndef GT_APPS_COMMANDS_CALIBRATE_H
#define GT_APPS_COMMANDS_CALIBRATE_H
/* Types and functions of the calibration methods. */
#include <stdio.h>
#include "apps/cli/cli.h"

typedef struct {
	const char *output, *find, *picture, *backend, *beads, *table, *sweep, *sweep_columns;
	double span;
	long long iterations, columns, views, threads;
	int each_view, jitter;
} app_calibrate_options;

/* Prints source, detector and axes of view v, each after a comma, in the order of app_view_columns. */
extern const char app_view_columns[];
void app_print_view(FILE *f, const gt_scan *scan, size_t v);
/* Prints a comma, and the number if it is finite. */
void app_print_number(FILE *f, double x);

/* Each function estimates the geometry, corrects the scan of p, prints the estimates (also as JSON), and writes the
 * requested picture and table. *parameters: text for the record in the output; the caller frees it. */
gt_status app_calibrate_beads(const cli_call *call, const app_calibrate_options *o, gt_projections *p, char **parameters);
gt_status app_calibrate_jitter(const cli_call *call, const app_calibrate_options *o, gt_projections *p, char **parameters);
/* GT_ERR_ARG if the text of --beads and the other options do not fit. */
gt_status app_check_beads(const app_calibrate_options *o);

/* Reconstructs slices of the grid, [z][y][x]. */
gt_status app_calibrate_slices(const cli_call *call, const gt_projections *p, const gt_grid *grid, gt_volume **v);
/* The scan's default grid, coarsened to 256 voxels across. */
gt_status app_calibrate_grid(const gt_scan *scan, gt_grid *g);
/* Writes the page of --sweep. */
gt_status app_calibrate_sweep(const cli_call *call, const app_calibrate_options *o, gt_projections *p);
#endif
