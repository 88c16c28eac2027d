/* Voxels must not be too small for the pixels that see them, and no source among them. */
#include <math.h>
#include "geometry/grid_voxels.h"

/* Of a pixel at the axis; smaller voxels are lost in the rounding of rays, and projectors see nothing of them. */
#define LEAST_VOXEL 1e-4

gt_status gt_grid_check_voxels(const gt_grid *g, const gt_scan *scan)
{
	const double scale = scan->source_to_axis > 0 && scan->source_to_detector > 0 ? scan->source_to_axis / scan->source_to_detector : 1;
	const double least = LEAST_VOXEL * scale * fmin(scan->column_pitch, scan->row_pitch);
	for (int a = 0; a < 3; a++)
		if (g->pitch[a] < least)
			return gt_fail(GT_ERR_ARG,
			               "grid has a pitch of %g mm along %c, for pixels of %g x %g mm at the axis: expected at least %g",
			               g->pitch[a], "xyz"[a], scale * scan -> column_pitch, scale * scan -> row_pitch, least);
	return gt_grid_check_sources(g, scan);
}
