#ifndef GT_GEOMETRY_GRID_REQUEST_H
#define GT_GEOMETRY_GRID_REQUEST_H
/* Grids from partial specifications, and parts of a scan. */
#include <gantry/data.h>

/* Changes the number of voxels along x and y (across) or their size (voxel, mm), or both; 0 leaves one free. The box
 * in x and y stays, or its centre if both are set. Voxels become cubes over the same height. GT_ERR_ARG: too many
 * voxels. */
gt_status gt_grid_resize(size_t across, double voxel, gt_grid *grid);

/* "A", "A:B", "A:B:STEP", ":B", "::STEP": every STEP-th from A to B - 1, counted from 0, below 0 from the end.
 * one: "A" is A alone. */
typedef struct { long long first, end, step; int has_first, has_end, one; } gt_index_range;
gt_status gt_index_range_parse(const char *what, const char *text, gt_index_range *r);
/* Parses a range of views, "A:B" or "A:B:STEP". GT_ERR_ARG: a single number, which would select one view. */
gt_status gt_view_range_parse(const char *what, const char *text, gt_index_range *r);
/* Applies a range to n items. GT_ERR_ARG if it selects none. */
gt_status gt_index_range_of(const char *what, const gt_index_range *r, size_t n, size_t *first, size_t *count, size_t *step);

/* Restricts the grid to a range of slices without a step. */
gt_status gt_grid_slices(const char *text, gt_grid *grid);
/* Restricts projections to a range of views: scan, data, weights, photons. */
gt_status gt_projections_views(const char *text, gt_projections *p);

#endif
