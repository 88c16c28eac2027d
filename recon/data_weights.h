#ifndef GT_RECON_DATA_WEIGHTS_H
#define GT_RECON_DATA_WEIGHTS_H
/* Weights of the data by their spec: "auto", "uniform", "file", "photons:count=1e5,electronic=10", "noise", which
 * are exp(-p), those of any number of photons, or "model", which also know the error of the discrete model. */
#include <gantry/threads.h>
#include <stdio.h>
#include <gantry/data.h>
#include <gantry/grid.h>
#include <gantry/solver.h>
#include "recon/weights/photon_weights.h"

typedef enum {
	GT_WEIGHTS_AUTO, GT_WEIGHTS_UNIFORM, GT_WEIGHTS_FILE, GT_WEIGHTS_PHOTONS, GT_WEIGHTS_NOISE, GT_WEIGHTS_MODEL
} gt_weights_spec_kind;
typedef struct {
	gt_weights_spec_kind kind;
	double count;                   /* photons of a pixel without attenuation; 0: those of the projections */
	double electronic;              /* standard deviation of the electronic noise, in photons */
	double slope, even;             /* error of the model: see recon/model_weights.h; < 0: that of the voxels */
} gt_weights_spec;
/* The use of the weights. */
typedef struct {
	const gt_projections *p;
	const gt_grid *grid;            /* NULL: not known, and no weights of the model without their error */
	unsigned traits;                /* of the solver, and its name */
	const char *solver;
	gt_pool *pool;
} gt_weights_problem;
/* GT_ERR_UNKNOWN with the nearest name, GT_ERR_ARG. */
gt_status gt_weights_spec_parse(const char *spec, gt_weights_spec *w);
/* The lines of help on all kinds, or on one. */
gt_status gt_weights_spec_help(const char *name, FILE *out);
/* Returns the photons of the spec, else the photons of p, else none. */
gt_counting gt_weights_spec_counting(const gt_weights_spec *o, const gt_projections *p);
/* Weights of all pixels of p with the mean 1; *w is malloc'ed, NULL where they are uniform. auto: the file's
 * weights, else those of its photon counts, else uniform; also where the solver (its traits) does not take weights.
 * *text: what they are, malloc'ed, for the record. */
gt_status gt_weights_from_spec(const gt_weights_spec *o, const gt_weights_problem *q, float **w, char **text);

/* Computes weights of the data, proportional to the inverse variance, with the mean 1
 * (recon/weights/photon_weights.h).
 *   "auto", NULL     weights of the projections, else by their photons, else uniform
 *   "uniform", "file"
 *   "photons:count=1e5,electronic=10", "noise"
 *   "model:slope=0.03,even=0.13,count=1e5,electronic=10"
 * The variance of "model" adds the error of the discrete model: noise + (slope g)^2 + even^2 <g^2>. Here g is the
 * difference of smoothed line integrals to neighbouring pixels. *w: [view][row][column], malloc'ed, NULL if uniform.
 * *record (may be NULL): description, malloc'ed. GT_ERR_UNKNOWN, GT_ERR_ARG. */
gt_status gt_weights_new(const char *spec, const gt_projections *p, gt_pool *pool, float **w, char **record);
/* As gt_weights_new() with a grid, which may be NULL. Its voxels determine the error of "model"; without a grid the
 * keys slope and even are required. */
gt_status gt_weights_on_grid(const char *spec, const gt_projections *p, const gt_grid *grid, gt_pool *pool, float **w,
                             char **record);
#endif
