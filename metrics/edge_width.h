#ifndef GT_METRICS_EDGE_WIDTH_H
#define GT_METRICS_EDGE_WIDTH_H
/* Widths of edges of spheres. */
#include <stddef.h>
#include <gantry/grid.h>

/* Fits an error function to the edge of a sphere by least squares. It uses all voxels within `reach` of the surface,
 * in 256 bins of distance. */
typedef struct { double center[3], radius, reach; } gt_edge_sphere;                /* mm */
/* Part of the surface: all; normal within 30 degrees of the x-y plane; normal within 40 degrees of the z axis. */
typedef enum { GT_EDGE_ALL, GT_EDGE_IN_PLANE, GT_EDGE_AXIAL } gt_edge_part;
typedef struct {
	double width;                   /* 10 to 90 % of the step, mm; NAN: below 100 voxels, or wider than `reach` */
	double inside, outside;         /* values on both sides, in the unit of the volume; NAN: too few voxels */
} gt_edge;
/* volume: volumes on one grid, which are evaluated together. */
void gt_edge_width(const gt_grid *grid, const float *const *volume, size_t volumes, const gt_edge_sphere *sphere, gt_edge_part part,
                   gt_edge *edge);
#endif
