#ifndef GANTRY_NOISE_H
#define GANTRY_NOISE_H
/* Noise of projections, statistical weights, strength of a penalty for a target noise, object mask, padding slices.
 * docs/regularizers.md has the formulas and their sources. */
#include <gantry/array.h>
#include <gantry/data.h>
#include <gantry/data_weights.h>
#include <gantry/grid.h>
#include <gantry/message.h>
#ifdef __cplusplus
extern "C" {
#endif

/* The variance of measured line integrals, pixel by pixel. */
typedef struct gt_noise_model gt_noise_model;
/* Where photons are known (a count, or counts of each pixel), a line integral p has the variance (N +
 * electronic^2)/N^2 with N = photons exp(-p); where p has weights w, s/w; else s exp(p). The number s is the one
 * that explains the differences of neighbouring pixels: products of second differences along two axes, or sixth ones
 * along one, whose squares have a median that edges do not move. known: NULL stands for the photons of p, if it has
 * any. p is borrowed, and so are the counts of `known`. The pool may be NULL. GT_ERR_UNSUPPORTED: too few
 * neighbouring pixels were measured. */
GT_API gt_status   gt_noise_estimate(const gt_projections *p, const gt_counting *known, gt_pool *pool, gt_noise_model **model);
GT_API void        gt_noise_free(gt_noise_model *model);                       /* NULL is fine */
/* The variance of a line integral, at index [view][row][column]; 0 where the weight is 0: that pixel says nothing. */
GT_API double      gt_noise_variance(const gt_noise_model *model, size_t pixel);
/* Returns the scale s; 1 if photons are known. */
GT_API double      gt_noise_scale(const gt_noise_model *model);
/* Returns the estimated unattenuated photons per pixel if one number was estimated for all pixels; else 0. */
GT_API double      gt_noise_photons(const gt_noise_model *model);
/* Source of the model: "photons as given", "differences of neighbouring cells", ... */
GT_API const char *gt_noise_source(const gt_noise_model *model);

/* Weights of the data, in proportion to the inverse of their variance, with the mean 1 (<gantry/data_weights.h>).
 * spec: "auto" (or NULL: those of the projections, else by their photons, else uniform), "uniform", "file",
 * "photons:count=1e5,electronic=10", "noise", or "model:slope=0.03,even=0.13,count=1e5,electronic=10", the inverse of a
 * variance that also knows the error of the discrete model: noise + (slope g)^2 + even^2 <g^2>, g the difference of
 * smoothed line integrals to neighbouring pixels. *w: [view][row][column], malloc'ed, NULL where they are uniform.
 * *record (may be NULL): what they are, malloc'ed. GT_ERR_UNKNOWN, GT_ERR_ARG. */
GT_API gt_status gt_weights_new(const char *spec, const gt_projections *p, gt_pool *pool, float **w, char **record);
/* The same where the grid of the volume is known, from whose voxels "model" has its error (gt_weights_new() refuses it
 * without the keys slope and even). grid may be NULL. */
GT_API gt_status gt_weights_on_grid(const char *spec, const gt_projections *p, const gt_grid *grid, gt_pool *pool, float **w,
                                    char **record);

/* Input of gt_penalty_strength(). Members are borrowed for the call. */
typedef struct {
	size_t size;                    /* sizeof(gt_strength_problem): later versions add members at the end */
	const char *penalty;            /* "qggmrf:c=10HU": the regularizer and its own parameters, without a strength */
	const char *projector;          /* "dd" */
	const gt_grid *grid;
	const gt_projections *projections;
	const gt_counting *known;       /* as for gt_noise_estimate() */
	const float *weights;           /* of the data, as the solver has them, [view][row][column]; NULL: 1 */
	const float *kappa;             /* weights of the penalty, [z][y][x]; NULL: 1 */
	const gt_array *start;          /* the volume that the solver starts with, which shows where the object is; also says backend and precision */
	double water;                   /* attenuation of water, mm^-1 */
	const gt_listener *log;         /* receives results and choices; NULL: none */
	size_t first_slice, slices;     /* of the grid, in which noise is asked for: the others are padding; slices 0: in all */
	size_t first_across[2], across[2];      /* likewise along x and y: voxels from first_across on; across 0: all */
} gt_strength_problem;
/* The strength beta, in the unit of the penalty's own parameter `strength`, that leaves a noise of so many HU in
 * water, or where there is none in the object: root mean square over six places, to 2 %. noise_hu 0: four tenths of
 * the noise of the direct method, which is also the most that can be asked for. HU, those in `penalty` too, are of
 * q->water. GT_ERR_ARG: no strength leaves as little. */
GT_API gt_status gt_penalty_strength(const gt_strength_problem *q, double noise_hu, double *beta);

/* Where the object is: mask[z][y][x] is 1 for voxels within what the scan covers whose surroundings, blocks of 8 mm, or
 * of a thirtieth of the field of view where that is less, are within a quarter of water, away from its borders; where
 * there are none, whose surroundings are above a tenth of the densest; else everywhere. x: mm^-1, [z][y][x].
 * *like_water (may be NULL): 1 in the first case. */
GT_API gt_status gt_object_mask(const gt_grid *grid, const float *x, const gt_scan *scan, double water, unsigned char *mask, int *like_water);

/* Counts the padding slices below and above g that rays through the object cross. Ignores rays without attenuation and
 * ends whose next row shows none. Helices and scans without data use gt_grid_margin(). */
GT_API void gt_z_margin(const gt_projections *p, const gt_grid *g, size_t *below, size_t *above);

#ifdef __cplusplus
}
#endif
#endif
