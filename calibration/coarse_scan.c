/* Bins pixels and subsamples views of a scan. */
#include <math.h>
#include <stdlib.h>
#include "calibration/coarse_scan.h"
#include "core/try.h"
#include "geometry/projections.h"

static void average(const gt_projections *p, const size_t by[2], size_t every, gt_projections *q)
{
	const gt_scan *from = p->scan, *to = q->scan;
	for (size_t v = 0; v < to->views; v++)
		for (size_t r = 0; r < to->rows; r++)
			for (size_t c = 0; c < to->columns; c++) {
				double sum = 0;
				for (size_t j = 0; j < by[1]; j++)
					for (size_t i = 0; i < by[0]; i++)
						sum += p->data[(v * every * from->rows + r * by[1] + j) * from->columns + c * by[0] + i];
				q->data[(v * to->rows + r) * to->columns + c] = (float)(sum / (double)(by[0] * by[1]));
			}
}

/* Convolves a line with a Gaussian; the edge values continue beyond the edges. */
static void blur(float *line, size_t n, size_t step, double sigma, float *copy)
{
	const long reach = (long)ceil(3 * sigma), last = (long)n - 1;
	for (size_t i = 0; i < n; i++)
		copy[i] = line[i * step];
	for (long i = 0; i <= last; i++) {
		double sum = 0, weights = 0;
		for (long k = -reach; k <= reach; k++) {
			const double w = exp(-0.5 * (double)(k * k) / (sigma * sigma));
			const long at = i + k < 0 ? 0 : i + k > last ? last : i + k;
			sum += w * copy[at];
			weights += w;
		}
		line[(size_t)i * step] = (float)(sum / weights);
	}
}

static gt_status smooth(gt_projections *q, double sigma)
{
	const gt_scan *s = q->scan;
	const size_t max = s->rows > s->columns ? s->rows : s->columns;
	float *copy = malloc(max * sizeof *copy);
	if (!copy)
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	for (size_t v = 0; v < s->views; v++) {
		float *image = q->data + v * s->rows * s->columns;
		for (size_t r = 0; r < s->rows; r++)
			blur(image + r * s->columns, s->columns, 1, sigma, copy);
		for (size_t c = 0; c < s->columns && s->rows > 1; c++)
			blur(image + c, s->rows, s->columns, sigma, copy);
	}
	free(copy);
	return GT_OK;
}

gt_status gt_coarse_scan(const gt_projections *p, size_t columns, size_t views, double sigma, gt_projections **out, size_t by[2])
{
	const gt_scan *s = p->scan;
	const size_t every = (s->views + views - 1) / views;
	gt_scan *scan = NULL;
	gt_status st = GT_OK;
	by[0] = (s->columns + columns - 1) / columns;
	by[1] = s->rows < by[0] ? s->rows : by[0];
	GT_TRY(gt_scan_new(s->shape, (s->views + every - 1) / every, s->rows / by[1], s->columns / by[0], &scan));
	gt_view *view = scan->view;
	const size_t sizes[3] = { scan->views, scan->rows, scan->columns };
	*scan = *s;
	scan->view = view;
	scan->views = sizes[0];
	scan->rows = sizes[1];
	scan->columns = sizes[2];
	for (size_t v = 0; v < scan->views; v++)
		view[v] = s->view[v * every];
	scan->column_pitch *= (double)by[0];
	scan->row_pitch *= (double)by[1];
	scan->column_center = (scan->column_center + 0.5) / (double)by[0] - 0.5;
	scan->row_center = (scan->row_center + 0.5) / (double)by[1] - 0.5;
	GT_TRY(gt_projections_new(scan, out));
	average(p, by, every, *out);
	if (sigma > 0)
		GT_TRY(smooth(*out, sigma));
done:
	gt_scan_free(scan);
	return st;
}
