#ifndef GT_RECON_PENALTY_FROM_SPEC_H
#define GT_RECON_PENALTY_FROM_SPEC_H
/* A penalty by its spec, with the strength that its spec asks for. */
#include "recon/data_weights.h"
#include <gantry/subsets.h>
#include "recon/modules.h"
#include "recon/penalty_spec.h"
#include "recon/stream/stream.h"
#include "recon/z_margin.h"

/* The problem that a penalty is for. */
typedef struct {
	const char *projector;
	const gt_grid *grid;
	const gt_projections *p;
	const gt_weights_spec *counting;    /* weights as asked for */
	const float *weights;           /* of all pixels, as the solver has them; NULL: 1 */
	const gt_subsets *subsets;      /* of the whole scan, with those weights */
	const gt_array *x;              /* where the solver starts */
	double water;                   /* mm^-1, for HU */
	const char *recorded;           /* that of the run that is continued, NULL: none. A strength found anew that is
	                                 * that one but for rounding gives way to it: devices differ in last digits */
	size_t first_slice, slices;     /* of the grid, that are not padding */
	gt_stream *stream;              /* computes for the host; NULL: x's backend does */
	const gt_recon_extent *extent;  /* its requested voxels along x and y count for the strength; NULL: all do */
} gt_penalty_problem;
/* *text: what was made, for the record; malloc'ed. The log hears what was found and chosen. */
gt_status gt_penalty_from_spec(const gt_listener *log, const gt_penalty_spec *o, const gt_penalty_problem *c, gt_penalty **R, char **text);
#endif
