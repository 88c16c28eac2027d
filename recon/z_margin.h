#ifndef GT_RECON_Z_MARGIN_H
#define GT_RECON_Z_MARGIN_H
/* Slices that an iterative method computes beyond the ends of the grid, since rays go on there, and the views that see them. */
#include <gantry/array.h>
#include <gantry/data.h>
#include <gantry/message.h>

typedef enum { GT_MARGIN_AUTO, GT_MARGIN_YES, GT_MARGIN_NO } gt_margin_mode;
extern const char *const gt_margin_names[];     /* "auto", "yes", "no", NULL */
typedef struct {
	gt_margin_mode mode;
	int iterates;                   /* 0: a direct method, which needs no margin */
	int grid_is_given;              /* 1: someone asked for the grid, so that the body may go on beyond it */
} gt_margin_question;

/* What a run computes with: `below` slices more than were asked for, and a margin above; the views that see those that were, as a window into
 * all of them. It points into itself: do not copy it. Nothing to free. */
typedef struct {
	const gt_projections *all;
	const gt_grid *asked;
	gt_grid grid;
	size_t below, first_view;
	gt_scan scan;
	gt_projections p;
} gt_recon_extent;
void gt_recon_window(const gt_projections *all, const gt_grid *asked, gt_recon_extent *w);     /* without a margin */
void gt_recon_extent_find(const gt_listener *log, const gt_margin_question *q, const gt_projections *all, const gt_grid *asked,
                          gt_recon_extent *w);
/* Slices of x, which is on g. */
gt_status gt_recon_slices(const gt_array *x, const gt_grid *g, size_t first, size_t slices, gt_array **part);
/* Repeats the outermost of the asked slices below and above them. */
gt_status gt_recon_fill_margin(gt_array *x, const gt_recon_extent *w);
#endif
