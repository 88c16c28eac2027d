/* The grids that a region inside the object, or a grid of mostly air, is computed on. */
#include <math.h>
#include <stddef.h>
#include "recon/outside/outside.h"
#include "recon/weights/model_weights.h"

const char *const gt_outside_names[] = { "auto", "subtract", "grid", "no", "air", NULL };

/* Voxels around the region if the rest is subtracted: the edge of the subtracted object blurs over some of them. */
enum { SUBTRACT_MARGIN = 4 };
/* Voxels of air around the object if the others are not computed: neighbours of a penalty at the object's edge. */
enum { AIR_MARGIN = 2 };
/* Sides may miss the box by this fraction of a voxel. */
#define ROUNDING 1e-6

/* The object reaches beyond a side if it does by this fraction of a voxel. */
#define MIN_BEYOND 0.25

static double low_of(const gt_grid *g, int a) { return g->center[a] - (double)g->n[a] * g->pitch[a] / 2; }

/* Number of voxels of this pitch from one position to another; 0 if that is backwards. */
static size_t voxels_between(double from, double to, double pitch)
{
	const double n = ceil((to - from) / pitch - ROUNDING);
	return n > 0 ? (size_t)n : 0;
}

static void widen(gt_grid *g, int a, size_t low, size_t high)
{
	g->n[a] += low + high;
	g->center[a] += ((double)high - (double)low) / 2 * g->pitch[a];
}

/* Number of voxels in one pixel at the axis, at least 1; finer voxels do not improve the outside. */
static void voxels_in_pixel(const gt_scan *scan, const gt_grid *grid, size_t n[3])
{
	gt_grid at_axis = *grid;
	double shadow[2] = { 1, 1 };
	at_axis.center[0] = at_axis.center[1] = 0;
	gt_voxel_shadow(scan, &at_axis, shadow);
	for (int a = 0; a < 3; a++) {
		const double width = shadow[a == 2];
		n[a] = width > 0 && width < 0.5 ? (size_t)floor(1 / width + ROUNDING) : 1;
	}
}

/* Voxels to add before and after the region along x and y. */
static void sides(const gt_outside *o, const gt_scan *scan, const gt_grid *asked, size_t low[2], size_t high[2])
{
	size_t factor[3];
	voxels_in_pixel(scan, asked, factor);
	for (int a = 0; a < 2; a++) {
		const double first = low_of(asked, a), last = first + (double)asked->n[a] * asked->pitch[a];
		const size_t odd = (asked->n[a] + 2 * SUBTRACT_MARGIN) % factor[a];
		low[a] = high[a] = 0;
		if (o->mode == GT_OUTSIDE_GRID) {
			low[a] = voxels_between(o->box.low[a], first, asked->pitch[a]);
			high[a] = voxels_between(last, o->box.high[a], asked->pitch[a]);
		} else if (o->mode == GT_OUTSIDE_SUBTRACT) {
			low[a] = SUBTRACT_MARGIN;
			high[a] = SUBTRACT_MARGIN + (odd ? factor[a] - odd : 0);
		}
	}
}

int gt_outside_ends_inside(const gt_object_box *b, const gt_grid *g)
{
	int is = 0;
	for (int a = 0; a < 2; a++) {
		const double half = ((double)g->n[a] / 2 + MIN_BEYOND) * g->pitch[a];
		is |= b->inner_low[a] < g->center[a] - half || b->inner_high[a] > g->center[a] + half;
	}
	return is;
}

int gt_outside_is_active(const gt_outside *o) { return o->mode != GT_OUTSIDE_AUTO && o->mode != GT_OUTSIDE_NO; }

/* Cuts the grid to the object along axis a; returns the number of voxels before it. The whole axis stays if none of its
 * voxels is near the object. */
static size_t cut(const gt_object_box *box, int a, gt_grid *g)
{
	const double low = low_of(g, a), n = (double)g->n[a];
	const double first = fmax(0, floor((box->low[a] - low) / g->pitch[a]) - AIR_MARGIN);
	const double end = fmin(n, ceil((box->high[a] - low) / g->pitch[a]) + AIR_MARGIN);
	if (!(end > first))
		return 0;
	g->n[a] = (size_t)(end - first);
	g->center[a] += (first - (n - end)) / 2 * g->pitch[a];
	return (size_t)first;
}

void gt_outside_extent(const gt_outside *o, const gt_projections *all, const gt_grid *asked, gt_recon_extent *e)
{
	size_t low[2] = { 0, 0 }, high[2] = { 0, 0 }, before[2] = { 0, 0 };
	gt_grid computed = *asked;
	if (gt_outside_is_active(o))
		sides(o, all->scan, asked, low, high);
	for (int a = 0; a < 2; a++) {
		widen(&computed, a, low[a], high[a]);
		before[a] = o->mode == GT_OUTSIDE_AIR ? cut(&o->box, a, &computed) : 0;
	}
	gt_recon_extent_views(all, &computed, e);
	e->asked = asked;
	for (int a = 0; a < 2; a++) {
		e->left[a] = low[a];
		e->cut[a] = before[a];
	}
}

void gt_outside_coarse_grid(const gt_outside *o, const gt_z_margin_options *margin, const gt_recon_extent *e, gt_grid *coarse)
{
	const gt_listener silent = { NULL, NULL };
	const gt_outside widened = { GT_OUTSIDE_GRID, o->box };
	gt_recon_extent all;
	size_t factor[3];
	voxels_in_pixel(e->all->scan, e->asked, factor);
	gt_outside_extent(&widened, e->all, e->asked, &all);
	gt_recon_extent_pad(&silent, margin, &all);
	*coarse = e->grid;
	for (int a = 0; a < 2; a++) {
		const double first = low_of(&e->grid, a), last = first + (double)e->grid.n[a] * e->grid.pitch[a];
		coarse->n[a] /= factor[a];
		coarse->pitch[a] *= (double)factor[a];
		widen(coarse, a, voxels_between(o->box.low[a], first, coarse->pitch[a]),
		      voxels_between(last, o->box.high[a], coarse->pitch[a]));
	}
	coarse->pitch[2] *= (double)factor[2];
	coarse->center[2] = all.grid.center[2];
	coarse->n[2] = (all.grid.n[2] + factor[2] - 1) / factor[2];
}
