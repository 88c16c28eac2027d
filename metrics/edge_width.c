/* Width of the edge of a sphere: bins voxels by their distance from its surface (256 bins) and fits an error
 * function by least squares. Needs 6 kB. */
#include <math.h>
#include <gantry/metrics.h>
#include "metrics/edge_width.h"

enum { BINS = 256, MIN_VOXELS = 100 };
/* From 10 to 90 % of an error function, in standard deviations of its Gaussian. */
static const double ten_to_ninety = 2.5631031310892007;

typedef struct {
	double sum[BINS], count[BINS], place[BINS]; /* sum of values, number of voxels, sum of distances from the surface */
} samples;

static int on_part(const double d[3], double r, gt_edge_part part)
{
	const double along = fabs(d[2]) / r;
	return part == GT_EDGE_ALL || (part == GT_EDGE_IN_PLANE ? along < 0.5 : along > 0.766);
}

static void add_voxel(samples *b, const gt_edge_sphere *s, const double d[3], gt_edge_part part, double value)
{
	const double r = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), from = r - s->radius;
	if (!(fabs(from) < s->reach) || r == 0 || !on_part(d, r, part))
		return;
	const size_t i = (size_t)((from + s->reach) / (2 * s->reach) * BINS);
	if (i < BINS) {
		b->sum[i] += value;
		b->place[i] += from;
		b->count[i]++;
	}
}

/* Voxels of one axis that may be within reach. */
static void range(const gt_grid *g, const gt_edge_sphere *s, int axis, size_t *first, size_t *end)
{
	const double extent = s->radius + s->reach, at = (s->center[axis] - gt_grid_first(g, axis)) / g->pitch[axis];
	const double low = ceil(at - extent / g->pitch[axis]), high = floor(at + extent / g->pitch[axis]) + 1;
	*first = low > 0 ? (size_t)low : 0;
	*end = high > 0 ? (size_t)high : 0;
	*end = *end < g->n[axis] ? *end : g->n[axis];
}

static void collect(samples *b, const gt_grid *g, const float *x, const gt_edge_sphere *s, gt_edge_part part)
{
	size_t first[3], end[3];
	for (int a = 0; a < 3; a++)
		range(g, s, a, &first[a], &end[a]);
	for (size_t k = first[2]; k < end[2]; k++)
		for (size_t j = first[1]; j < end[1]; j++)
			for (size_t i = first[0]; i < end[0]; i++) {
				const double d[3] = { gt_grid_first(g, 0) + (double)i * g->pitch[0] - s->center[0],
					              gt_grid_first(g, 1) + (double)j * g->pitch[1] - s->center[1],
					              gt_grid_first(g, 2) + (double)k * g->pitch[2] - s->center[2] };
				add_voxel(b, s, d, part, x[(k * g->n[1] + j) * g->n[0] + i]);
			}
}

/* Residual sum of squares of the fit outside + (inside - outside) h, with the blurred edge h. */
static double misfit(const samples *b, double sigma, gt_edge *e)
{
	double n = 0, h1 = 0, h2 = 0, v1 = 0, v2 = 0, hv = 0;
	for (int i = 0; i < BINS; i++) {
		if (!(b->count[i] > 0))
			continue;
		const double w = b->count[i], v = b->sum[i] / w, h = 0.5 * erfc(b->place[i] / w / (sqrt(2) * sigma));
		n += w;
		h1 += w * h;
		h2 += w * h * h;
		v1 += w * v;
		v2 += w * v * v;
		hv += w * h * v;
	}
	const double spread = h2 - h1 * h1 / n, slope = spread > 0 ? (hv - h1 * v1 / n) / spread : 0;
	e->outside = (v1 - slope * h1) / n;
	e->inside = e->outside + slope;
	return v2 - v1 * v1 / n - slope * (hv - h1 * v1 / n);
}

/* Golden section on the logarithm of the standard deviation, from the best of a coarse scale. */
static double best_sigma(const samples *b, double narrowest, double widest)
{
	enum { SCALE = 40, STEPS = 40 };
	const double ratio = pow(widest / narrowest, 1.0 / SCALE), golden = 0.6180339887498949;
	gt_edge e;
	double best = narrowest, lowest = INFINITY;
	for (int i = 0; i <= SCALE; i++) {
		const double sigma = narrowest * pow(ratio, i), square = misfit(b, sigma, &e);
		if (square < lowest) {
			lowest = square;
			best = sigma;
		}
	}
	double low = log(best / ratio), high = log(best * ratio);
	for (int i = 0; i < STEPS; i++) {
		const double p = high - golden * (high - low), q = low + golden * (high - low);
		if (misfit(b, exp(p), &e) < misfit(b, exp(q), &e))
			high = q;
		else
			low = p;
	}
	return exp((low + high) / 2);
}

void gt_edge_width(const gt_grid *grid, const float *const *volume, size_t volumes, const gt_edge_sphere *sphere, gt_edge_part part,
                   gt_edge *edge)
{
	samples b = { { 0 }, { 0 }, { 0 } };
	double count = 0;
	*edge = (gt_edge){ NAN, NAN, NAN };
	for (size_t i = 0; i < volumes; i++)
		collect(&b, grid, volume[i], sphere, part);
	for (int i = 0; i < BINS; i++)
		count += b.count[i];
	if (count < MIN_VOXELS)
		return;
	const double sigma = best_sigma(&b, 0.01 * sphere->reach, sphere->reach);
	misfit(&b, sigma, edge);
	if (sigma < 0.5 * sphere->reach) /* beyond, its ends are not in reach */
		edge->width = ten_to_ninety * sigma;
}
