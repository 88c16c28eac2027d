#ifndef GT_RECON_PENALTY_STRENGTH_H
#define GT_RECON_PENALTY_STRENGTH_H
/* Finds the strength of a penalty that leaves a target noise in the volume. */
#include <gantry/noise.h>
#include <gantry/subsets.h>

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
