#ifndef TESTS_STRENGTH_PROBLEM_H
#define TESTS_STRENGTH_PROBLEM_H
/* Problems of the penalty strength for a water cylinder of few voxels. */
#include <gantry/projector.h>
#include "geometry/projections.h"
#include "recon/noise/penalty_strength.h"
#include "recon/penalty/penalty_from_spec.h"
#include "recon/weights/photon_weights.h"

#define WATER 0.02
#define PHOTONS 2e4
enum { SIDE = 40, VIEWS = 60, COLUMNS = 60, THIN = 5 };

/* One or several slices of a water cylinder in parallel beams, with the input of the strength search. */
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
/* RMS (HU) at the centre of the cylinder and of its slices, if penalised least squares is solved on pure noise; mean
 * over several draws. */
double noise_left(const struct problem *s, double beta);
#endif
