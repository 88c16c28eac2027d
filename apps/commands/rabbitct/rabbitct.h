#ifndef GT_APPS_COMMANDS_RABBITCT_H
#define GT_APPS_COMMANDS_RABBITCT_H
/* RabbitCT: data sets of simulated scans, and the printed results. */
#include "apps/cli/cli.h"
#include "io/rabbitct/rabbitct.h"

/* Returns 1 and sets *layout if the name ends in .rctd (original layout) or .rct (repackaged). */
int app_rabbitct_name(const char *path, gt_rabbitct_layout *layout);
/* Weights and filters the data of p in place, as fdk does, and writes them. Stores water (mm-1) as 1000, air as 0. */
gt_status app_rabbitct_write(const char *path, gt_projections *p, double water, int threads);

/* Results, printed as text or JSON. */
typedef struct {
	const char *backend;
	size_t size, columns, rows, views;
	double seconds, finish;         /* s: all views; after the last view, with the download */
	const gt_rabbitct_score *score;        /* NULL: no reference */
} app_rabbitct_report;
void app_rabbitct_print(const cli_call *call, const app_rabbitct_report *r);

#endif
