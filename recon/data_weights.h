#ifndef GT_RECON_DATA_WEIGHTS_H
#define GT_RECON_DATA_WEIGHTS_H
/* Weights of the data by their spec: "auto", "uniform", "file", "photons:count=1e5,electronic=10", or "noise", which are exp(-p), those of any
 * number of photons. */
#include <stdio.h>
#include <gantry/data.h>
#include <gantry/data_weights.h>
#include <gantry/solver.h>

typedef enum { GT_WEIGHTS_AUTO, GT_WEIGHTS_UNIFORM, GT_WEIGHTS_FILE, GT_WEIGHTS_PHOTONS, GT_WEIGHTS_NOISE } gt_weights_spec_kind;
typedef struct {
	gt_weights_spec_kind kind;
	double count;                   /* photons of a pixel without attenuation; 0: those of the projections */
	double electronic;              /* standard deviation of the electronic noise, in photons */
} gt_weights_spec;
/* GT_ERR_UNKNOWN with the nearest name, GT_ERR_ARG. */
gt_status gt_weights_spec_parse(const char *spec, gt_weights_spec *w);
/* The lines of help on all kinds, or on one. */
gt_status gt_weights_spec_help(const char *name, FILE *out);
/* What spec and projections say of photons: the count of the spec, else the photons of p, else nothing. */
gt_counting gt_weights_spec_counting(const gt_weights_spec *o, const gt_projections *p);
/* Weights of all pixels of p with the mean 1; *w is malloc'ed, NULL where they are uniform. auto: the file's weights, else those of its photon
 * counts, else uniform; also where the solver (its traits) does not take weights. *text: what they are, malloc'ed, for the record. */
gt_status gt_weights_from_spec(const gt_weights_spec *o, unsigned traits, const char *solver, const gt_projections *p, gt_pool *pool, float **w,
                          char **text);
#endif
