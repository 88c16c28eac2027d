#ifndef GANTRY_DATA_WEIGHTS_H
#define GANTRY_DATA_WEIGHTS_H
#include <gantry/threads.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Statistical weights of line integrals p, in proportion to the inverse of their variance, with the mean 1:
 *   w = N^2 / (N + electronic^2) / factor,   N = photons exp(-p)
 * Without electronic noise that is N: Sauer and Bouman, IEEE Trans. Signal Process. 41 (1993) 534; with it, Thibault, Bouman, Sauer,
 * Hsieh, SPIE 6065 (2006). */
typedef struct {
	const float *photons;           /* unattenuated counts, one per value; NULL: `count` for all */
	double count;                   /* > 0 */
	double electronic;              /* standard deviation, in photons, >= 0 */
} gt_counting;
/* w: [n], may be p. *factor: what they were divided by. GT_ERR_ARG names the first value that is not finite, or counts that are not
 * positive. The same for any number of threads. */
GT_API gt_status gt_data_weights(gt_pool *pool, const gt_counting *c, const float *p, size_t n, float *w, double *factor);
/* q = p smoothed along each row of so many columns: half of itself, a quarter of each neighbour (at the ends itself in its place).
 * Of few counts N the logarithm is too large by 1/(2N) in the mean, and weights of the same N, which are small where it is large, make of
 * that 1/(2N) too little. Of weights that follow p by half the two cancel, to the order of 1/N, whatever the number of photons. */
GT_API void gt_data_smooth(gt_pool *pool, const float *p, size_t n, size_t columns, float *q);
/* Given weights: checked to be finite and >= 0 and not all 0, and brought to the mean 1. w may be given. */
GT_API gt_status gt_data_weights_given(gt_pool *pool, const float *given, size_t n, float *w, double *factor);

#ifdef __cplusplus
}
#endif
#endif
