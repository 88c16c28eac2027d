#ifndef GT_CORE_RANDOM_H
#define GT_CORE_RANDOM_H
/* Counter-based random numbers, Philox4x32-10: Salmon, Moraes, Dror, Shaw, "Parallel random numbers:
 * as easy as 1, 2, 3", SC11. The same (seed, counter) gives the same numbers on any thread. */
#include <stdint.h>
#include <gantry/status.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Four 32-bit words for one (seed, counter, stream). */
void gt_philox(uint64_t seed, uint64_t counter, uint64_t stream, uint32_t out[4]);

/* A sequence for one counter, e.g. the index of a detector cell. */
typedef struct { uint64_t seed, counter, stream; uint32_t word[4]; int left; } gt_random;
void   gt_random_at(uint64_t seed, uint64_t counter, gt_random *r);        /* begins a sequence */
double gt_uniform(gt_random *r);                /* in (0,1), 53 bits; never 0 or 1 */
double gt_normal (gt_random *r);                /* mean 0, variance 1 */
double gt_poisson(gt_random *r, double mean);   /* exact for every mean >= 0 (inversion, PTRS above 10) */

#ifdef __cplusplus
}
#endif
#endif
