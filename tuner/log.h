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
/* facts: without counts and times of candidates. failed: reason why no search started, or "". bounds: RMS, entry and
 * adjoint of each check problem. The built-in kernel's errors follow in parentheses. */
typedef struct { gt_tune_log_facts facts; char built_in[512], failed[512], bounds[200]; int driver; } gt_log_head;
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
