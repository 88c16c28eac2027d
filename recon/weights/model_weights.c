/* Weights of the data by the inverse of a variance that also knows the error of the discrete model. The shadow of a
 * voxel is a box as wide as the voxel, so that a volume of voxels cannot follow the projections of an edge; how far
 * it is off grows with their local slope. Weights of the photons alone trust rays beside an edge, of many photons,
 * beyond what the model can do, and the cost then buys their fit with overshoot. An error of all rays alike bounds
 * the ratio of weights: without it rays that cross edges would count for next to nothing once there is little noise,
 * and edges would be left to the penalty. Nothing is held but the weights. */
#include <math.h>
#include <stdlib.h>
#include <gantry/scan_math.h>
#include "core/try.h"
#include "geometry/projections.h"
#include "recon/noise/noise_estimate.h"
#include "recon/weights/model_weights.h"
#include "recon/weights/photon_weights.h"

enum { GRAIN = 1 << 14, MAX_VIEWS = 32 };
/* Found by trial, see the table in docs/regularizers.md. */
#define SLOPE_PER_WIDTH 0.045
#define EVEN_PER_WIDTH 0.2

/* Adds the squares of the widths in one view; 0: the middle of the grid is not before the source. */
static int add_widths(const gt_detector *d, const gt_view *w, const gt_grid *g, double sum[2])
{
	const double *axis[2] = { w->column_axis, w->row_axis };
	double at[2][2][2], variance[2] = { 0, 0 };
	for (int k = 0; k < 2; k++) {
		for (int a = 0; a < 3; a++)
			variance[k] += g->pitch[a] * axis[k][a] * g->pitch[a] * axis[k][a];
		for (int side = 0; side < 2; side++) {
			double x[3];
			for (int a = 0; a < 3; a++)
				x[a] = g->center[a] + (side - 0.5) * sqrt(variance[k]) * axis[k][a];
			if (!gt_point_pixel(d, w, x, &at[k][side][0], &at[k][side][1]))
				return 0;
		}
	}
	for (int k = 0; k < 2; k++)
		sum[k] += (at[k][1][k] - at[k][0][k]) * (at[k][1][k] - at[k][0][k]);
	return 1;
}

void gt_voxel_shadow(const gt_scan *scan, const gt_grid *grid, double width[2])
{
	const gt_detector d = gt_scan_detector(scan);
	const size_t stride = scan->views / MAX_VIEWS + 1;
	double sum[2] = { 0, 0 };
	int views = 0;
	for (size_t v = 0; v < scan->views; v += stride)
		views += add_widths(&d, &scan->view[v], grid, sum);
	for (int k = 0; k < 2; k++)
		width[k] = views ? sqrt(sum[k] / views) : 0;
}

struct weighing {
	const gt_noise_model *noise;
	const gt_projections *p;
	const gt_model_error *error;
	double even;      /* variance of all rays */
	double (*sum)[2]; /* of every piece: line integrals times squares of slopes, and line integrals */
	float *w;
};

/* The line integral at a place in row r, columns smoothed as gt_data_smooth() does. */
static double smoothed(const float *row, size_t c, size_t columns)
{
	return row[c] / 2. + (row[c ? c - 1 : c] + (double)row[c + 1 < columns ? c + 1 : c]) / 4;
}

/* Square of the larger of the differences to the neighbours at both sides of `here`. */
static double larger_square(double before, double here, double after)
{
	const double d = fmax(fabs(here - before), fabs(after - here));
	return d * d;
}

/* Square of the slope at pixel i, per pixel; *line: the smoothed line integral there. */
static double slope_square(const gt_projections *p, size_t i, double *line)
{
	const size_t columns = p->scan->columns, rows = p->scan->rows, c = i % columns, r = i / columns % rows;
	const float *row = p->data + (i - c);
	const double here = smoothed(row, c, columns);
	const double left = smoothed(row, c ? c - 1 : c, columns), right = smoothed(row, c + 1 < columns ? c + 1 : c, columns);
	const double below = r ? smoothed(row - columns, c, columns) : here;
	const double above = r + 1 < rows ? smoothed(row + columns, c, columns) : here;
	*line = here;
	return larger_square(left, here, right) + larger_square(below, here, above);
}

static void add_slopes(void *self, size_t begin, size_t end, int worker)
{
	const struct weighing *j = self;
	(void)worker;
	for (size_t i = begin; i < end; i++) {
		double line;
		const double square = slope_square(j->p, i, &line);
		if (line > 0 && gt_noise_variance_at(j->noise, i, line) > 0) {
			j->sum[i / GRAIN][0] += line * square;
			j->sum[i / GRAIN][1] += line;
		}
	}
}

static void weigh(void *self, size_t begin, size_t end, int worker)
{
	const struct weighing *j = self;
	(void)worker;
	for (size_t i = begin; i < end; i++) {
		double line;
		const double square = slope_square(j->p, i, &line), noise = gt_noise_variance_at(j->noise, i, line);
		j->w[i] = noise > 0 ? (float)(1 / (noise + j->even + j->error->slope * j->error->slope * square)) : noise == 0 ? 0 : NAN;
	}
}

gt_status gt_model_weights(gt_pool *pool, const gt_noise_model *noise, const gt_projections *p, const gt_model_error *error, float *w,
                           double *factor)
{
	const size_t n = gt_scan_size(p->scan), pieces = (n + GRAIN - 1) / GRAIN;
	struct weighing j = { noise, p, error, 0, calloc(pieces, sizeof *j.sum), w };
	double slopes = 0, lines = 0;
	if (!j.sum)
		return gt_fail(GT_ERR_MEMORY, "no memory for the weights of the data");
	gt_parallel(pool, n, GRAIN, add_slopes, &j);
	for (size_t k = 0; k < pieces; k++) {
		slopes += j.sum[k][0];
		lines += j.sum[k][1];
	}
	free(j.sum);
	j.even = lines > 0 ? error->even * error->even * slopes / lines : 0;
	gt_parallel(pool, n, GRAIN, weigh, &j);
	return gt_data_weights_given(pool, w, n, w, factor);
}

gt_model_error gt_model_error_of(const double width[2])
{
	return (gt_model_error){ .slope = SLOPE_PER_WIDTH * width[0], .even = EVEN_PER_WIDTH * width[0] };
}
