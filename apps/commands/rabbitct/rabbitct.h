#ifndef GT_APPS_COMMANDS_RABBITCT_H
#define GT_APPS_COMMANDS_RABBITCT_H
/* RabbitCT on the command line: data sets of simulated scans, and how far a volume is from a reference. */
#include "apps/cli/cli.h"
#include "io/rabbitct/rabbitct.h"

/* Does the name end in .rctd (original layout) or .rct (repackaged)? */
int app_rabbitct_name(const char *path, gt_rabbitct_layout *layout);
/* Weights and filters the data of p in place, as fdk does, and writes. water: 1000 HU of the file; air is 0. */
gt_status app_rabbitct_write(const char *path, gt_projections *p, double water, int threads);

enum { APP_RCT_BINS = 11 };
typedef struct {
	double mse, rmse, max, psnr;    /* HU; dB, INFINITY where nothing differs */
	size_t bin[APP_RCT_BINS];       /* voxels that differ by 0, 1, ... 9, 10 or more */
} app_rabbitct_score;
app_rabbitct_score app_rabbitct_judge(const uint16_t *hu, const uint16_t *reference, size_t n);

/* Numbers of an answer, as text or JSON. */
typedef struct {
	const char *backend;
	size_t size, columns, rows, views;
	double seconds, finish;         /* backprojection of all views; what remained after the last, with the way to the host */
	const app_rabbitct_score *score;        /* NULL: no reference */
} app_rabbitct_report;
void app_rabbitct_print(const cli_call *call, const app_rabbitct_report *r);

#endif
