#ifndef GT_APPS_COMMANDS_TUNE_H
#define GT_APPS_COMMANDS_TUNE_H
/* Parts of `gantry tune`: workloads by name, searches with logs in one folder, replays, and the cache. */
#include "apps/cli/cli.h"
#include "tuner/tuner.h"

/* spec: "ge-hd", "ge-hd:every=49"; every: default of the key. GT_ERR_UNKNOWN, GT_ERR_ARG. */
gt_status tune_workload(const char *spec, size_t every, gt_scan **scan, gt_grid *grid);

typedef struct {
	const cli_call *call;
	const char *path, *workloads, *kernels; /* comma-separated lists */
	size_t every;
	double within;          /* seconds for all; 0: unlimited */
	gt_tune_options search; /* options of each search; its kernel, problem and log are set */
} tune_folder;
/* Searches for each workload and kernel, WORKLOAD.KERNEL.txt, unless that log is complete; then writes results.csv of
 * all logs in the folder. */
gt_status tune_folder_fill(tune_folder *f);

/* Replays of a log by `search` (NULL: every strategy). Each seed has its own search of `evaluations`. */
typedef struct {
	const char *path, *search, *curve;
	uint64_t seed;
	size_t evaluations, seeds;
} tune_replays;
gt_status tune_replay(const tune_replays *o);

/* List, export and import the cache. */
gt_status tune_list(void);
gt_status tune_export(const char *path);
gt_status tune_import(const char *path);
#endif
