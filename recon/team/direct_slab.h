#ifndef GT_RECON_TEAM_DIRECT_SLAB_H
#define GT_RECON_TEAM_DIRECT_SLAB_H
/* Slices of a volume by an analytic method, from projections in memory. The rows of each view that see the slices are
 * uploaded in batches, during filtering and backprojection of the previous batch. */
#include <gantry/analytic.h>
#include "team/team.h"

/* data: [view][row][column]. */
typedef struct {
	const gt_analytic *method;
	const void *options;
	const gt_grid *grid;
	const gt_scan *scan;
	const float *data;
} gt_direct_case;

/* x: array of these slices of the grid. out: receives the slices if their download during the computation is faster;
 * then *is_out is set to 1. NULL: the caller downloads x. GT_ERR_UNSUPPORTED: the method does not support slabs. */
gt_status gt_direct_slab(const gt_direct_case *c, gt_range slices, gt_array *x, float *out, int *is_out);
#endif
