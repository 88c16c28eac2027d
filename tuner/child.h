#ifndef GT_TUNER_CHILD_H
#define GT_TUNER_CHILD_H
/* Process that evaluates variants in sequence. If it hangs or crashes, the variant fails and the next one gets a new
 * process. */
#include "tuner/tuner.h"
#ifdef __cplusplus
extern "C" {
#endif
/* Runs in the child, which inherits self by fork(). It may store state between calls. */
typedef void (*gt_try)(void *self, const char *variant, gt_tune_evaluation *t);
typedef struct gt_child gt_child;
/* limit: seconds per variant; the first one of a process has `start` more. */
gt_status gt_child_new(gt_try run, void *self, double limit, double start, gt_child **c);
void      gt_child_try(gt_child *c, const char *variant, gt_tune_evaluation *t);
/* The two halves of gt_child_try(), so that several children can work at once. Each send needs a wait. */
void      gt_child_send(gt_child *c, const char *variant);
void      gt_child_wait(gt_child *c, gt_tune_evaluation *t);
void      gt_child_free(gt_child *c);
#ifdef __cplusplus
}
#endif
#endif
