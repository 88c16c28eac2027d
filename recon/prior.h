#ifndef GT_RECON_PRIOR_H
#define GT_RECON_PRIOR_H
/* What is known beside the projections: the weights of the data and a penalty on the volume, by their texts. */
#include <gantry/penalty.h>
#include <gantry/solver.h>
#include <gantry/io.h>
#include <gantry/message.h>

typedef enum { GT_WEIGHTS_AUTO, GT_WEIGHTS_UNIFORM, GT_WEIGHTS_FILE, GT_WEIGHTS_PHOTONS, GT_WEIGHTS_NOISE } gt_weights_spec_kind;
typedef struct { gt_weights_spec_kind kind; double count, electronic; } gt_weights_spec;
/* "auto", "uniform", "file", "photons:count=1e5,electronic=10", "noise" (exp(-p), photons of any number): GT_ERR_UNKNOWN with the nearest name, GT_ERR_ARG. */
gt_status gt_weights_spec_parse(const char *spec, gt_weights_spec *w);
gt_status gt_weights_spec_help(const char *name, FILE *out); /* all of them, or one */
/* Weights of all cells of p with the mean 1; *w is malloc'ed, NULL where they are uniform. auto: the file's weights, else those of its photon
 * counts, else uniform; also where the solver (its traits) does not take weights. *text: what they are, malloc'ed, for the record. */
gt_status gt_weights_from_spec(const gt_weights_spec *o, unsigned traits, const char *solver, const gt_projections *p, gt_pool *pool, float **w,
                          char **text);

/* What a penalty's text says beside what the penalty itself takes. */
typedef struct {
	char *spec;                     /* the rest, for gt_regularizer_new(); owned */
	int kappa;                      /* kappa=yes */
	int automatic;                  /* the strength is to be found: noise=10HU, strength=auto, strength=2x, or no strength at all */
	double noise;                   /* wanted, mm^-1; 0: what `factor` times the automatic strength leaves */
	double factor;
} gt_penalty_spec;
/* "huber:delta=5HU,noise=10HU,kappa=yes": GT_ERR_UNKNOWN with the nearest name, GT_ERR_ARG for what it does not take. */
gt_status gt_penalty_spec_parse(const char *text, gt_penalty_spec *p);
void gt_penalty_spec_free(gt_penalty_spec *p);
gt_status gt_penalty_spec_check(const char *text);          /* the same, without a result */
#endif
