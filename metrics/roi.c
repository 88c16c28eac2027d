/* Regions and lines of a volume. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/metrics.h>
#include "core/arguments.h"

void gt_curve_free(gt_curve *c)
{
	free(c->frequency);
	free(c->value);
	*c = (gt_curve){ NULL, NULL, 0 };
}

static double place(const gt_grid *g, int axis, size_t i) { return gt_grid_first(g, axis) + (double)i * g->pitch[axis]; }

/* Voxels first ... first+n-1 of an axis whose centres lie within reach of `at`. */
static void range_of(const gt_grid *g, int axis, double at, double reach, size_t *first, size_t *n)
{
	const double low = (at - reach - gt_grid_first(g, axis)) / g->pitch[axis],
		     high = (at + reach - gt_grid_first(g, axis)) / g->pitch[axis];
	const double from = fmax(0, ceil(low - 1e-9)), to = fmin((double)g->n[axis] - 1, floor(high + 1e-9));
	*first = from <= to ? (size_t)from : 0;
	*n = from <= to ? (size_t)(to - from) + 1 : 0;
}

static void slices_of(const gt_grid *g, const gt_roi *roi, size_t *first, size_t *n)
{
	const double nearest = round((roi->center[2] - gt_grid_first(g, 2)) / g->pitch[2]);
	if (roi->height > 0) {
		range_of(g, 2, roi->center[2], roi->height / 2, first, n);
		return;
	}
	*n = nearest >= 0 && nearest < (double)g->n[2];
	*first = *n ? (size_t)nearest : 0;
}

static int inside(const gt_grid *g, const gt_roi *roi, size_t x, size_t y)
{
	return hypot(place(g, 0, x) - roi->center[0], place(g, 1, y) - roi->center[1]) <= roi->radius;
}

/* From means of 4 x 4 voxels inside the region, which include noise that is correlated over a few voxels. */
static double error_of_mean(const gt_grid *g, const float *volume, const gt_roi *roi, const size_t first[3], const size_t n[3])
{
	enum { BLOCK = 4 };
	double sum = 0, squares = 0, blocks = 0;
	for (size_t z = first[2]; z < first[2] + n[2]; z++)
		for (size_t y = first[1]; y + BLOCK <= first[1] + n[1]; y += BLOCK)
			for (size_t x = first[0]; x + BLOCK <= first[0] + n[0]; x += BLOCK) {
				double mean = 0;
				int all = 1;
				for (size_t j = 0; j < BLOCK; j++)
					for (size_t i = 0; i < BLOCK; i++) {
						all &= inside(g, roi, x + i, y + j);
						mean += volume[(z * g->n[1] + y + j) * g->n[0] + x + i] / (double)(BLOCK * BLOCK);
					}
				if (!all)
					continue;
				blocks++;
				sum += mean;
				squares += mean * mean;
			}
	return blocks >= 3 ? sqrt(fmax(0, (squares - sum * sum / blocks) / (blocks - 1)) / blocks) : NAN;
}

gt_status gt_roi_measure(const gt_grid *g, const float *volume, const gt_roi *roi, gt_roi_figures *f)
{
	GT_NEED(g);
	GT_NEED(volume);
	GT_NEED(roi);
	GT_NEED(f);
	size_t first[3], n[3];
	double sum = 0, squares = 0;
	*f = (gt_roi_figures){ .min = INFINITY, .max = -INFINITY };
	for (int a = 0; a < 2; a++)
		range_of(g, a, roi->center[a], roi->radius, &first[a], &n[a]);
	slices_of(g, roi, &first[2], &n[2]);
	/* About the first value: sums of squares of large numbers lose their differences. */
	const double about = n[0] && n[1] && n[2] ? volume[(first[2] * g->n[1] + first[1]) * g->n[0] + first[0]] : 0;
	for (size_t z = first[2]; z < first[2] + n[2]; z++)
		for (size_t y = first[1]; y < first[1] + n[1]; y++)
			for (size_t x = first[0]; x < first[0] + n[0]; x++) {
				const double value = volume[(z * g->n[1] + y) * g->n[0] + x];
				if (!inside(g, roi, x, y))
					continue;
				f->count++;
				sum += value - about;
				squares += (value - about) * (value - about);
				f->min = fmin(f->min, value);
				f->max = fmax(f->max, value);
			}
	if (!f->count)
		return gt_fail(GT_ERR_ARG, "region about %g,%g,%g mm of radius %g mm: no voxel of the volume lies in it", roi->center[0],
		               roi->center[1], roi->center[2], roi->radius);
	const double count = (double)f->count;
	f->mean = about + sum / count;
	f->sd = count > 1 ? sqrt(fmax(0, (squares - sum * sum / count) / (count - 1))) : 0;
	f->error = error_of_mean(g, volume, roi, first, n);
	return GT_OK;
}

double gt_contrast_to_noise(const gt_roi_figures *a, const gt_roi_figures *b)
{
	return fabs(a->mean - b->mean) / sqrt((a->sd * a->sd + b->sd * b->sd) / 2);
}

/* Trilinear interpolation; at: in voxels. Values are constant over the outermost half voxel. */
static double interpolated(const gt_grid *g, const float *volume, const double at[3])
{
	size_t low[3];
	double share[3], sum = 0;
	for (int a = 0; a < 3; a++) {
		const double within = fmax(0, fmin((double)g->n[a] - 1, at[a]));
		low[a] = (size_t)within;
		share[a] = within - (double)low[a];
	}
	for (int corner = 0; corner < 8; corner++) {
		double weight = 1;
		size_t i[3];
		for (int a = 0; a < 3; a++) {
			const int up = corner >> a & 1;
			weight *= up ? share[a] : 1 - share[a];
			i[a] = up && low[a] + 1 < g->n[a] ? low[a] + 1 : low[a];
		}
		sum += weight * volume[(i[2] * g->n[1] + i[1]) * g->n[0] + i[0]];
	}
	return sum;
}

gt_status gt_line_profile(const gt_grid *g, const float *volume, const double from[3], const double to[3], size_t n, double *value)
{
	GT_NEED(g);
	GT_NEED(volume);
	GT_NEED(from);
	GT_NEED(to);
	GT_NEED(value);
	const double *ends[] = { from, to };
	if (n < 2)
		return gt_fail(GT_ERR_ARG, "profile: %zu points: expected at least 2", n);
	for (int e = 0; e < 2; e++)
		for (int a = 0; a < 3; a++)
			if (!(fabs(ends[e][a] - g->center[a]) <= (double)g->n[a] * g->pitch[a] / 2 * (1 + 1e-9)))
				return gt_fail(GT_ERR_ARG, "profile: its %s, %g,%g,%g mm, is outside of the volume", e ? "end" : "begin",
				               ends[e][0], ends[e][1], ends[e][2]);
	for (size_t k = 0; k < n; k++) {
		double at[3];
		for (int a = 0; a < 3; a++)
			at[a] = (from[a] + (to[a] - from[a]) * (double)k / (double)(n - 1) - gt_grid_first(g, a)) / g->pitch[a];
		value[k] = interpolated(g, volume, at);
	}
	return GT_OK;
}
