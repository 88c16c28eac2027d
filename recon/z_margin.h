#ifndef GT_RECON_Z_MARGIN_H
#define GT_RECON_Z_MARGIN_H
/* Extent of an iterative reconstruction: the views that see the grid, and padding slices beyond its ends. Padding keeps
 * outside parts of the object out of the outermost slices. */
#include <gantry/array.h>
#include <gantry/data.h>
#include <gantry/message.h>
#include "geometry/projections.h"

/* auto: padding slices that rays through the object cross; yes: that any ray crosses; no: none, with a note. */
typedef enum { GT_Z_MARGIN_AUTO, GT_Z_MARGIN_YES, GT_Z_MARGIN_NO } gt_z_margin_mode;
extern const char *const gt_z_margin_names[];  /* "auto", "yes", "no", NULL */
typedef struct {
	gt_z_margin_mode mode;
	int grid_given;                 /* 1: the grid was requested; 0: made for the scan, ends with its rows */
} gt_z_margin_options;

/* The extent of a reconstruction. It points into itself: do not copy it. Nothing to free; `all` and `asked` must
 * outlive it. */
typedef struct {
	const gt_projections *all;
	const gt_grid *asked;
	gt_grid grid;                   /* `asked` with `below` slices more below it, and the rest above it */
	size_t below, first_view;
	size_t left[2];                 /* offset of `asked` in `grid` along x and y, voxels; 0 if it is narrower */
	size_t cut[2];                  /* offset of `grid` in `asked` along x and y, voxels; 0 if it is wider */
	gt_scan scan;                   /* window into the views of `all` */
	gt_projections p;               /* same window of its data */
} gt_recon_extent;
/* Finds the shortest run of views that sees the slices of the grid (gt_grid_views()); no padding. */
void gt_recon_extent_views(const gt_projections *all, const gt_grid *asked, gt_recon_extent *e);
/* Adds the padding slices, and reports them. */
void gt_recon_extent_pad(const gt_listener *log, const gt_z_margin_options *o, gt_recon_extent *e);
/* Read and write the requested voxels of x, which is on e->grid; voxels that it lacks are 0. gt_recon_extent_put()
 * keeps the surrounding voxels. */
gt_status gt_recon_extent_get(const gt_recon_extent *e, const gt_array *x, float *out);
gt_status gt_recon_extent_put(const gt_recon_extent *e, const float *in, gt_array *x);
/* Likewise one requested slice, [y][x]. */
gt_status gt_recon_extent_slice(const gt_recon_extent *e, const gt_array *x, size_t z, float *out);
/* 1: the grid is wider or narrower than the requested one, along x or y. */
int gt_recon_extent_differs(const gt_recon_extent *e);
/* Copies the outermost requested slices of x, which is on e->grid, into the padding. */
gt_status gt_recon_extent_fill_padding(const gt_recon_extent *e, gt_array *x);
/* Returns slices of x, which is on g, without a copy; x must outlive the part. */
gt_status gt_slices_part(const gt_array *x, const gt_grid *g, size_t first, size_t slices, gt_array **part);

/* Counts the padding slices below and above g that rays through the object cross. Ignores rays without attenuation and
 * ends whose next row shows none. Helices and scans without data use gt_grid_margin(). */
void gt_z_margin(const gt_projections *p, const gt_grid *g, size_t *below, size_t *above);
#endif
