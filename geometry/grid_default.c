/* Default grid of a scan: the field of view in pixels at the axis. */
#include <math.h>
#include <gantry/author/scan_math.h>
#include <gantry/grid.h>
#include "core/arguments.h"
#include "geometry/laminography.h"

static double significant(double x, int digit)
{
	const double unit = pow(10, floor(log10(x)) - (digit - 1));
	/* Dividing by a power of ten, instead of multiplying by its inverse, keeps 0.625 exact. */
	return unit < 1 ? round(x / unit) / round(1 / unit) : round(x / unit) * unit;
}

/* Returns the size (mm) of a pixel at the axis, along rows and columns. */
static void cell_at_axis(const gt_scan *scan, size_t view, double z, double *column_mm, double *row_mm)
{
	const gt_detector d = gt_scan_detector(scan);
	const gt_view *w = &scan->view[view];
	const double step = 1e-3 * scan->column_pitch, axis[3] = { 0, 0, z };
	double mm[2] = { scan->column_pitch, scan->row_pitch };
	for (int along = 0; along < 2; along++) {
		const double *unit = along ? w->row_axis : w->column_axis;
		double x[2][3], cell[2][2];
		for (int side = 0; side < 2; side++)
			for (int a = 0; a < 3; a++)
				x[side][a] = axis[a] + (side - 0.5) * step * unit[a];
		const int seen = gt_point_pixel(&d, w, x[0], &cell[0][0], &cell[0][1]) &&
		                 gt_point_pixel(&d, w, x[1], &cell[1][0], &cell[1][1]);
		const double cells = fabs(cell[1][along] - cell[0][along]);
		if (seen && cells > 0)
			mm[along] = step / cells;
	}
	*column_mm = mm[0];
	*row_mm = mm[1];
}

static size_t size_of(double voxels) { return (size_t)fmin(fmax(1, voxels), 1e18); }
/* Rounds up to an even number of voxels, with a tolerance of 0.01. */
static size_t even_size(double extent, double pitch) { return 2 * size_of(ceil((extent / pitch - 0.01) / 2)); }

/* Isotropic voxels of a pixel at the axis, across the field of view and between the faces of the plate. */
static void set_plate(const gt_scan *scan, double radius, double height, double across, gt_grid *g)
{
	for (int a = 0; a < 3; a++)
		g->pitch[a] = scan->shape == GT_PARALLEL ? scan->column_pitch : significant(across, 3);
	g->n[0] = g->n[1] = even_size(2 * radius, g->pitch[0]);
	g->n[2] = even_size(height, g->pitch[2]);
}

static void set_cylinder(const gt_scan *scan, double radius, double height, double across, double along, gt_grid *g)
{
	const int by_row = scan->rows == 1 || scan->shape == GT_PARALLEL;
	const double xy = scan->shape == GT_PARALLEL ? scan->column_pitch : significant(across, 3);
	for (int a = 0; a < 2; a++) {
		g->pitch[a] = xy;
		g->n[a] = scan->shape == GT_PARALLEL ? size_of(round(2 * radius / xy)) : even_size(2 * radius, xy);
	}
	g->pitch[2] = significant(along, by_row ? 9 : 3);
	g->n[2] = by_row ? size_of(round(height / along)) : even_size(height, g->pitch[2]);
}

gt_status gt_grid_default(const gt_scan *scan, gt_grid *grid)
{
	GT_NEED(scan);
	GT_NEED(grid);
	double low, high, across, along;
	const double radius = gt_scan_field_of_view(scan, &low, &high);
	gt_status st = gt_scan_check_plate(scan);
	if (st != GT_OK)
		return st;
	if (!(radius > 0))
		return gt_fail(GT_ERR_UNSUPPORTED,
		               "no default grid: the z axis is not in the fan of every view; expected a grid to be given");
	if (!(high > low))
		return gt_fail(GT_ERR_UNSUPPORTED,
		               "no default grid: no part of the z axis is seen by every view; expected a grid to be given");
	gt_grid g = { .center = { 0, 0, (low + high) / 2 } };
	const size_t middle = scan->views / 2;
	const int plate = gt_scan_is_laminography(scan);
	cell_at_axis(scan, middle, plate ? gt_scan_axis_height(scan, middle) : scan->view[middle].source[2], &across, &along);
	if (plate)
		set_plate(scan, radius, high - low, across, &g);
	else
		set_cylinder(scan, radius, high - low, across, along, &g);
	st = gt_fail_in(gt_grid_check(&g, scan), "default grid of the scan");
	if (st == GT_OK)
		*grid = g;
	return st;
}
