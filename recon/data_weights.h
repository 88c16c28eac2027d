#ifndef GT_RECON_DATA_WEIGHTS_H
#define GT_RECON_DATA_WEIGHTS_H
/* Weights of the data from their specification: "auto", "uniform", "file", "photons:count=1e5,electronic=10", "noise"
 * or "model". "noise" are exp(-p), for an unknown number of photons; "model" also includes the discretisation error. */
#include <gantry/threads.h>
#include <stdio.h>
#include <gantry/data.h>
#include <gantry/grid.h>
#include <gantry/solver.h>
#include "recon/noise/noise_estimate.h"
#include "recon/weights/photon_weights.h"

typedef enum {
	GT_WEIGHTS_AUTO, GT_WEIGHTS_UNIFORM, GT_WEIGHTS_FILE, GT_WEIGHTS_PHOTONS, GT_WEIGHTS_NOISE, GT_WEIGHTS_MODEL
} gt_weights_spec_kind;
typedef struct {
	gt_weights_spec_kind kind;
	double count;                   /* photons per pixel without attenuation; 0: photons of the projections */
	double electronic;              /* standard deviation of the electronic noise, in photons */
	double slope, even;             /* model error: see recon/weights/model_weights.h; < 0: from the voxels */
} gt_weights_spec;
/* Data and solver that the weights are for. */
typedef struct {
	const gt_projections *p;
	const gt_grid *grid;            /* NULL: unknown; model weights then need slope and even */
	unsigned traits;                /* traits of the solver */
	const char *solver;
	gt_pool *pool;
	int is_estimate;                /* 1: *w has the size of the weights and no values */
	gt_noise_model **noise;         /* receives the noise that "model" estimates, for the caller to free; may be NULL */
} gt_weights_problem;
/* GT_ERR_UNKNOWN with the nearest name, GT_ERR_ARG. */
gt_status gt_weights_spec_parse(const char *spec, gt_weights_spec *w);
/* Prints help on all kinds, or on one. */
gt_status gt_weights_spec_help(const char *name, FILE *out);
/* Returns the photons of the spec, else the photons of p, else none. */
gt_counting gt_weights_spec_counting(const gt_weights_spec *o, const gt_projections *p);
/* Computes weights of all pixels of p with the mean 1. *w is malloc'ed, NULL for uniform weights. "auto" takes the
 * file's weights, else weights from its photon counts, else uniform ones; uniform if the solver takes none. If the
 * file's weights are a mask (recon/weights/weight_mask.h), "auto" takes the photon counts, if any. A mask multiplies
 * all kinds but "uniform" and "file". Solvers with GT_WEIGHTS_ARE_BLANK (mltr) take blank-scan counts: "uniform", or
 * "photons" without electronic noise, neither smoothed nor masked; "auto" ignores the file's weights.
 * *text: a description for the record, malloc'ed. */
gt_status gt_weights_from_spec(const gt_weights_spec *o, const gt_weights_problem *q, float **w, char **text);

/* Computes weights of the data, proportional to the inverse variance, with the mean 1
 * (recon/weights/photon_weights.h).
 *   "auto", NULL
 *   "uniform", "file"
 *   "photons:count=1e5,electronic=10", "noise"
 *   "model:slope=0.03,even=0.13,count=1e5,electronic=10"
 * "auto" takes the weights of the projections unless they are a mask, else their photons, else uniform weights. The
 * variance of "model" adds the error of the discrete model: noise + (slope g)^2 + even^2 <g^2>. Here g is the
 * difference of smoothed line integrals to neighbouring pixels. The voxels of the grid determine slope and even; grid
 * NULL: both keys are required. *w: [view][row][column], malloc'ed, NULL if uniform. *record (may be NULL):
 * description, malloc'ed. GT_ERR_UNKNOWN, GT_ERR_ARG. */
gt_status gt_weights_on_grid(const char *spec, const gt_projections *p, const gt_grid *grid, gt_pool *pool, float **w,
                             char **record);
#endif
