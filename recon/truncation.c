/* Remarks on what a scan does not cover, or a grid does not hold. */
#include <math.h>
#include <gantry/recon.h>
#include <gantry/scan_math.h>
#include "core/log.h"
#include "geometry/projections.h"
#include "recon/truncation.h"

void gt_note_slices(const gt_listener *log, const gt_grid *grid, const gt_scan *scan)
{
	double low, high;
	gt_scan_field_of_view(scan, &low, &high);
	/* Rows that are not along z cover no range of it. */
	const size_t outside = gt_scan_rows_along_z(scan, "") == GT_OK && high > low ? gt_grid_slices_outside(grid, low, high) : 0;
	if (outside)
		gt_say(log, GT_WARNING, GT_ABOUT_GEOMETRY,
		       "%zu of %zu slice%s %s outside z %.4g to %.4g mm that the scan covers: what %s was not measured", outside,
		       grid->n[2], grid->n[2] == 1 ? "" : "s", outside == 1 ? "lies" : "lie", low, high,
		       outside == 1 ? "it shows" : "they show");
}

/* Of what the cells hold whose rays pass the grid by at its sides, the mean, over the largest of all; every few views, columns and rows. */
static double beside(const gt_grid *g, const gt_projections *p)
{
	const gt_scan *scan = p->scan;
	const gt_detector d = gt_scan_detector(scan);
	const size_t views = 1 + scan->views / 90, rows = 1 + scan->rows / 8;
	double sum = 0, most = 0, count = 0;
	for (size_t v = 0; v < scan->views; v += views)
		for (size_t row = 0; row < scan->rows; row += rows)
			for (size_t column = 0; column < scan->columns; column++) {
				double point[3], to[3], from = -INFINITY, end = INFINITY;
				const double value = p->data[(v * scan->rows + row) * scan->columns + column];
				gt_pixel_ray(&d, &scan->view[v], (double)column, (double)row, point, to);
				for (int a = 0; a < 2; a++) {
					const double half = (double)g->n[a] * g->pitch[a] / 2, middle = g->center[a] - point[a];
					if (fabs(to[a]) < 1e-12) {
						end = fabs(middle) < half ? end : -INFINITY;
						continue;
					}
					from = fmax(from, (middle - copysign(half, to[a])) / to[a]);
					end = fmin(end, (middle + copysign(half, to[a])) / to[a]);
				}
				most = fmax(most, value);
				sum += from < end ? 0 : value;
				count += !(from < end);
			}
	return most > 0 && count > 0 ? sum / count / most : 0;
}

void gt_note_sides(const gt_listener *log, const gt_grid *grid, const gt_projections *p)
{
	const double share = beside(grid, p);
	if (share > 0.05)
		gt_say(log, GT_WARNING, GT_ABOUT_GEOMETRY,
		       "rays that pass beside the grid were attenuated too (on average %.0f %% of the largest measured value): "
		       "what lies there will appear inside the grid; a wider --grid holds it",
		       100 * share);
}

void gt_note_detector(const gt_listener *log, const gt_scan *scan)
{
	double detector, axis;
	const size_t view = gt_scan_detector_before_axis(scan, &detector, &axis);
	if (view < scan->views)
		gt_say(log, GT_WARNING, GT_ABOUT_GEOMETRY,
		       "the detector of view %zu is nearer to the source (%.6g mm) than the rotation axis (%.6g mm): its rays are extended beyond "
		       "it, as to a larger detector behind the object",
		       view, detector, axis);
}
