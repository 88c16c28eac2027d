#ifndef GT_APPS_NOISE_H
#define GT_APPS_NOISE_H
/* Noise of measured line integrals: the variance of every cell. */
#include "apps/prior.h"

typedef struct {
	float *variance;                /* [view][row][column]; owned */
	double photons;                 /* of a cell without the body, where they were estimated for all cells alike; else 0 */
	const char *how;                /* "photons as given", ...: where it is from */
} app_noise;
/* From the count of `o` or the photons of the file, p -> (N + electronic^2)/N^2 with N = photons exp(-p); from the file's weights w as s/w;
 * else as s exp(p). The number s is the one that explains the differences of neighbours: robust, from cells behind the body. */
gt_status app_noise_new(const app_weights *o, const gt_projections *p, gt_pool *pool, app_noise *noise);
void app_noise_free(app_noise *noise);
/* One sample of such noise, the same for the same seed on any number of threads; out: [view][row][column]. */
void app_noise_sample(const app_noise *noise, uint64_t seed, gt_pool *pool, float *out, size_t n);
#endif
