#ifndef GT_RECON_NOISE_ESTIMATE_H
#define GT_RECON_NOISE_ESTIMATE_H
/* Noise of measured line integrals: the variance of every cell. */
#include "recon/prior.h"

typedef struct {
	const app_weights *o;           /* borrowed, as p */
	const gt_projections *p;
	double scale;
	double photons;                 /* of a cell without the body, where they were estimated for all cells alike; else 0 */
	const char *how;                /* "photons as given", ...: where it is from */
} app_noise;
/* From the count of `o` or the photons of the file, p -> (N + electronic^2)/N^2 with N = photons exp(-p); from the file's weights w as s/w;
 * else as s exp(p). The number s is the one that explains the differences of neighbours: robust, from cells behind the body. */
gt_status app_noise_find(const app_weights *o, const gt_projections *p, gt_pool *pool, app_noise *noise);
double app_noise_variance(const app_noise *noise, size_t cell);
/* Sums over the cells whose variance is above a bound. */
typedef struct { size_t cells; double variance, line; } app_noise_loud;
/* The standard deviations of all cells; out: [view][row][column]. */
gt_status app_noise_deviations(const app_noise *noise, double above, gt_pool *pool, float *out, app_noise_loud *loud);
#endif
