/* Photon and electronic noise of transmission measurements; one counter of the generator per pixel. */
#include <math.h>
#include <gantry/phantom.h>
#include "core/random.h"

typedef struct {
	double photons, electronic;
	uint64_t seed, first;
	float *p;
} job;

static void body(void *self, size_t begin, size_t end, int worker)
{
	const job *j = self;
	(void)worker;
	for (size_t i = begin; i < end; i++) {
		gt_random r;
		gt_random_at(j->seed, j->first + i, &r);
		double counts = gt_poisson(&r, j->photons * exp(-(double)j->p[i]));
		if (j->electronic != 0)
			counts += j->electronic * gt_normal(&r);
		if (counts < 0.5)
			counts = 0.5;
		j->p[i] = (float)log(j->photons / counts);
	}
}

void gt_add_photon_noise(double photons, double electronic, uint64_t seed, uint64_t first, gt_pool *pool, float *p, size_t n)
{
	job j = { photons, electronic, seed, first, p };
	gt_parallel(pool, n, 4096, body, &j);
}
