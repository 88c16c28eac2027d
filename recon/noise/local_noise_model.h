#ifndef GT_RECON_LOCAL_NOISE_MODEL_H
#define GT_RECON_LOCAL_NOISE_MODEL_H
/* Noise of penalised weighted least squares in patches of a volume, in each of which the response is taken to be the
 * same all over, or where there are few slices, all over each of them. Spectra are those of gt_fft_box_spectrum(): for
 * each voxel of a box a matrix, [layer][layer], of how layers answer each other. */
#include <gantry/penalty.h>
#include "recon/noise/small_matrix.h"

enum { GT_NOISE_PATCHES = 6, GT_NOISE_LAYERS = GT_SMALL_ROWS };
typedef struct {
	double *F, *G;                  /* spectra of A'WA and of A'W V W A, V: the variance of the data */
	double square;                  /* kappa^2 there */
} gt_noise_patch;
typedef struct {
	size_t n[3], box;               /* voxels of a box along x, y, z; their product */
	size_t layers, size;            /* boxes above each other: where there are few slices, these; voxels of all */
	size_t first, end;              /* layers in which noise is asked for */
	size_t places;                  /* of `at`, 1 to GT_NOISE_PATCHES */
	gt_noise_patch at[GT_NOISE_PATCHES];
	double *R;                      /* spectrum of the penalty of strength 1, for differences that are small */
	const gt_penalty *penalty;      /* of strength 1, on a grid of all layers */
	gt_array *x, *g;                /* scratch: arrays on the penalty's backend */
	double noise[GT_NOISE_PATCHES]; /* that the strength found leaves in each, mm^-1; 0: not known */
} gt_noise_patches;
/* The number of a spectrum that says how a layer answers itself, at one frequency. */
static inline double gt_noise_answer(const gt_noise_patches *p, const double *spectrum, size_t frequency, size_t layer)
{
	return spectrum[(frequency * p->layers + layer) * p->layers + layer];
}
/* Root mean square over the patches of the standard deviation (mm^-1) that a quadratic penalty of these spectra
 * leaves. */
double gt_noise_patches_quadratic(const gt_noise_patches *p, double strength);
/* The strength of a quadratic penalty that leaves this noise. */
double gt_noise_patches_quadratic_strength(const gt_noise_patches *p, double noise);
/* The strength that leaves this noise (mm^-1), to 2 %; fills p->noise. GT_ERR_ARG: none does. */
gt_status gt_noise_patches_strength(gt_noise_patches *p, double noise, double *strength);
#endif
