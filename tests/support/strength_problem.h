#ifndef TESTS_STRENGTH_PROBLEM_H
#define TESTS_STRENGTH_PROBLEM_H
/* What the strength of a penalty depends on, for a water cylinder of a few voxels. */
#include <gantry/projector.h>
#include "geometry/projections.h"
#include "recon/noise/penalty_strength.h"
#include "recon/penalty_from_spec.h"
#include "recon/weights/photon_weights.h"

#define WATER 0.02
#define PHOTONS 2e4
enum { SIDE = 40, VIEWS = 60, COLUMNS = 60, THIN = 5 };

/* A slice of a water cylinder, by parallel beams, or several as high together; what a strength of its penalty depends
 * on. */
struct problem {
	gt_backend *be;
	gt_grid grid;
	gt_projections p;
	gt_linop *A;
	gt_array *x;
	gt_counting known;
	float *weights;
	gt_strength_problem q;
	char said[8000];
	gt_listener log;
};
struct problem *problem_of(const char *penalty, size_t views, size_t slices);
void problem_free(struct problem *s);
/* Root mean square, in HU, in the middle of the cylinder, and of its slices, of what the penalised least squares make of
 * noise alone: several draws, each solved. */
double noise_left(const struct problem *s, double beta);
#endif
