#ifndef GT_GEOMETRY_GRID_VOXELS_H
#define GT_GEOMETRY_GRID_VOXELS_H
#include "geometry/grid.h"
#include <gantry/scan.h>

/* GT_ERR_ARG if voxels are smaller than 1e-4 of a pixel at the axis, or contain a source. */
gt_status gt_grid_check_voxels(const gt_grid *g, const gt_scan *scan);
#endif
