#ifndef GT_RECON_NOISE_ESTIMATE_H
#define GT_RECON_NOISE_ESTIMATE_H
/* Noise of measured line integrals at all pixels; <gantry/noise.h> describes the model. */
#include <gantry/noise.h>

/* Sums over the pixels whose variance exceeds a bound: they have hardly any photons. */
typedef struct {
	size_t pixels;
	double variance, line;          /* sums of variances and of line integrals */
} gt_photon_starvation;
/* 0: the pixel has no variance, since its weight is 0. */
int gt_noise_is_known(const gt_noise_model *noise, size_t pixel);
/* Variances of n pixels from `first` on for these line integrals; gt_noise_variance() uses the measured one. */
void gt_noise_variances(const gt_noise_model *noise, size_t first, size_t n, const double *line, double *variance);
/* out: standard deviations of all pixels, [view][row][column]; *starved: pixels with a variance above min_variance. */
gt_status gt_noise_deviations(const gt_noise_model *noise, double min_variance, gt_pool *pool, float *out, gt_photon_starvation *starved);
#endif
