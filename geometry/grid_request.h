#ifndef GT_GEOMETRY_GRID_REQUEST_H
#define GT_GEOMETRY_GRID_REQUEST_H
/* Grids by less than all their numbers, and parts of a scan. */
#include <gantry/data.h>

/* across: voxels along x and y; voxel: mm; of what is not 0 the grid gets so many, or such ones, over the same box in
 * x and y (both: about its middle), and cubes over its height. GT_ERR_ARG: more than a grid can have. */
gt_status gt_grid_resize(size_t across, double voxel, gt_grid *grid);

/* "A", "A:B", "A:B:STEP", ":B", "::STEP": from A on, before B, every STEP-th; counted from 0, below 0 from the end.
 * one: "A" is A alone. */
typedef struct { long long first, end, step; int has_first, has_end, one; } gt_index_range;
gt_status gt_index_range_parse(const char *what, const char *text, gt_index_range *r);
/* Of n things. GT_ERR_ARG: none of them. */
gt_status gt_index_range_of(const char *what, const gt_index_range *r, size_t n, size_t *first, size_t *count, size_t *step);

/* The slices of that range alone; steps are refused. */
gt_status gt_grid_slices(const char *text, gt_grid *grid);
/* The views of that range alone: scan, data, weights, photons. */
gt_status gt_projections_views(const char *text, gt_projections *p);

#endif
