#ifndef GT_RECON_OUTSIDE_H
#define GT_RECON_OUTSIDE_H
/* Grids that end inside the object across the axis: an iterative method would assign what lies beside the grid to voxels
 * inside it. docs/commands.md, "Regions inside the object". */
#include "recon/outside/object_box.h"
#include "recon/z_margin.h"

/* subtract: an analytic method reconstructs the object beside the grid, and its projections are subtracted from the data;
 * grid: the grid is widened to the object, computed, and cut; no: neither. Once chosen, a mode is never auto. */
typedef enum { GT_OUTSIDE_AUTO, GT_OUTSIDE_SUBTRACT, GT_OUTSIDE_GRID, GT_OUTSIDE_NO } gt_outside_mode;
extern const char *const gt_outside_names[];   /* "auto", "subtract", "grid", "no", NULL */
typedef struct {
	gt_outside_mode mode;           /* auto: nothing was chosen, as no */
	gt_object_box box;
} gt_outside;

/* 1: the mode is subtract or grid. */
int gt_outside_is_active(const gt_outside *o);
/* The views that see the grid widened as the mode needs, and that grid; no padding slices yet. */
void gt_outside_extent(const gt_outside *o, const gt_projections *all, const gt_grid *asked, gt_recon_extent *e);
/* The grid of the analytic method for an extent of mode subtract: the object's box, with voxels of whole numbers of those of
 * the extent, whose edges are on those of the extent's along x and y. */
void gt_outside_coarse_grid(const gt_outside *o, const gt_z_margin_options *margin, const gt_recon_extent *e, gt_grid *coarse);
#endif
