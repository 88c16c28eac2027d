#ifndef GT_RECON_WEIGHTS_PHOTON_WEIGHTS_H
#define GT_RECON_WEIGHTS_PHOTON_WEIGHTS_H
#include <gantry/threads.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Statistical weights of line integrals p, in proportion to the inverse of their variance, with the mean 1:
 *   w = N^2 / (N + electronic^2) / factor,   N = photons exp(-p)
 * Without electronic noise that is N: Sauer and Bouman, IEEE Trans. Signal Process. 41 (1993) 534. With it: Thibault,
 * Bouman, Sauer, Hsieh, SPIE 6065 (2006). */
typedef struct {
	const float *photons;           /* unattenuated counts, one per value; NULL: `count` for all */
	double count;                   /* > 0 */
	double electronic;              /* standard deviation, in photons, >= 0 */
} gt_counting;
/* w: [n], may be p. *factor: what they were divided by. GT_ERR_ARG names the first value that is not finite, or
 * counts that are not positive. The same for any number of threads. */
gt_status gt_data_weights(gt_pool *pool, const gt_counting *c, const float *p, size_t n, float *w, double *factor);
/* Multiplies the weights by mask[n] before their division by the mean. Pixels of mask 0 get the weight 0 for any count
 * and value. mask may be NULL. */
gt_status gt_data_weights_masked(gt_pool *pool, const gt_counting *c, const float *mask, const float *p, size_t n, float *w,
                                 double *factor);
/* Smooths p along rows of `columns` values by 1/4, 1/2, 1/4; at the ends the value replaces its missing neighbour. At
 * low counts N, line integrals are biased by +1/(2N). Weights from the same N turn this into -1/(2N), because they
 * are correlated with it. Weights that follow p by half cancel both to O(1/N). A neighbour whose mask is 0 is replaced
 * likewise; mask may be NULL. */
void gt_data_smooth(gt_pool *pool, const float *p, const float *mask, size_t n, size_t columns, float *q);
/* Scales given weights to the mean 1. GT_ERR_ARG: not finite, below 0, or all 0. w may be given. */
gt_status gt_data_weights_given(gt_pool *pool, const float *given, size_t n, float *w, double *factor);

#ifdef __cplusplus
}
#endif
#endif
