#ifndef GT_RECON_PENALTY_STRENGTH_H
#define GT_RECON_PENALTY_STRENGTH_H
/* The strength of a penalty that leaves a wanted noise in the volume, and what was found on the way to it. */
#include <gantry/noise.h>

typedef struct {
	double strength;
	double noise_hu, reference_hu;  /* that it leaves, without the factor; that of the direct method */
} gt_strength_found;
/* noise: wanted, mm^-1; 0: as gt_penalty_strength() does. factor: on the strength that leaves it. On a backend of a
 * dry run the same memory is taken, and the strength is 1. */
gt_status gt_strength_find(const gt_strength_problem *q, double noise, double factor, gt_strength_found *found);
#endif
