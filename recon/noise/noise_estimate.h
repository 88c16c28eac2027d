#ifndef GT_RECON_NOISE_ESTIMATE_H
#define GT_RECON_NOISE_ESTIMATE_H
/* Noise model of measured line integrals. docs/regularizers.md has the formulas and their sources. */
#include <gantry/data.h>
#include <gantry/threads.h>
#include "recon/weights/photon_weights.h"

/* The variance of measured line integrals, pixel by pixel. */
typedef struct gt_noise_model gt_noise_model;
/* Estimates the noise of p. With known photons (a count, or counts of each pixel) the variance of a line integral p
 * is (N + electronic^2)/N^2 with N = photons exp(-p). Otherwise it is s/w with weights w of p, or s exp(p) without
 * weights. If the weights are a mask (recon/weights/weight_mask.h), it is as without weights, divided by the mask. The
 * scale s is estimated from differences of neighbouring pixels: second differences along two axes, or sixth
 * differences along one. Their median square is insensitive to edges. known: NULL: the photons of p, if any. p
 * and the counts of `known` are borrowed. The pool may be NULL. GT_ERR_UNSUPPORTED: too few neighbouring pixels.
 * GT_ERR_ARG: a weight that the variance depends on is negative or not finite. */
gt_status   gt_noise_estimate(const gt_projections *p, const gt_counting *known, gt_pool *pool, gt_noise_model **model);
void        gt_noise_free(gt_noise_model *model);                       /* NULL is fine */
/* Returns the variance of a line integral at index [view][row][column]; 0 if it depends on a weight or mask of 0. */
double      gt_noise_variance(const gt_noise_model *model, size_t pixel);
/* Returns the scale s; 1 if photons are known. */
double      gt_noise_scale(const gt_noise_model *model);
/* Returns the estimated unattenuated photons per pixel if one number was estimated for all pixels; else 0. */
double      gt_noise_photons(const gt_noise_model *model);
/* Source of the model, as text. */
const char *gt_noise_source(const gt_noise_model *model);

/* Sums over the pixels whose variance exceeds a bound without the mask: they have hardly any photons. */
typedef struct {
	size_t pixels;
	double variance, line;          /* sums of variances without the mask, and of line integrals */
} gt_photon_starvation;
/* Returns the weights or the mask that the variance depends on; NULL: neither. */
const float *gt_noise_weights(const gt_noise_model *noise);
/* Variances of n pixels from `first` on for these line integrals; gt_noise_variance() uses the measured one. */
void gt_noise_variances(const gt_noise_model *noise, size_t first, size_t n, const double *line, double *variance);
/* Likewise for the pixels at[n]. */
void gt_noise_variances_at(const gt_noise_model *noise, const size_t *at, size_t n, const double *line, double *variance);
/* out: standard deviations of n pixels from `first` on, without the mask; 0 if the mask is 0. Adds pixels with a
 * variance above min_variance to *starved. */
gt_status gt_noise_deviations(const gt_noise_model *noise, double min_variance, gt_pool *pool, size_t first, size_t n, float *out,
                              gt_photon_starvation *starved);
#endif
