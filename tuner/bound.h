#ifndef GT_TUNER_BOUND_H
#define GT_TUNER_BOUND_H
/* Error bounds of a variant on a check problem: those of the kernels' tests, or 1.5 times the built-in kernel's error
 * if that is larger. A fixed upper limit rejects wrong rows and entries. */
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif
/* Differences from the CPU in double: relative RMS; the largest over the largest entry. adjoint: the largest difference
 * of its entries from forward's. */
typedef struct { double rms, entry, adjoint; } gt_off;
/* built_in: error of the built-in kernel. loose: 1 for kernels with texture units. */
gt_off gt_bound(int loose, gt_off built_in);
/* Appends both as text: "2.0e-06 2.0e-05 1.8e-05 (1.1e-06 9.8e-06 1.2e-05)". */
void   gt_bound_describe(gt_off allowed, gt_off built_in, char *text, size_t size);
#ifdef __cplusplus
}
#endif
#endif
