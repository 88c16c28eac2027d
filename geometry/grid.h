#ifndef GT_GEOMETRY_GRID_H
#define GT_GEOMETRY_GRID_H
/* Ranges of grids that scans see, and coarser grids. */
#include <gantry/grid.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Returns the number of slices that do not intersect z from low to high. */
size_t    gt_grid_slices_outside(const gt_grid *g, double low, double high);
/* Returns the fraction, 0 to 1, of the box within `radius` of the planes x = 0 and y = 0, and in z from low to high. */
double    gt_grid_share_within(const gt_grid *g, double radius, double low, double high);
/* Returns the slices to add below and above a grid so that no ray within its circle leaves it through its ends.
 * Without them an iterative method would put the attenuation beyond the ends into the outermost slices. */
void      gt_grid_margin(const gt_grid *g, const gt_scan *scan, size_t *below, size_t *above);
/* Helical scans: first ... end-1 is the shortest range of views with all views whose rows intersect the slices of the
 * grid. All views for other scans, and if no view does. */
void      gt_grid_views(const gt_grid *g, const gt_scan *scan, size_t *first, size_t *end);
/* Returns a grid over the same box with at most n voxels along each axis. */
void      gt_grid_coarsen(const gt_grid *g, size_t n, gt_grid *coarse);
/* Refuses (GT_ERR_ARG) a grid that holds a source, and names the view; parallel beams have none. */
gt_status gt_grid_check_sources(const gt_grid *g, const gt_scan *scan);

#ifdef __cplusplus
}
#endif
#endif
