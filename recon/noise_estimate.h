#ifndef GT_RECON_NOISE_ESTIMATE_H
#define GT_RECON_NOISE_ESTIMATE_H
/* Noise of measured line integrals: the variance of every cell. */
#include "recon/prior.h"

typedef struct {
	const gt_weights_spec *o;           /* borrowed, as p */
	const gt_projections *p;
	double scale;
	double photons;                 /* of a cell without the body, where they were estimated for all cells alike; else 0 */
	const char *how;                /* "photons as given", ...: where it is from */
} gt_noise_model;
/* From the count of `o` or the photons of the file, p -> (N + electronic^2)/N^2 with N = photons exp(-p); from the file's weights w as s/w;
 * else as s exp(p). The number s is the one that explains the differences of neighbours: robust, from cells behind the body. */
gt_status gt_noise_estimate(const gt_weights_spec *o, const gt_projections *p, gt_pool *pool, gt_noise_model *noise);
double gt_noise_variance(const gt_noise_model *noise, size_t cell);
/* Sums over the cells whose variance is above a bound. */
typedef struct { size_t cells; double variance, line; } gt_noise_loud;
/* The standard deviations of all cells; out: [view][row][column]. */
gt_status gt_noise_deviations(const gt_noise_model *noise, double above, gt_pool *pool, float *out, gt_noise_loud *loud);
#endif
