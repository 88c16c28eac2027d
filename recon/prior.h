#ifndef GT_RECON_PRIOR_H
#define GT_RECON_PRIOR_H
/* What is known beside the projections: the weights of the data and a penalty on the volume, by their texts. */
#include <gantry/penalty.h>
#include <gantry/solver.h>
#include "apps/cli/cli.h"

typedef enum { APP_WEIGHTS_AUTO, APP_WEIGHTS_UNIFORM, APP_WEIGHTS_FILE, APP_WEIGHTS_PHOTONS, APP_WEIGHTS_NOISE } app_weights_kind;
typedef struct { app_weights_kind kind; double count, electronic; } app_weights;
/* "auto", "uniform", "file", "photons:count=1e5,electronic=10", "noise" (exp(-p), photons of any number): GT_ERR_UNKNOWN with the nearest name, GT_ERR_ARG. */
gt_status app_weights_parse(const char *spec, app_weights *w);
gt_status app_weights_help(const char *name, FILE *out); /* all of them, or one */
/* Weights of all cells of p with the mean 1; *w is malloc'ed, NULL where they are uniform. auto: the file's weights, else those of its photon
 * counts, else uniform; also where the solver (its traits) does not take weights. *text: what they are, malloc'ed, for the record. */
gt_status app_weights_new(const app_weights *o, unsigned traits, const char *solver, const gt_projections *p, gt_pool *pool, float **w,
                          char **text);

/* What a penalty's text says beside what the penalty itself takes. */
typedef struct {
	char *spec;                     /* the rest, for gt_regularizer_new(); owned */
	int kappa;                      /* kappa=yes */
	int automatic;                  /* the strength is to be found: noise=10HU, strength=auto, strength=2x, or no strength at all */
	double noise;                   /* wanted, mm^-1; 0: what `factor` times the automatic strength leaves */
	double factor;
} app_penalty;
/* "huber:delta=5HU,noise=10HU,kappa=yes": GT_ERR_UNKNOWN with the nearest name, GT_ERR_ARG for what it does not take. */
gt_status app_penalty_parse(const char *text, app_penalty *p);
void app_penalty_free(app_penalty *p);
gt_status app_penalty_check(const char *text);          /* the same, without a result */
#endif
