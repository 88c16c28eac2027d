#ifndef GT_RECON_STRENGTH_SEARCH_H
#define GT_RECON_STRENGTH_SEARCH_H
/* What the search for the strength of a penalty measures, shared by its two sources. */
#include <gantry/analytic.h>
#include "recon/noise/local_noise_model.h"
#include "recon/noise/noise_estimate.h"
#include "recon/object_mask.h"
#include "recon/noise/penalty_strength.h"

typedef struct {
	const gt_strength_problem *q;
	gt_backend *be;
	gt_type type;
	double noise, factor; /* wanted, mm^-1, 0: REMAINING_NOISE_RATIO; on the strength that leaves it */
	gt_noise_model *model;
	gt_photon_starvation starved;
	gt_object_voxels object;
	float *host; /* a volume */
	gt_noise_patches patch;
	const gt_analytic *direct; /* NULL: none fits */
	double reference;          /* noise of the direct method, or what stands for it */
} gt_strength_search;

/* A small grid of the volume's voxels around one of them, which is the n/2-th along each axis. */
gt_grid gt_strength_patch_grid(const gt_strength_search *s, size_t voxel);
/* The spectra F and G of all patches, at places in s->object. */
gt_status gt_strength_measure_places(gt_strength_search *s);
/* The spectrum of R, which has strength 1, for small differences; x, g: scratch on its grid. */
gt_status gt_strength_measure_penalty(gt_strength_search *s, const gt_penalty *R, gt_array *x, gt_array *g);
#endif
