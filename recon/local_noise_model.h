#ifndef GT_RECON_LOCAL_NOISE_MODEL_H
#define GT_RECON_LOCAL_NOISE_MODEL_H
/* Noise of penalised weighted least squares in patches of a volume, each with the same response all over it. */
#include <gantry/penalty.h>
#include "recon/spectrum.h"

enum { GT_NOISE_PATCHES = 6 };
typedef struct { double *F, *G, square; } gt_noise_patch;    /* spectra of A'WA and of A'W V W A there, V: variance of the data; kappa^2 */
typedef struct {
	size_t n[3], size;
	gt_noise_patch at[GT_NOISE_PATCHES];
	double *R;                      /* spectrum of the penalty of strength 1, for differences that are small */
	const gt_penalty *penalty;      /* of strength 1, on a grid of n voxels */
	gt_array *x, *g;                /* room: arrays of the penalty's */
	double noise[GT_NOISE_PATCHES];      /* that the strength found leaves in each; 0: not known */
} gt_noise_patches;
/* Root mean square over the patches of the standard deviation, were the penalty quadratic: from the spectra alone. */
double gt_noise_patches_quadratic(const gt_noise_patches *p, double strength);
/* The strength that leaves this noise, and, were the penalty quadratic, the one that does. */
gt_status gt_noise_patches_strength(gt_noise_patches *p, double noise, double *strength);
double gt_noise_patches_quadratic_strength(const gt_noise_patches *p, double noise);
#endif
