/* Weights of the data by the inverse of a variance that also knows the error of the discrete model. The shadow of a
 * voxel is a box as wide as the voxel, so that a volume of voxels cannot follow the projections of an edge; how far it
 * is off grows with their local slope. Weights of the photons alone trust rays beside an edge, of many photons, beyond
 * what the model can do, and the cost then buys their fit with overshoot. Nothing is held but the weights. */
#include <math.h>
#include <gantry/scan_math.h>
#include "core/try.h"
#include "geometry/projections.h"
#include "recon/model_weights.h"

enum { GRAIN = 1 << 14, MAX_VIEWS = 32 };

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

struct job {
	const gt_noise_model *noise;
	const gt_projections *p;
	double error;
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

static double weight_of(const struct job *j, size_t i)
{
	const gt_scan *scan = j->p->scan;
	const size_t columns = scan->columns, c = i % columns, r = i / columns % scan->rows;
	const float *row = j->p->data + (i - c);
	const double here = smoothed(row, c, columns), noise = gt_noise_variance_at(j->noise, i, here);
	if (!(noise > 0))
		return noise == 0 ? 0 : NAN;
	const double left = smoothed(row, c ? c - 1 : c, columns), right = smoothed(row, c + 1 < columns ? c + 1 : c, columns);
	const double below = r ? smoothed(row - columns, c, columns) : here;
	const double above = r + 1 < scan->rows ? smoothed(row + columns, c, columns) : here;
	const double slope = larger_square(left, here, right) + larger_square(below, here, above);
	return 1 / (noise + j->error * j->error * slope);
}

static void weigh(void *self, size_t begin, size_t end, int worker)
{
	const struct job *j = self;
	(void)worker;
	for (size_t i = begin; i < end; i++)
		j->w[i] = (float)weight_of(j, i);
}

gt_status gt_model_weights(gt_pool *pool, const gt_noise_model *noise, const gt_projections *p, double error, float *w, double *factor)
{
	struct job j = { noise, p, error, w };
	const size_t n = gt_scan_size(p->scan);
	gt_parallel(pool, n, GRAIN, weigh, &j);
	return gt_data_weights_given(pool, w, n, w, factor);
}

double gt_model_error_of(const double width[2]) { return 0.03 * width[0]; }
