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

/* Of what the cells hold whose rays pass the grid by at its sides, the mean, over the largest of all; every few
 * views, columns and rows. */
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

/* Columns at each side whose mean is looked at, and what part of the largest value is no longer air; a shift of the
 * detector of so many columns leaves the nearer side to the rays from behind. */
enum { EDGE_COLUMNS = 3, SHIFTED_BY = 4 };
#define NOT_AIR 0.05
#define FEW_VIEWS 0.05

/* How many views were looked at, and do not end in air at the left, the right, one of both; the largest value; the
 * sum of the means at the edges of these views. */
typedef struct {
	size_t looked, left, right, both;
	double most, part;
} edges;

static void look_at_edges(const gt_projections *p, const int side[2], edges *e)
{
	const gt_scan *s = p->scan;
	const size_t views = 1 + (s->views - 1) / 180, rows = 1 + (s->rows - 1) / 16;
	for (int pass = 0; pass < 2; pass++)
		for (size_t v = 0; v < s->views; v += views) {
			double edge[2] = { 0, 0 }, largest = 0, n = 0;
			for (size_t l = 0; l < s->rows; l += rows, n++) {
				const float *row = p->data + (v * s->rows + l) * s->columns;
				for (size_t k = 0; pass == 0 && k < s->columns; k++)
					largest = fmax(largest, row[k]);
				for (size_t k = 0; k < EDGE_COLUMNS; k++) {
					edge[0] += row[k] / EDGE_COLUMNS;
					edge[1] += row[s->columns - 1 - k] / EDGE_COLUMNS;
				}
			}
			e->most = fmax(e->most, largest);
			if (pass == 0)
				continue;
			const int left = side[0] && edge[0] / n > NOT_AIR * e->most, right = side[1] && edge[1] / n > NOT_AIR * e->most;
			e->looked++;
			e->left += (size_t)left;
			e->right += (size_t)right;
			e->both += left || right;
			e->part += left || right ? fmax(left ? edge[0] / n : 0, right ? edge[1] / n : 0) : 0;
		}
}

void gt_note_body(const gt_listener *log, const gt_projections *p, int iterative)
{
	const gt_scan *s = p->scan;
	const double shift = 2 * s->column_center - ((double)s->columns - 1);
	const int side[2] = { !(shift < -2 * SHIFTED_BY), !(shift > 2 * SHIFTED_BY) };
	edges e = { 0 };
	if (!p->data || s->columns < 2 * EDGE_COLUMNS + 2)
		return;
	look_at_edges(p, side, &e);
	if (!(e.most > 0) || (double)e.both < FEW_VIEWS * (double)e.looked)
		return;
	gt_say(log, GT_WARNING, GT_ABOUT_DATA,
	       "the object is wider than the detector: %.0f %% of the views do not end in air at the %s (%.0f %% of the largest "
	       "value there): %s",
	       100 * (double)e.both / (double)e.looked,
	       e.left && e.right ? "left and right"
	       : e.left          ? "first columns"
	                         : "last columns",
	       100 * e.part / (double)e.both / e.most,
	       iterative ? "what lies outside becomes a bright rim, unless a wider --grid holds it"
	                 : "rows are continued smoothly, and values are inexact towards the edge of the field of view");
}

void gt_note_weights(const gt_listener *log, const gt_projections *p)
{
	const size_t n = p->weight ? gt_scan_size(p->scan) : 0;
	double sum = 0, squares = 0, most = 0;
	for (size_t i = 0; i < n; i++) {
		sum += p->weight[i];
		squares += (double)p->weight[i] * p->weight[i];
		most = fmax(most, p->weight[i]);
	}
	if (n && !(sum > 0))
		gt_say(log, GT_WARNING, GT_ABOUT_DATA, "all %zu weights of the projections are 0: nothing was measured, by them", n);
	else if (n && sum * sum < 1e-3 * (double)n * squares)
		gt_say(log, GT_WARNING, GT_ABOUT_DATA,
		       "few of %zu values have nearly all weight, one of them %.3g %% of it: the volume will show those alone", n,
		       100 * most / sum);
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
