/* Bodies longer than the volume: what an iterative method computes beyond its ends, and the views that it needs for that. */
#include "apps/recon.h"

const char *const recon_margins[] = { "auto", "yes", "no", NULL };
enum { MARGIN_AUTO, MARGIN_YES, MARGIN_NO };

void recon_window_of(const gt_projections *all, const gt_grid *asked, recon_ground *w)
{
	size_t end;
	*w = (recon_ground){ .all = all, .asked = asked, .grid = *asked, .scan = *all->scan, .p = *all };
	gt_grid_views(asked, all->scan, &w->first_view, &end);
	const size_t skip = w->first_view * all->scan->rows * all->scan->columns;
	w->scan.view += w->first_view;
	w->scan.views = end - w->first_view;
	w->p.scan = &w->scan;
	w->p.data = all->data ? all->data + skip : NULL;
	w->p.weight = all->weight ? all->weight + skip : NULL;
	w->p.photons = all->photons ? all->photons + skip : NULL;
}

/* A grid that was asked for is kept where every view sees the same of it; on a helix, rays through its ends that come from other turns would
 * put there what lies beyond. */
static int wanted(const recon_options *o, const gt_scan *scan)
{
	const int given = o->grid || o->like || recon_starts_from_file(o->init);
	return o->margin == MARGIN_YES || (o->margin == MARGIN_AUTO && (!given || gt_scan_is_helical(scan)));
}

void recon_ground_of(const cli_call *call, const recon_options *o, const app_method *m, const gt_projections *all, const gt_grid *asked,
                     recon_ground *w)
{
	size_t below, above;
	recon_window_of(all, asked, w);
	if (m->analytic)
		return;
	if (w->scan.views < all->scan->views)
		cli_note(call, "views %zu to %zu of %zu see these slices", w->first_view, w->first_view + w->scan.views - 1,
		         all->scan->views);
	gt_grid_margin(asked, &w->scan, &below, &above);
	if (below + above == 0)
		return;
	if (!wanted(o, all->scan)) {
		cli_note(call,
		         "rays leave the grid at its ends: where the body goes on there, what %zu slice%s below and %zu above would hold "
		         "falls into the outermost ones (--margin yes computes them too)",
		         below, below == 1 ? "" : "s", above);
		return;
	}
	w->below = below;
	w->grid.n[2] += below + above;
	w->grid.center[2] += ((double)above - (double)below) / 2 * w->grid.pitch[2];
	cli_note(call, "%zu slice%s below and %zu above are computed too, where rays go on, and not written", below, below == 1 ? "" : "s",
	         above);
}

gt_status recon_part(const gt_array *x, const gt_grid *g, size_t first, size_t slices, gt_array **part)
{
	const size_t slice = g->n[0] * g->n[1];
	return gt_array_part(x, first * slice, slices * slice, part);
}

static gt_status repeat(const gt_array *model, gt_array *x, const gt_grid *g, size_t first, size_t end)
{
	gt_status st = GT_OK;
	for (size_t k = first; k < end && st == GT_OK; k++) {
		gt_array *slice;
		st = recon_part(x, g, k, 1, &slice);
		if (st != GT_OK)
			break;
		gt_copy(model, slice);
		gt_array_free(slice);
	}
	return st;
}

gt_status recon_fill_margin(gt_array *x, const recon_ground *w)
{
	const size_t end = w->below + w->asked->n[2];
	gt_array *lowest = NULL, *highest = NULL;
	gt_status st = GT_OK;
	GT_TRY(recon_part(x, &w->grid, w->below, 1, &lowest));
	GT_TRY(recon_part(x, &w->grid, end - 1, 1, &highest));
	GT_TRY(repeat(lowest, x, &w->grid, 0, w->below));
	GT_TRY(repeat(highest, x, &w->grid, end, w->grid.n[2]));
done:
	gt_array_free(lowest);
	gt_array_free(highest);
	return st;
}
