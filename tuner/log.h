#ifndef GT_TUNER_LOG_H
#define GT_TUNER_LOG_H
/* The log of a search: what it was of, then one line for each candidate, "ms verdict NAME=value ... | why". Searchers
 * are run again on a log without a device: what it does not hold is not there to be tried. */
#include <stdio.h>
#include <gantry/tune.h>
#include "tuner/space.h"
#ifdef __cplusplus
extern "C" {
#endif
/* problem: in words; updates: views times voxels; seconds: from the first to the last candidate. ended: the search came
 * to its end, and chose; failed: why no search began, ""; bounds: what was allowed on each small problem, RMS, entry,
 * adjoint, and in brackets by how much the built-in kernel is off there */
typedef struct {
	char kernel[64], about[512], device[128], built_in[512], problem[200];
	int driver;
	double built_in_ms, updates, seconds;
	int ended;
	char chosen[512], failed[512], bounds[200];
	double chosen_ms, chosen_built_in_ms;
} gt_log_head;
void      gt_log_begin(FILE *f, const gt_log_head *h, const gt_space *s);
void      gt_log_line(FILE *f, const char *variant, const gt_tune_evaluation *t, double seconds); /* since it began */
void      gt_log_end(FILE *f, const gt_tune_outcome *o);
void      gt_log_failed(FILE *f, const char *kernel, const char *why);
/* ms[candidate]: INFINITY for what failed. */
struct gt_tune_log { gt_log_head head; gt_space *space; double *ms; size_t first; };
gt_status gt_log_read(const char *path, gt_tune_log *log);
void      gt_log_free(gt_tune_log *log);
#ifdef __cplusplus
}
#endif
#endif
