#ifndef GT_RECON_PENALTY_STRENGTH_H
#define GT_RECON_PENALTY_STRENGTH_H
/* The strength of a penalty that leaves a wanted noise in the volume, and what was found on the way to it. */
#include <gantry/noise.h>
#include <gantry/subsets.h>

typedef struct {
	double strength;
	double noise_hu, reference_hu;  /* that it leaves, without the factor; that of the direct method */
} gt_strength_found;
/* noise: wanted, mm^-1; 0: as gt_penalty_strength() does. factor: on the strength that leaves it. On a backend of a
 * dry run the same memory of it is taken, none for volumes on the host, and the strength is 1. */
gt_status gt_strength_find(const gt_strength_problem *q, double noise, double factor, gt_strength_found *found);
/* The same for the kappa that leaves it everywhere: kappa, a volume on the host, is filled (NULL: in a dry run);
 * q->kappa is not looked at.
 * subsets: of the whole scan with q->weights; NULL: as gt_strength_find(). */
gt_status gt_strength_find_even(const gt_strength_problem *q, const gt_subsets *subsets, double noise, double factor, float *kappa,
                                gt_strength_found *found);
#endif
