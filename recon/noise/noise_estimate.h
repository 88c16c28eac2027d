#ifndef GT_RECON_NOISE_ESTIMATE_H
#define GT_RECON_NOISE_ESTIMATE_H
/* Noise of measured line integrals at all pixels; <gantry/noise.h> describes the model. */
#include <gantry/noise.h>

/* Sums over the pixels whose variance exceeds a bound: they have hardly any photons. */
typedef struct {
	size_t pixels;
	double variance, line;          /* sums of variances and of line integrals */
} gt_photon_starvation;
/* Returns the variance at a pixel for the line integral `line`; gt_noise_variance() uses the measured one. */
double gt_noise_variance_at(const gt_noise_model *noise, size_t pixel, double line);
/* out: standard deviations of all pixels, [view][row][column]; *starved: pixels with a variance above min_variance. */
gt_status gt_noise_deviations(const gt_noise_model *noise, double min_variance, gt_pool *pool, float *out, gt_photon_starvation *starved);
#endif
