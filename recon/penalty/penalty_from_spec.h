#ifndef GT_RECON_PENALTY_FROM_SPEC_H
#define GT_RECON_PENALTY_FROM_SPEC_H
/* Makes a penalty, with an automatic strength if requested, from its specification. */
#include "recon/data_weights.h"
#include <gantry/recon.h>
#include "recon/modules.h"
#include "recon/penalty/penalty_spec.h"
#include "recon/stream/stream.h"
#include "recon/z_margin.h"

/* Problem that the penalty is made for. */
typedef struct {
	const char *projector;
	const gt_grid *grid;
	const gt_projections *p;
	const gt_weights_spec *counting;    /* requested weights */
	const float *weights;           /* all pixels, as the solver has them; NULL: 1 */
	const gt_subsets *subsets;      /* whole scan, with those weights */
	const gt_array *x;              /* start of the solver */
	double water;                   /* mm^-1, for HU */
	const char *recorded;           /* penalty of the resumed run, NULL: none. Its strength is kept if the new one
					 * differs by rounding only, as on another device */
	size_t first_slice, slices;     /* slices of the grid without padding */
	gt_stream *stream;              /* computes for the host; NULL: x's backend does */
	const gt_recon_extent *extent;  /* its requested voxels along x and y count for the strength; NULL: all do */
	const gt_method *method;        /* if x is the direct method's volume; NULL: structure is ignored */
	const gt_noise_model *noise;    /* noise of p for these weights; NULL: unknown */
} gt_penalty_problem;
/* *text: the penalty as made, for the record; malloc'ed. The log reports the choices. */
gt_status gt_penalty_from_spec(const gt_listener *log, const gt_penalty_spec *o, const gt_penalty_problem *c, gt_penalty **R, char **text);
#endif
