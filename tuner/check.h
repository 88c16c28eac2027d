#ifndef GT_TUNER_CHECK_H
#define GT_TUNER_CHECK_H
/* Verifies and times a kernel variant in a child process (tuner/child.h). */
#include "tuner/child.h"
#include "tuner/tuner.h"
#ifdef __cplusplus
extern "C" {
#endif
/* State that a child inherits by fork(): the problem. The child creates the rest. */
typedef struct gt_check gt_check;
gt_status gt_check_new(const gt_tune_options *o, gt_check **c);
void      gt_check_free(gt_check *c);
/* A gt_try. variant "" is the built-in kernel; why then receives "CLASS|TEXT|DEVICE|DRIVER|BOUNDS|SHARED". */
#define GT_CHECK_BUILD "build "         /* prefix of a variant: compile only */
void      gt_check_try(void *self, const char *variant, gt_tune_evaluation *t);
/* Sets the maximum number of pairs for the following variants. */
void      gt_check_pairs(gt_check *c, int pairs);
/* gt_guard_holds() returns 1 if words[first] to words[first + n - 1] are as gt_guard_fill() set them. */
enum { GT_GUARD_WORDS = 4096 };
void gt_guard_fill(float *words, size_t n);
int  gt_guard_holds(const float *words, size_t first, size_t n);
#ifdef __cplusplus
}
#endif
#endif
