/* Distance-driven projection by its definition. */
#include <math.h>
#include <gantry/grid.h>
#include <gantry/author/scan_math.h>
#include "tests/support/definition.h"

/* Position (mm) along axis b at which the ray of (column, row) crosses a plane. */
static double meets(const gt_detector *det, const gt_view *w, double column, double row, int s, double plane, int b)
{
	double p[3], e[3];
	gt_pixel_ray(det, w, column, row, p, e);
	return p[b] + (plane - p[s]) * e[b] / e[s];
}

static double common(double a0, double a1, double b0, double b1)
{
	return fmax(0, fmin(fmax(a0, a1), fmax(b0, b1)) - fmax(fmin(a0, a1), fmin(b0, b1)));
}

static int central_axis(const gt_view *w)
{
	const double ex = fabs(w->detector[0] - w->source[0]), ey = fabs(w->detector[1] - w->source[1]);
	return fabs(ex - ey) > 1e-9 * (ex + ey) ? ey > ex : fabs(w->source[1]) > fabs(w->source[0]);
}

static double one_cell(const gt_scan *scan, const gt_grid *g, const float *x, size_t v, size_t l, size_t k)
{
	const gt_detector det = gt_scan_detector(scan);
	const gt_view *w = &scan->view[v];
	const int s = central_axis(w), b = 1 - s;
	const size_t stride[3] = { 1, g->n[0], g->n[0] * g->n[1] };
	double p[3], e[3], sum = 0;
	gt_pixel_ray(&det, w, (double)k, (double)l, p, e);
	for (size_t n = 0; n < g->n[s]; n++) {
		const double plane = gt_grid_first(g, s) + (double)n * g->pitch[s];
		if (scan->shape != GT_PARALLEL && (plane - w->source[s]) * (e[s] > 0 ? 1 : -1) < g->pitch[s] / 2)
			continue;
		const double b0 = meets(&det, w, (double)k - 0.5, scan->row_center, s, plane, b),
			     b1 = meets(&det, w, (double)k + 0.5, scan->row_center, s, plane, b);
		const double z0 = meets(&det, w, (double)k, (double)l - 0.5, s, plane, 2),
			     z1 = meets(&det, w, (double)k, (double)l + 0.5, s, plane, 2);
		for (size_t i = 0; i < g->n[b]; i++) {
			const double at = gt_grid_first(g, b) + (double)i * g->pitch[b],
				     ob = common(b0, b1, at - g->pitch[b] / 2, at + g->pitch[b] / 2);
			for (size_t j = 0; ob > 0 && j < g->n[2]; j++) {
				const double z = gt_grid_first(g, 2) + (double)j * g->pitch[2];
				sum += ob * common(z0, z1, z - g->pitch[2] / 2, z + g->pitch[2] / 2) / fabs((b1 - b0) * (z1 - z0)) *
				       x[n * stride[s] + i * stride[b] + j * stride[2]];
			}
		}
	}
	return sum * g->pitch[s] * sqrt(gt_dot3(e, e)) / fabs(e[s]);
}

void gt_test_dd_forward(const gt_scan *scan, const gt_grid *g, const float *x, double *y)
{
	for (size_t v = 0, i = 0; v < scan->views; v++)
		for (size_t l = 0; l < scan->rows; l++)
			for (size_t k = 0; k < scan->columns; k++, i++)
				y[i] = one_cell(scan, g, x, v, l, k);
}
