#ifndef GT_APPS_COMMANDS_TUNE_H
#define GT_APPS_COMMANDS_TUNE_H
/* Parts of `gantry tune`: problems by name, many searches whose logs stand in one folder, and what is kept. */
#include <gantry/tune.h>
#include "apps/cli/cli.h"

/* "ge-hd", "ge-hd:every=49"; every: of those that do not say it. GT_ERR_UNKNOWN, GT_ERR_ARG. */
gt_status tune_workload(const char *spec, size_t every, gt_scan **scan, gt_grid *grid);

typedef struct {
	const cli_call *call;
	const char *path, *workloads, *kernels; /* lists, with commas between */
	size_t every;
	double within;          /* seconds of all; 0: no bound */
	gt_tune_options search; /* of each: its kernel, problem and log are set */
} tune_folder;
/* Searches for each workload and kernel, WORKLOAD.KERNEL.txt, unless that log is whole; then results.csv of all logs
 * that are there. */
gt_status tune_folder_fill(tune_folder *f);

/* What is kept. */
gt_status tune_list(void);
gt_status tune_export(const char *path);
gt_status tune_import(const char *path);
#endif
