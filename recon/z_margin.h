#ifndef GT_RECON_Z_MARGIN_H
#define GT_RECON_Z_MARGIN_H
/* What an iterative reconstruction of a grid computes with: the views that see the grid, and padding slices beyond
 * its ends where the object goes on, so that what lies there is not pressed into the outermost slices. */
#include <gantry/array.h>
#include <gantry/data.h>
#include <gantry/message.h>
#include "geometry/projections.h"

/* auto: padding slices where rays through the object go on; yes: where any ray does; no: none, and a remark. */
typedef enum { GT_Z_MARGIN_AUTO, GT_Z_MARGIN_YES, GT_Z_MARGIN_NO } gt_z_margin_mode;
extern const char *const gt_z_margin_names[];  /* "auto", "yes", "no", NULL */
typedef struct {
	gt_z_margin_mode mode;
	int grid_given;                 /* 1: the grid was asked for; 0: it was made for the scan, and ends where the rows do */
} gt_z_margin_options;

/* The extent of a reconstruction. It points into itself: do not copy it. Nothing to free; `all` and `asked` must
 * outlive it. */
typedef struct {
	const gt_projections *all;
	const gt_grid *asked;
	gt_grid grid;                   /* `asked` with `below` slices more below it, and as many above as it is larger beyond that */
	size_t below, first_view;
	size_t left[2];                 /* voxels of `grid` before those of `asked`, along x and y */
	gt_scan scan;                   /* a window into the views of `all` */
	gt_projections p;               /* the same window of its data */
} gt_recon_extent;
/* The shortest run of views that sees the slices of the grid (gt_grid_views()); no padding. */
void gt_recon_extent_views(const gt_projections *all, const gt_grid *asked, gt_recon_extent *e);
/* Adds the padding slices, and says so. */
void gt_recon_extent_pad(const gt_listener *log, const gt_z_margin_options *o, gt_recon_extent *e);
/* Reads the asked voxels of x, which is on e->grid, and writes them; the voxels around them stay. */
gt_status gt_recon_extent_get(const gt_recon_extent *e, const gt_array *x, float *out);
gt_status gt_recon_extent_put(const gt_recon_extent *e, const float *in, gt_array *x);
/* 1: the grid is wider than the requested one, along x or y. */
int gt_recon_extent_is_wider(const gt_recon_extent *e);
/* Repeats the outermost of the asked slices of x, which is on e->grid, below and above them. */
gt_status gt_recon_extent_fill_padding(const gt_recon_extent *e, gt_array *x);
/* Slices of x, which is on g, without a copy; x must outlive the part. */
gt_status gt_slices_part(const gt_array *x, const gt_grid *g, size_t first, size_t slices, gt_array **part);

/* Counts the padding slices below and above g that rays through the object cross. Ignores rays without attenuation and
 * ends whose next row shows none. Helices and scans without data use gt_grid_margin(). */
void gt_z_margin(const gt_projections *p, const gt_grid *g, size_t *below, size_t *above);
#endif
