#ifndef GT_RECON_DATA_WEIGHTS_H
#define GT_RECON_DATA_WEIGHTS_H
/* Weights of the data by their spec: "auto", "uniform", "file", "photons:count=1e5,electronic=10", "noise", which
 * are exp(-p), those of any number of photons, or "model", which also know the error of the discrete model. */
#include <stdio.h>
#include <gantry/data.h>
#include <gantry/data_weights.h>
#include <gantry/grid.h>
#include <gantry/solver.h>

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
	int is_estimate;                /* 1: *w has the size of the weights and no values */
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
#endif
