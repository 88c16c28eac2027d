#ifndef GT_RECON_STRENGTH_SEARCH_H
#define GT_RECON_STRENGTH_SEARCH_H
/* Measurements of the search for the strength of a penalty, shared by its two sources. */
#include <gantry/analytic.h>
#include <gantry/recon.h>
#include "recon/noise/local_noise_model.h"
#include "recon/noise/noise_estimate.h"
#include "recon/object_mask.h"
#include "recon/noise/penalty_strength.h"

/* Rays with fewer photons are starved. */
enum { GT_STRENGTH_MIN_PHOTONS = 10 };
/* Pixels of a sample of noise that are drawn at a time. */
enum { GT_STRENGTH_DRAWN = 1 << 22 };

/* Result of the short run cut to patches, [patch][layer][z][y][x]. Owned; NULL: unknown. */
typedef struct {
	double *image;          /* mm^-1 */
	double *slope;          /* gradient of the data term there, mm */
	unsigned char *counts;  /* patches that share the voxel, if it is of the object and away from their ends; else 0 */
	double strength;        /* strength of the short run */
	double missed;          /* expected noise over the target */
} gt_structure_patches;

typedef struct {
	const gt_strength_problem *q;
	gt_backend *be;
	gt_type type;
	double noise, factor; /* target, mm^-1, 0: REMAINING_NOISE_RATIO; factor on the resulting strength */
	const gt_noise_model *model; /* q->noise, or `own` */
	gt_noise_model *own;
	gt_photon_starvation starved;
	gt_object_voxels object; /* part of `listed`, which is owned */
	size_t *listed;
	float *host; /* a volume */
	gt_noise_patches patch;
	const gt_analytic *direct; /* NULL: none supports the scan */
	int has_asked;             /* 1: noise is requested in all voxels of `object` */
	double mean;               /* start, averaged over the object's voxels, mm^-1; 0 in a dry run */
	double reference;          /* noise of the direct method, or its substitute */
	size_t voxel[GT_NOISE_PATCHES]; /* centre of each patch */
	/* For uniform noise, else NULL; volumes: */
	const gt_subsets *subsets; /* whole scan */
	float *kappa;              /* result; before that A'w of a voxel */
	gt_structure_patches structure;
	float *known;              /* information of the data on a voxel: (A'w)^2/(A'w^2 v), v: variance of the data */
} gt_strength_search;

/* Marks a stage of gt_timings(), except in a dry run. */
void gt_strength_mark(const gt_strength_search *s, const char *name);
double gt_strength_hu(const gt_strength_search *s, double mu);
/* Reports the noise, and the strength found in this time. */
void gt_strength_report(const gt_strength_search *s, const gt_strength_found *found, double seconds);
/* Reports and returns the remaining noise if it is far below the target; else INFINITY. */
double gt_strength_report_unreached(const gt_strength_search *s, double noise);

/* Finds s->object and s->mean. A dry run has no volume to inspect. */
gt_status gt_strength_find_object(gt_strength_search *s);
/* *mean: mean of s->host, or of its squares, over the object's voxels. */
gt_status gt_strength_mean_of_object(const gt_strength_search *s, int squares, double *mean);
/* Chooses positions that represent equally many voxels of the object: evenly spread over a sample sorted by
 * information. If that is unknown, evenly spread over the list of voxels, at multiples of the golden ratio. */
gt_status gt_strength_choose_places(const gt_strength_search *s, size_t voxel[GT_NOISE_PATCHES]);
/* Returns a small grid of the volume's voxels around a voxel, which has index n/2 along each axis. */
gt_grid gt_strength_patch_grid(const gt_strength_search *s, size_t voxel);
/* Returns the bytes of patches, on host and backend, while a strength is searched; has_target: for a target noise. */
double gt_strength_patch_bytes(const gt_grid *grid, int has_target);
/* Returns how many of the given number of views gt_strength_measure_places() uses. */
size_t gt_strength_patch_views(size_t views);
/* Gathers w and w^2 v of views first, first + stride, ... into arrays of these views. */
gt_status gt_strength_gather(const gt_strength_search *s, size_t first, size_t stride, gt_array *w, gt_array *wvw);
/* Computes s->kappa and s->known for gt_strength_even_out(). */
gt_status gt_strength_measure_known(gt_strength_search *s);
/* Computes s->kappa that leaves this noise (mm^-1) everywhere in the object, and kappa^2 of all patches. */
gt_status gt_strength_even_out(gt_strength_search *s, double noise);
/* *c: difference, mm^-1, above which the penalty assumes an edge, and its parameter *key; INFINITY: none. */
gt_status gt_strength_edges(const gt_strength_search *s, const char **key, double *c);
/* Reports if the penalty's edge threshold is so low that noise of noise_hu cannot be uniform. */
gt_status gt_strength_report_edges(const gt_strength_search *s, double noise_hu);
/* Measures the spectra F and G of all patches, at positions in s->object. */
gt_status gt_strength_measure_places(gt_strength_search *s);
/* Measures the spectrum of R, which has strength 1, for small differences; x, g: scratch on its grid. */
gt_status gt_strength_measure_penalty(gt_strength_search *s, const gt_penalty *R, gt_array *x, gt_array *g);
#endif
