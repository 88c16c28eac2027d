#ifndef GT_RECON_LOCAL_NOISE_MODEL_H
#define GT_RECON_LOCAL_NOISE_MODEL_H
/* Noise of penalised weighted least squares in patches of a volume, in each of which the response is taken to be the
 * same all over. Spectra are those of gt_fft_box_spectrum(): one number for each voxel of the patch. */
#include <gantry/penalty.h>

enum { GT_NOISE_PATCHES = 6 };
typedef struct {
	double *F, *G;                  /* spectra of A'WA and of A'W V W A, V: the variance of the data */
	double square;                  /* kappa^2 there */
} gt_noise_patch;
typedef struct {
	size_t n[3], size;              /* voxels along x, y, z; their product */
	gt_noise_patch at[GT_NOISE_PATCHES];
	double *R;                      /* spectrum of the penalty of strength 1, for differences that are small */
	const gt_penalty *penalty;      /* of strength 1, on a grid of n voxels */
	gt_array *x, *g;                /* scratch: arrays on the penalty's backend */
	double noise[GT_NOISE_PATCHES]; /* that the strength found leaves in each, mm^-1; 0: not known */
} gt_noise_patches;
/* Root mean square over the patches of the standard deviation (mm^-1) that a quadratic penalty of these spectra
 * leaves. */
double gt_noise_patches_quadratic(const gt_noise_patches *p, double strength);
/* The strength of a quadratic penalty that leaves this noise. */
double gt_noise_patches_quadratic_strength(const gt_noise_patches *p, double noise);
/* The strength that leaves this noise (mm^-1), to 2 %; fills p->noise. GT_ERR_ARG: none does. */
gt_status gt_noise_patches_strength(gt_noise_patches *p, double noise, double *strength);
#endif
