#ifndef GT_RECON_PENALTY_STRENGTH_H
#define GT_RECON_PENALTY_STRENGTH_H
/* Finds the strength of a penalty that leaves a target noise in the volume. */
#include <gantry/array.h>
#include <gantry/data.h>
#include <gantry/message.h>
#include <gantry/recon.h>
#include "recon/noise/noise_estimate.h"
#include "recon/weights/photon_weights.h"

/* A few iterations of the solver. */
typedef struct {
	/* x: start, and result; kappa: weights of the penalty, [z][y][x], NULL: 1. A dry run takes the same memory. */
	gt_status (*run)(const void *self, double strength, const float *kappa, gt_array *x);
	const void *self;
	const gt_subsets *data;         /* whole scan */
} gt_short_run;

/* Input of gt_penalty_strength(). Members are borrowed for the call. */
typedef struct {
	size_t size;                    /* sizeof(gt_strength_problem): later versions add members at the end */
	const char *penalty;            /* "qggmrf:c=10HU": regularizer and parameters, without a strength */
	const char *projector;          /* "dd" */
	const gt_grid *grid;
	const gt_projections *projections;
	const gt_counting *known;       /* as for gt_noise_estimate() */
	const float *weights;           /* weights of the data for the solver, [view][row][column]; NULL: 1 */
	const float *kappa;             /* weights of the penalty, [z][y][x]; NULL: 1 */
	const gt_array *start;          /* start volume of the solver: object, backend, precision */
	double water;                   /* attenuation of water, mm^-1 */
	const gt_listener *log;         /* receives results and choices; NULL: none */
	size_t first_slice, slices;     /* requested slices of the grid; the others are padding; slices 0: all */
	size_t first_across[2], across[2];      /* likewise along x and y: voxels from first_across on; across 0: all */
	const gt_short_run *short_run;          /* gives the object's structure; NULL: structure is ignored */
	const gt_noise_model *noise;            /* noise of the projections; NULL: estimated */
} gt_strength_problem;
/* Finds the strength beta (unit: parameter `strength` of the penalty) for a noise of noise_hu HU, to 2 %. The noise is
 * the root mean square over six positions in water, or else in the object. Its maximum is the noise of the direct
 * method; noise_hu 0: 0.4 times that. All HU, also in `penalty`, refer to q->water.
 * GT_ERR_ARG: no strength leaves so little noise. */
gt_status gt_penalty_strength(const gt_strength_problem *q, double noise_hu, double *beta);

typedef struct {
	double strength;
	double noise_hu, reference_hu;  /* noise at the strength without the factor; noise of the direct method */
} gt_strength_found;
/* noise: target, mm^-1; 0: as gt_penalty_strength(). factor: applied to the strength. On a dry-run backend the same
 * device memory is taken, none for volumes on the host, and the strength is 1. */
gt_status gt_strength_find(const gt_strength_problem *q, double noise, double factor, gt_strength_found *found);
/* Also finds the kappa for uniform noise: fills kappa, a volume on the host (NULL: in a dry run), and ignores q->kappa.
 * `subsets` are of the whole scan with q->weights; NULL: as gt_strength_find(). */
gt_status gt_strength_find_even(const gt_strength_problem *q, const gt_subsets *subsets, double noise, double factor, float *kappa,
                                gt_strength_found *found);
#endif
