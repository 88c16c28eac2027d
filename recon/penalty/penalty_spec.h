#ifndef GT_RECON_PENALTY_SPEC_H
#define GT_RECON_PENALTY_SPEC_H
/* Specification of a penalty: the engine's keys, and the regularizer's own parameters. */
#include <gantry/status.h>

typedef enum { GT_KAPPA_NONE, GT_KAPPA_RESOLUTION, GT_KAPPA_NOISE } gt_kappa; /* kappa=no, yes, noise */
typedef struct {
	char *spec;                     /* the regularizer and its own parameters, for gt_regularizer_new(); owned */
	gt_kappa kappa;                 /* purpose of kappa */
	int automatic;                  /* 1: find it: noise=10HU, strength=auto, strength=2x, or no strength */
	double noise;                   /* target, mm^-1; 0: the noise with `factor` times the automatic strength */
	int noise_in_hu;                /* 1: given in HU, here of water of GT_MU_WATER */
	double factor;                  /* on the automatic strength, 1e-6 to 1e6 */
	char *edges;                    /* key of a threshold given as auto (c=auto), not in spec; owned; NULL: none */
} gt_penalty_spec;
/* Parses "huber:delta=5HU,noise=10HU,kappa=yes". GT_ERR_UNKNOWN with the nearest name, GT_ERR_ARG for an unknown
 * parameter; p is then empty. */
gt_status gt_penalty_spec_parse(const char *text, gt_penalty_spec *p);
void gt_penalty_spec_free(gt_penalty_spec *p);
/* 1: a parameter of the regularizer names a file of a volume on the grid. */
int gt_penalty_has_file(const char *spec);
/* The same check, without a result. */
gt_status gt_penalty_spec_check(const char *text);
#endif
