#ifndef GT_RECON_NOISE_ESTIMATE_H
#define GT_RECON_NOISE_ESTIMATE_H
/* Noise of measured line integrals, for the parts of the engine that look at all pixels: <gantry/noise.h> says what
 * the model is. */
#include <gantry/noise.h>

/* Sums over the pixels whose variance is above a bound: behind them are next to no photons. */
typedef struct {
	size_t pixels;
	double variance, line;          /* sums of variances and of line integrals */
} gt_photon_starvation;
/* The variance at a pixel if its line integral were `line`; gt_noise_variance() has the measured one. */
double gt_noise_variance_at(const gt_noise_model *noise, size_t pixel, double line);
/* The standard deviations of all pixels, out: [view][row][column]; *starved: those whose variance is above
 * min_variance. */
gt_status gt_noise_deviations(const gt_noise_model *noise, double min_variance, gt_pool *pool, float *out, gt_photon_starvation *starved);
#endif
