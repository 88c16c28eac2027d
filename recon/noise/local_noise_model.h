#ifndef GT_RECON_LOCAL_NOISE_MODEL_H
#define GT_RECON_LOCAL_NOISE_MODEL_H
/* Noise of penalised weighted least squares in patches of a volume with a shift-invariant response; with few slices,
 * shift-invariant within each slice. Spectra are those of gt_fft_box_spectrum(): for each frequency of a box a matrix
 * [layer][layer] that couples the layers. */
#include <gantry/author/penalty.h>
#include "recon/noise/small_matrix.h"

enum { GT_NOISE_PATCHES = 6, GT_NOISE_LAYERS = GT_SMALL_ROWS, GT_PATCH_LANES = 3 };
typedef struct {
	double *F, *G;                  /* spectra of A'WA and A'W V W A, V: variance of the data */
	double square;                  /* kappa^2 of the patch */
	double *S;                      /* spectrum of the projection on what the data determine; NULL: everything */
} gt_noise_patch;
typedef struct {
	size_t n[3], box;               /* voxels of a box along x, y, z; their product */
	size_t layers, size;            /* stacked boxes, one per slice if there are few; voxels of all */
	size_t first, end;              /* layers with requested noise */
	size_t places;                  /* entries in `at`, 1 to GT_NOISE_PATCHES */
	gt_noise_patch at[GT_NOISE_PATCHES];
	double *R;                      /* spectrum of the penalty of strength 1 for small differences */
	const gt_penalty *penalty;      /* strength 1, on a grid of all layers */
	gt_array *x, *g;                /* scratch on the penalty's backend, of up to GT_PATCH_LANES times `places` patches */
	double noise[GT_NOISE_PATCHES]; /* noise of each patch at the strength found, mm^-1; 0: unknown */
	double curvature;               /* fraction of the penalty's curvature that remains with noise, for preconditioners */
	double linearised;              /* strength for which it is known; 0: none */
	int unreached;                  /* 1: without a penalty the noise is below the target */
} gt_noise_patches;
/* Arrays of the penalty's backend: parts of x and g of some patches, [lane][place]. */
typedef struct {
	gt_array *x[GT_PATCH_LANES], *g[GT_PATCH_LANES]; /* of a lane */
	gt_array *x_of[GT_PATCH_LANES * GT_NOISE_PATCHES], *g_of[GT_PATCH_LANES * GT_NOISE_PATCHES];
} gt_patch_slots;
/* Zero-initialised. GT_ERR_ARG: x and g are smaller. Call gt_patch_slots_free() in either case. */
gt_status gt_patch_slots_new(const gt_noise_patches *p, size_t lanes, gt_patch_slots *s);
void gt_patch_slots_free(gt_patch_slots *s);

/* Returns the response of a layer to itself at one frequency. */
static inline double gt_noise_answer(const gt_noise_patches *p, const double *spectrum, size_t frequency, size_t layer)
{
	return spectrum[(frequency * p->layers + layer) * p->layers + layer];
}
/* Returns the RMS over the patches of the standard deviation (mm^-1) with a quadratic penalty of these spectra. */
double gt_noise_patches_quadratic(const gt_noise_patches *p, double strength);
/* Returns the strength of a quadratic penalty that leaves this noise. */
double gt_noise_patches_quadratic_strength(const gt_noise_patches *p, double noise);
/* Finds the strength that leaves this noise (mm^-1), to 1 %; fills p->noise. It is a smooth function of the spectra.
 * GT_ERR_ARG: there is none. */
gt_status gt_noise_patches_strength(gt_noise_patches *p, double noise, double *strength);
/* Sets p->curvature for this strength, unless it is known for about the same one. */
gt_status gt_noise_patches_linearise(gt_noise_patches *p, double strength);
/* Returns the RMS of p->noise over the patches. */
double gt_noise_patches_mean(const gt_noise_patches *p);
void gt_noise_patches_scale(gt_noise_patches *p, double factor);

/* Trials of strengths. */
typedef struct {
	gt_status (*measure)(void *self, double strength, double *off); /* off: logarithm of the noise over the target */
	void *self;
	double tolerance; /* of that logarithm */
	int max_trials;
} gt_noise_trials;
/* Finds the strength that leaves the target, from *strength on, by interpolation. *off: what remains of the logarithm;
 * 0 if a trial met the tolerance. */
gt_status gt_noise_search(const gt_noise_trials *t, double *strength, double *off);
#endif
