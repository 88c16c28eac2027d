#ifndef GT_RECON_STRENGTH_SEARCH_H
#define GT_RECON_STRENGTH_SEARCH_H
/* Measurements of the search for the strength of a penalty, shared by its two sources. */
#include <gantry/analytic.h>
#include <gantry/subsets.h>
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
	double mean;               /* start, averaged over the object's voxels, mm^-1; a dry run: 0 */
	double reference;          /* noise of the direct method, or what stands for it */
	size_t voxel[GT_NOISE_PATCHES]; /* the middle of each patch */
	/* For even noise, else NULL; volumes: */
	const gt_subsets *subsets; /* of the whole scan */
	float *kappa;              /* that is looked for; before that the answer A'w of a voxel */
	float *known;              /* what the data know of a voxel: (A'w)^2/(A'w^2 v), v the variance of the data */
} gt_strength_search;

/* A small grid of the volume's voxels around one of them, which is the n/2-th along each axis. */
gt_grid gt_strength_patch_grid(const gt_strength_search *s, size_t voxel);
/* Returns how many of the given number of views gt_strength_measure_places() uses. */
size_t gt_strength_patch_views(size_t views);
/* w and w^2 v of views first, first + stride, ... into arrays of these views. */
gt_status gt_strength_gather(const gt_strength_search *s, size_t first, size_t stride, gt_array *w, gt_array *wvw);
/* s->kappa and s->known, for gt_strength_even_out(). */
gt_status gt_strength_measure_known(gt_strength_search *s);
/* s->kappa that leaves this noise (mm^-1) everywhere in the object, and kappa^2 of all patches. */
gt_status gt_strength_even_out(gt_strength_search *s, double noise);
/* Says so where the penalty takes so small differences for edges that noise of so many HU is not even beside them. */
gt_status gt_strength_report_edges(const gt_strength_search *s, double noise_hu);
/* The spectra F and G of all patches, at places in s->object. */
gt_status gt_strength_measure_places(gt_strength_search *s);
/* The spectrum of R, which has strength 1, for small differences; x, g: scratch on its grid. */
gt_status gt_strength_measure_penalty(gt_strength_search *s, const gt_penalty *R, gt_array *x, gt_array *g);
#endif
