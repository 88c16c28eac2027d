#ifndef GT_TUNER_BOUND_H
#define GT_TUNER_BOUND_H
/* How far a variant may be off on a small problem: as far as the kernels' own tests allow, or, where the built-in
 * kernel itself is off by more there, half as much again; never what a row or an entry that is wrong comes to. */
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif
/* RMS from the CPU in double, relative; the largest difference, of the largest; entries of the adjoint from
 * forward's, of the largest. */
typedef struct { double rms, entry, adjoint; } gt_off;
/* built_in: by which it is off; loose: of kernels with texture units. */
gt_off gt_bound(int loose, gt_off built_in);
/* Both in words, behind what text holds: "2.0e-06 2.0e-05 1.8e-05 (1.1e-06 9.8e-06 1.2e-05)". */
void   gt_bound_describe(gt_off allowed, gt_off built_in, char *text, size_t size);
#ifdef __cplusplus
}
#endif
#endif
