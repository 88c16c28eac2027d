#ifndef GT_TUNER_CHECK_H
#define GT_TUNER_CHECK_H
/* Is a variant right, and how long does it take? All of it in a child process (tuner/child.h). */
#include <gantry/tune.h>
#include "tuner/child.h"
#ifdef __cplusplus
extern "C" {
#endif
/* What a child is forked with: the problem; it makes the rest. */
typedef struct gt_check gt_check;
gt_status gt_check_new(const gt_tune_options *o, gt_check **c);
void      gt_check_free(gt_check *c);
/* A gt_try. variant "": the built-in kernel, whose text and whose problem's class it writes to why,
 * "CLASS|TEXT|DEVICE|DRIVER|BOUNDS". */
#define GT_CHECK_BUILD "build "         /* before a variant: it is compiled, no more */
void      gt_check_try(void *self, const char *variant, gt_tune_evaluation *t);
/* Longer: so many pairs for a variant from here on. */
void      gt_check_pairs(gt_check *c, int pairs);
/* Are words[first] ... words[first + n - 1] as gt_guard_fill() left them? */
enum { GT_GUARD_WORDS = 4096 };
void gt_guard_fill(float *words, size_t n);
int  gt_guard_holds(const float *words, size_t first, size_t n);
#ifdef __cplusplus
}
#endif
#endif
