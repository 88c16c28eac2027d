#ifndef GT_TUNER_LOG_H
#define GT_TUNER_LOG_H
/* Log of a search: its header, then one line per candidate, "ms verdict NAME=value ... | why". Replays need no device
 * and are restricted to the candidates of the log. */
#include <stdio.h>
#include "tuner/space.h"
#include "tuner/tuner.h"
#ifdef __cplusplus
extern "C" {
#endif
/* updates: views times voxels. seconds: from first to last candidate.
 * ended: 1 if the search made its choice. failed: reason why no search started, or "". bounds: RMS, entry, adjoint
 * per check problem, with the errors of the built-in kernel in parentheses. */
typedef struct {
	char kernel[64], about[512], device[128], built_in[512], problem[200];
	int driver;
	double built_in_ms, updates, seconds;
	int ended;
	char chosen[512], failed[512], bounds[200];
	double chosen_ms, chosen_built_in_ms;
} gt_log_head;
void      gt_log_begin(FILE *f, const gt_log_head *h, const gt_space *s);
void      gt_log_line(FILE *f, const char *variant, const gt_tune_evaluation *t, double seconds); /* seconds since the start */
void      gt_log_end(FILE *f, const gt_tune_outcome *o);
void      gt_log_failed(FILE *f, const char *kernel, const char *why);
/* ms[candidate]: INFINITY for failed candidates. */
struct gt_tune_log { gt_log_head head; gt_space *space; double *ms; size_t first; };
gt_status gt_log_read(const char *path, gt_tune_log *log);
void      gt_log_free(gt_tune_log *log);
#ifdef __cplusplus
}
#endif
#endif
