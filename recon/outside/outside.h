#ifndef GT_RECON_OUTSIDE_H
#define GT_RECON_OUTSIDE_H
/* Grids that end inside the object across the axis, or far outside it. An iterative method would assign the attenuation
 * outside the grid to voxels inside it. docs/commands.md, "Regions inside the object". */
#include "recon/outside/object_box.h"
#include "recon/z_margin.h"

/* Modes. Subtract: an analytic method reconstructs the object outside the grid; its projections are subtracted from the
 * data. Grid: the grid is widened to the object, computed, and cropped. Air: it is cut to the object, and voxels beyond
 * are 0. No: none of them. A chosen mode is never auto. */
typedef enum { GT_OUTSIDE_AUTO, GT_OUTSIDE_SUBTRACT, GT_OUTSIDE_GRID, GT_OUTSIDE_NO, GT_OUTSIDE_AIR } gt_outside_mode;
extern const char *const gt_outside_names[];   /* "auto", "subtract", "grid", "no", "air", NULL */
typedef struct {
	gt_outside_mode mode;           /* auto: nothing was chosen, as no */
	gt_object_box box;
} gt_outside;

/* 1: the mode is subtract, grid or air: the computed grid differs from the requested one. */
int gt_outside_is_active(const gt_outside *o);
/* 1: the object reaches beyond a side of the grid. */
int gt_outside_ends_inside(const gt_object_box *box, const gt_grid *grid);
/* The views that see the grid widened or cut as the mode needs, and that grid; no padding slices yet. */
void gt_outside_extent(const gt_outside *o, const gt_projections *all, const gt_grid *asked, gt_recon_extent *e);
/* The grid of the analytic method for an extent of mode subtract. It holds the object's box. Its voxels are multiples
 * of the extent's voxels, and edges coincide along x and y. */
void gt_outside_coarse_grid(const gt_outside *o, const gt_z_margin_options *margin, const gt_recon_extent *e, gt_grid *coarse);
#endif
