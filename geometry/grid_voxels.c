/* Checks that voxels are not too small for the pixels, and that no source is inside the grid. */
#include <math.h>
#include "geometry/grid.h"
#include "geometry/grid_voxels.h"

/* Minimum voxel size relative to a pixel at the axis; rounding of the rays loses smaller voxels. */
#define MIN_VOXEL 1e-4

gt_status gt_grid_check_voxels(const gt_grid *g, const gt_scan *scan)
{
	const double scale = scan->source_to_axis > 0 && scan->source_to_detector > 0 ? scan->source_to_axis / scan->source_to_detector : 1;
	const double min = MIN_VOXEL * scale * fmin(scan->column_pitch, scan->row_pitch);
	for (int a = 0; a < 3; a++)
		if (g->pitch[a] < min)
			return gt_fail(GT_ERR_ARG,
			               "grid has a pitch of %g mm along %c, for pixels of %g x %g mm at the axis: expected at least %g",
			               g->pitch[a], "xyz"[a], scale * scan -> column_pitch, scale * scan -> row_pitch, min);
	return gt_grid_check_sources(g, scan);
}

int gt_grid_same(const gt_grid *a, const gt_grid *b)
{
	for (int i = 0; i < 3; i++) {
		const double max = 1e-3 * b->pitch[i];
		if (a->n[i] != b->n[i] || !(fabs(a->center[i] - b->center[i]) <= max) ||
		    !(fabs(a->pitch[i] - b->pitch[i]) * (double)a->n[i] <= max))
			return 0;
	}
	return 1;
}

void gt_grid_coarsen(const gt_grid *g, size_t n, gt_grid *coarse)
{
	gt_grid c = *g;
	for (int a = 0; a < 3; a++) {
		c.n[a] = g->n[a] < n ? g->n[a] : n ? n : 1;
		c.pitch[a] = g->pitch[a] * (double)g->n[a] / (double)c.n[a];
	}
	*coarse = c;
}
