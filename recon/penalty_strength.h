#ifndef GT_RECON_PENALTY_STRENGTH_H
#define GT_RECON_PENALTY_STRENGTH_H
/* The strength of a penalty that leaves a wanted noise in the volume, from the noise of the data and the scan's geometry:
 * docs/regularizers.md, "Strength from the noise". */
#include <gantry/message.h>
#include <gantry/subsets.h>
#include "recon/method.h"
#include "recon/noise_estimate.h"

/* The problem that a penalty is for. */
typedef struct {
	const char *projector;
	const gt_grid *grid;
	const gt_projections *p;
	const gt_weights_spec *counting;    /* --weights as asked for */
	const float *weights;           /* of all cells, as the solver has them; NULL: 1 */
	const gt_subsets *subsets;     /* of the whole scan, with those weights */
	const gt_array *x;              /* where the solver starts */
	double water;                   /* mm^-1, for HU */
	const char *recorded;           /* that of the run that is continued, NULL: none. A strength found anew that is that one but for rounding
	                                 * gives way to it: devices differ in their last digits */
} gt_strength_problem;
/* *text: what was made, for the record; malloc'ed. What was found and chosen goes to stderr. */
gt_status gt_penalty_from_spec(const gt_listener *log, const gt_penalty_spec *o, const gt_strength_problem *c, gt_penalty **R, char **text);
#endif
