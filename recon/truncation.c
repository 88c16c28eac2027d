/* Warnings about parts that a scan does not cover or a grid does not hold. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/author/constants.h>
#include <gantry/recon.h>
#include <gantry/author/scan_math.h>
#include "core/log.h"
#include "geometry/angular_closure.h"
#include "geometry/detector_edges.h"
#include "geometry/grid.h"
#include "geometry/projections.h"
#include "geometry/scan.h"
#include "geometry/scan_gap.h"
#include "recon/truncation.h"

void gt_note_slices(const gt_listener *log, const gt_grid *grid, const gt_scan *scan)
{
	double low, high;
	gt_scan_field_of_view(scan, &low, &high);
	/* Rows that are not along z cover no range of it. */
	const size_t outside = gt_scan_rows_along_z(scan, "") == GT_OK && high > low ? gt_grid_slices_outside(grid, low, high) : 0;
	if (outside)
		gt_notify(log, GT_WARNING, GT_ABOUT_GEOMETRY,
		          "%zu of %zu slice%s %s outside z %.4g to %.4g mm, which the scan covers: no ray measured %s", outside, grid->n[2],
		          grid->n[2] == 1 ? "" : "s", outside == 1 ? "lies" : "lie", low, high,
		          outside == 1 ? "this slice" : "these slices");
}

/* Returns the mean of the values whose rays pass the grid at its sides, relative to the largest value. Samples every
 * few views and rows. */
static double outside_mean(const gt_grid *g, const gt_projections *p)
{
	const gt_scan *scan = p->scan;
	const gt_detector d = gt_scan_detector(scan);
	const size_t views = 1 + scan->views / 90, rows = 1 + scan->rows / 8;
	double sum = 0, max = 0, count = 0;
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
				max = fmax(max, value);
				sum += from < end ? 0 : value;
				count += !(from < end);
			}
	return max > 0 && count > 0 ? sum / count / max : 0;
}

void gt_note_sides(const gt_listener *log, const gt_grid *grid, const gt_projections *p)
{
	const double share = outside_mean(grid, p);
	if (share > 0.05)
		gt_notify(log, GT_WARNING, GT_ABOUT_GEOMETRY,
		          "rays outside the grid were attenuated too (on average %.0f %% of the largest measured value): "
		          "that attenuation will appear inside the grid; use a wider --grid",
		          100 * share);
}

/* Edges are reported if at least FEW_VIEWS of the views show the object there. */
#define FEW_VIEWS 0.05

/* part: values at the edges relative to the largest. An object of twice the width of the detector leaves about 0.85 of
 * it, and the extension overshoots by a quarter. */
static const char *consequence(double part, double max, int iterative)
{
	if (part > 0.97 && max < 1.5)
		return "all values are far too large; if these are transmissions I/I0 in images, use --values counts --white 1";
	if (iterative)
		return "values outside the field of view become a bright rim; use a wider --grid";
	return part < 0.7 ? "extend=cosine extrapolates the rows, and values are inexact towards the edge of the field of view"
	                  : "extend=cosine extrapolates the rows, and all values are far too large";
}

void gt_note_body(const gt_listener *log, const gt_projections *p, int iterative)
{
	const double shift = gt_scan_displacement(p->scan);
	/* Rays from the other side of a full turn measure the object beyond the nearer side. */
	const int is_closed = gt_scan_is_closed(p->scan);
	const int side[2] = { !(is_closed && shift < -GT_DISPLACED_BY), !(is_closed && shift > GT_DISPLACED_BY) };
	gt_view_in_memory memory = { p->data, p->scan->rows * p->scan->columns };
	gt_detector_edges e;
	if (!p->data || gt_detector_edges_measure(p->scan, &(gt_view_values){ gt_view_of_memory, &memory }, side, &e) != GT_OK)
		return;
	if (!(e.max > 0) || (double)e.both < FEW_VIEWS * (double)e.looked)
		return;
	const double part = e.part / (double)e.both / e.max;
	/* Only the nearer side ends within the object, and no view measures it from the other side. */
	const int one_sided = (shift < -GT_DISPLACED_BY && !e.right) || (shift > GT_DISPLACED_BY && !e.left);
	gt_notify(log, GT_WARNING, GT_ABOUT_DATA,
	          "the object is wider than the detector: %.0f %% of the views do not end in air at the %s (%.0f %% of the largest "
	          "value there): %s",
	          100 * (double)e.both / (double)e.looked,
	          e.left && e.right ? "left and right"
	          : e.left          ? "first columns"
	                            : "last columns",
	          100 * part,
	          iterative && one_sided
	                  ? "with a displaced detector and less than a full rotation, values beyond its nearer side are inexact by several "
	                    "per cent; --preset iterative or more iterations reduce the error"
	                  : consequence(part, e.max, iterative));
}

gt_status gt_check_displaced(const char *who, const gt_projections *p)
{
	gt_view_in_memory memory = { p->data, p->scan->rows * p->scan->columns };
	return p->data ? gt_displaced_check(who, p->scan, &(gt_view_values){ gt_view_of_memory, &memory }) : GT_OK;
}

void gt_note_gap(const gt_listener *log, const gt_scan *scan)
{
	double ends[2];
	const double gap = gt_scan_widest_gap(scan, ends), step = gt_scan_angular_range(scan) / (double)scan->views;
	if (fabs(gt_scan_displacement(scan)) > GT_DISPLACED_BY && gap <= GT_CLOSED_GAP && gap > 3.001 * step)
		gt_notify(log, GT_WARNING, GT_ABOUT_GEOMETRY,
		          "no view lies between %.6g and %.6g degrees: the neighbouring views replace the missing ones; expect streaks at "
		          "details far from the axis",
		          ends[0] * GT_DEGREES, ends[1] * GT_DEGREES);
}

static gt_status profile_of(void *self, size_t view, float *out)
{
	const gt_projections *p = self;
	const size_t rows = p->scan->rows, columns = p->scan->columns, cells = rows * columns;
	memset(out, 0, columns * sizeof *out);
	for (size_t i = 0; i < cells; i++)
		out[i % columns] += p->data[view * cells + i] / (float)rows;
	return GT_OK;
}

void gt_note_range(const gt_listener *log, const gt_projections *p)
{
	const gt_scan *scan = p->scan;
	char text[GT_CLOSURE_TEXT];
	double *angle = p->data && !gt_scan_is_helical(scan) ? malloc(scan->views * sizeof *angle) : NULL;
	const gt_closure_views views = { scan->views, scan->columns, angle, scan->shape == GT_PARALLEL, profile_of, (void *)p };
	for (size_t v = 0; angle && v < scan->views; v++)
		angle[v] = scan->view[v].angle;
	if (angle && gt_closure_check(&views, text) == GT_OK && *text)
		gt_notify(log, GT_WARNING, GT_ABOUT_GEOMETRY, "%s", text);
	free(angle);
}

void gt_note_weights(const gt_listener *log, const gt_projections *p)
{
	const size_t n = p->weight ? gt_scan_size(p->scan) : 0;
	double sum = 0, squares = 0, max = 0;
	for (size_t i = 0; i < n; i++) {
		sum += p->weight[i];
		squares += (double)p->weight[i] * p->weight[i];
		max = fmax(max, p->weight[i]);
	}
	if (n && !(sum > 0))
		gt_notify(log, GT_WARNING, GT_ABOUT_DATA, "all %zu weights of the projections are 0: no data remain", n);
	else if (n && sum * sum < 1e-3 * (double)n * squares)
		gt_notify(log, GT_WARNING, GT_ABOUT_DATA,
		          "few of %zu values have nearly all weight, one of them %.3g %% of it: the volume will show only these", n,
		          100 * max / sum);
}

/* The centre of a ball keeps this part of its attenuation, cos(tilt); smaller losses are not reported. */
#define FULL_BALL 0.99

static void note_missing_cone(const gt_listener *log, const gt_scan *scan)
{
	double tilt = gt_scan_inclination(scan, 0);
	for (size_t v = 1; v < scan->views; v++)
		tilt = fmin(tilt, gt_scan_inclination(scan, v));
	if (gt_scan_is_laminography(scan) && cos(tilt) < FULL_BALL)
		gt_notify(log, GT_INFO, GT_ABOUT_GEOMETRY,
		          "laminography: frequencies within %.3g degrees of the axis are not measured: the centre of a ball keeps %.2g "
		          "of its attenuation, flat objects keep less; edges are right",
		          tilt * GT_DEGREES, cos(tilt));
}

void gt_note_detector(const gt_listener *log, const gt_scan *scan)
{
	double detector, axis;
	note_missing_cone(log, scan);
	const size_t view = gt_scan_detector_before_axis(scan, &detector, &axis);
	if (view < scan->views)
		gt_notify(
			log, GT_WARNING, GT_ABOUT_GEOMETRY,
			"the detector of view %zu is nearer to the source (%.6g mm) than the rotation axis (%.6g mm): its rays are extended "
			"to an equivalent larger detector behind the object",
			view, detector, axis);
}
