#ifndef GT_RECON_PENALTY_SPEC_H
#define GT_RECON_PENALTY_SPEC_H
/* A penalty by its spec, and what the spec says beside what the regularizer itself takes. */
#include <gantry/status.h>

typedef enum { GT_KAPPA_NONE, GT_KAPPA_RESOLUTION, GT_KAPPA_NOISE } gt_kappa; /* kappa=no, yes, noise */
typedef struct {
	char *spec;                     /* the regularizer and its own parameters, for gt_regularizer_new(); owned */
	gt_kappa kappa;                 /* what the penalty is weighted for */
	int automatic;                  /* 1: the strength is to be found: noise=10HU, strength=auto, strength=2x, or no strength at all */
	double noise;                   /* wanted, mm^-1; 0: what `factor` times the automatic strength leaves */
	int noise_in_hu;                /* 1: it was given in HU, here of water of GT_MU_WATER */
	double factor;                  /* on the strength that is found, 1e-6 to 1e6 */
} gt_penalty_spec;
/* "huber:delta=5HU,noise=10HU,kappa=yes": GT_ERR_UNKNOWN with the nearest name, GT_ERR_ARG for what it does not
 * take; p is empty then. */
gt_status gt_penalty_spec_parse(const char *text, gt_penalty_spec *p);
void gt_penalty_spec_free(gt_penalty_spec *p);
/* 1: a parameter of the regularizer names a file of a volume on the grid. */
int gt_penalty_has_file(const char *spec);
/* The same check, without a result. */
gt_status gt_penalty_spec_check(const char *text);
#endif
