/* Vectors of the ASTRA Toolbox (van Aarle et al., Optics Express 24 (2016) 25129). They hold the source or ray
 * direction, the centre of the panel, and the steps along columns and rows; right-handed, z along the axis. */
#include <math.h>
#include <stdlib.h>
#include <gantry/author/vec3.h>
#include "geometry/exchange/exchange.h"

/* Places the source of a parallel beam at twice the distance between panel and axis plus four detector widths. */
static gt_status source_of_rays(const double ray[3], const gt_step_view *w, const gt_scan_size3 *size, size_t v, double source[3])
{
	const double length = sqrt(gt_dot3(ray, ray));
	if (!(length > 0) || !isfinite(length))
		return gt_fail(GT_ERR_FORMAT, "view %zu: the direction of its rays is (%g, %g, %g), expected a length above 0", v, ray[0],
		               ray[1], ray[2]);
	const double far = 2 * sqrt(gt_dot3(w->panel, w->panel)) +
	                   4 * (double)size->columns * sqrt(gt_dot3(w->column_step, w->column_step));
	for (int a = 0; a < 3; a++)
		source[a] = w->panel[a] - far * ray[a] / length;
	return GT_OK;
}

gt_status gt_scan_of_astra(int parallel, const double (*vec)[12], const gt_scan_size3 *size, double unit, gt_scan **scan)
{
	const double center[2] = { ((double)size->columns - 1) / 2, ((double)size->rows - 1) / 2 };
	gt_step_view *view = calloc(size->views ? size->views : 1, sizeof *view);
	gt_status st = view ? GT_OK : gt_fail(GT_ERR_MEMORY, "vectors of %zu views: out of memory", size->views);
	*scan = NULL;
	for (size_t v = 0; v < size->views && st == GT_OK; v++) {
		gt_step_view *w = &view[v];
		for (int a = 0; a < 3; a++) {
			w->source[a] = unit * vec[v][a];
			w->panel[a] = unit * vec[v][3 + a];
			w->column_step[a] = unit * vec[v][6 + a];
			w->row_step[a] = unit * vec[v][9 + a];
		}
		if (parallel)
			st = source_of_rays(vec[v], w, size, v, w->source);
	}
	if (st == GT_OK)
		st = gt_scan_of_steps(parallel ? GT_PARALLEL : GT_FLAT, size, center, view, scan);
	free(view);
	return st;
}

gt_status gt_scan_of_astra_2d(int parallel, const double (*vec)[6], const gt_scan_size3 *size, double unit, double row_pitch,
                              gt_scan **scan)
{
	double(*full)[12] = calloc(size->views ? size->views : 1, sizeof *full);
	*scan = NULL;
	if (!full)
		return gt_fail(GT_ERR_MEMORY, "vectors of %zu views: out of memory", size->views);
	for (size_t v = 0; v < size->views; v++) {
		for (int i = 0; i < 6; i++)
			full[v][i / 2 * 3 + i % 2] = vec[v][i];
		full[v][11] = row_pitch / unit;
	}
	const gt_status st = gt_scan_of_astra(parallel, (const double(*)[12])full, size, unit, scan);
	free(full);
	return st;
}

gt_status gt_scan_to_astra(const gt_scan *s, double (*vec)[12])
{
	const double right = ((double)s->columns - 1) / 2 - s->column_center, up = ((double)s->rows - 1) / 2 - s->row_center;
	if (s->shape == GT_ARC)
		return gt_fail(GT_ERR_UNSUPPORTED, "ASTRA vectors: found an arc detector: expected a flat panel");
	for (size_t v = 0; v < s->views; v++) {
		const gt_view *w = &s->view[v];
		double length = 0;
		for (int a = 0; a < 3; a++)
			length = hypot(length, w->detector[a] - w->source[a]);
		for (int a = 0; a < 3; a++) {
			vec[v][6 + a] = s->column_pitch * w->column_axis[a];
			vec[v][9 + a] = s->row_pitch * w->row_axis[a];
			vec[v][3 + a] = w->detector[a] + right * vec[v][6 + a] + up * vec[v][9 + a];
			vec[v][a] = s->shape == GT_PARALLEL ? (w->detector[a] - w->source[a]) / length : w->source[a];
		}
	}
	return GT_OK;
}
