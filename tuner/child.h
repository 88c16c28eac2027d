#ifndef GT_TUNER_CHILD_H
#define GT_TUNER_CHILD_H
/* A process that tries variants, one after the other, and may hang or die: then the variant is given up, and the next
 * one gets a new process. */
#include <gantry/tune.h>
#ifdef __cplusplus
extern "C" {
#endif
/* Runs in the child, which is forked with what self points at; may keep things between calls. */
typedef void (*gt_try)(void *self, const char *variant, gt_tune_evaluation *t);
typedef struct gt_child gt_child;
/* limit: seconds for a variant; the first of a process has `start` more. */
gt_status gt_child_new(gt_try run, void *self, double limit, double start, gt_child **c);
void      gt_child_try(gt_child *c, const char *variant, gt_tune_evaluation *t);
/* The two halves of it, so that several work at a time: a variant is sent, and must be waited for. */
void      gt_child_send(gt_child *c, const char *variant);
void      gt_child_wait(gt_child *c, gt_tune_evaluation *t);
void      gt_child_free(gt_child *c);
#ifdef __cplusplus
}
#endif
#endif
