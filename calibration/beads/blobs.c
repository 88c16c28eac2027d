/* Finds bead projections: a threshold above a local median, then centres of attenuation. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/author/constants.h>
#include "calibration/beads/blobs.h"
#include "calibration/beads/least_squares.h"
#include "core/basis/symmetric.h"
#include "core/float_medians.h"
#include "core/order_statistics.h"
#include "core/try.h"
#include "geometry/projections.h"

enum { SAMPLES = 11, MIN_PIXELS = 5, AROUND = 2, FRAME = 4 };
static const double part_of_maximum = 0.25, max_area = 1.35, max_uneven = 3, negligible = 1e-3, min_moving = 0.7;

typedef struct {
	size_t low[2], high[2], pixels;
	int edge;
} extent;
typedef struct {
	size_t rows, columns, step, nodes[2]; /* step: pixels between the nodes of the background */
	double *node, *sample;
	const float *view;
	float *above;  /* the view, less its background */
	float *steady; /* median of all views, pixel by pixel: a holder with rotational symmetry */
	int *label;    /* 0, or 1 + index of the region */
	size_t *stack;
	extent *found; /* regions of the view */
	size_t space;
} buffers;

static void release(buffers *r)
{
	free(r->node);
	free(r->sample);
	free(r->above);
	free(r->steady);
	free(r->label);
	free(r->stack);
	free(r->found);
}

static gt_status allocate(const gt_scan *s, buffers *r)
{
	const size_t size = s->rows * s->columns, side = s->columns / 24;
	*r = (buffers){ .rows = s->rows, .columns = s->columns, .step = side < 4 ? 4 : side };
	r->nodes[0] = (s->rows + r->step - 1) / r->step + 1;
	r->nodes[1] = (s->columns + r->step - 1) / r->step + 1;
	r->node = malloc(r->nodes[0] * r->nodes[1] * sizeof *r->node);
	r->sample = malloc((size_t)SAMPLES * SAMPLES * sizeof *r->sample);
	r->above = malloc(size * sizeof *r->above);
	r->steady = malloc(size * sizeof *r->steady);
	r->label = malloc(size * sizeof *r->label);
	r->stack = malloc(size * sizeof *r->stack);
	return r->node && r->sample && r->above && r->steady && r->label && r->stack ? GT_OK : gt_fail(GT_ERR_MEMORY, "out of memory");
}

/* The median of at most SAMPLES x SAMPLES pixels within two steps of the node. */
static double node_value(const buffers *r, const float *view, size_t row, size_t column)
{
	const long reach = 2 * (long)r->step, by = 2 * reach / (SAMPLES - 1) > 1 ? 2 * reach / (SAMPLES - 1) : 1;
	size_t n = 0;
	for (long l = (long)(row * r->step) - reach; l <= (long)(row * r->step) + reach; l += by)
		for (long k = (long)(column * r->step) - reach; k <= (long)(column * r->step) + reach; k += by)
			if (l >= 0 && k >= 0 && l < (long)r->rows && k < (long)r->columns && n < SAMPLES * SAMPLES)
				r->sample[n++] = view[(size_t)l * r->columns + (size_t)k];
	return n ? gt_upper_median(r->sample, n) : 0;
}

static double subtract_background(buffers *r, const float *view)
{
	double max = 0;
	r->view = view;
	for (size_t i = 0; i < r->nodes[0]; i++)
		for (size_t j = 0; j < r->nodes[1]; j++)
			r->node[i * r->nodes[1] + j] = node_value(r, view, i, j);
	for (size_t l = 0; l < r->rows; l++)
		for (size_t k = 0; k < r->columns; k++) {
			const size_t i = l / r->step, j = k / r->step;
			const double y = (double)(l % r->step) / (double)r->step, x = (double)(k % r->step) / (double)r->step;
			const double *a = r->node + i * r->nodes[1] + j, *b = a + r->nodes[1];
			const double ground = (1 - y) * ((1 - x) * a[0] + x * a[1]) + y * ((1 - x) * b[0] + x * b[1]);
			const double value = view[l * r->columns + k] - ground;
			r->above[l * r->columns + k] = (float)value;
			max = fmax(max, value);
		}
	return max;
}

static void take(buffers *r, size_t at, int label, size_t *waiting, extent *e)
{
	const size_t l = at / r->columns, k = at % r->columns;
	r->label[at] = label;
	r->stack[(*waiting)++] = at;
	e->pixels++;
	e->low[0] = l < e->low[0] ? l : e->low[0];
	e->high[0] = l > e->high[0] ? l : e->high[0];
	e->low[1] = k < e->low[1] ? k : e->low[1];
	e->high[1] = k > e->high[1] ? k : e->high[1];
}

/* Grows the region above the threshold from a pixel. */
static extent grow(buffers *r, size_t at, int label, double threshold)
{
	extent e = { .low = { r->rows, r->columns } };
	size_t waiting = 0;
	take(r, at, label, &waiting, &e);
	while (waiting) {
		const size_t i = r->stack[--waiting], l = i / r->columns, k = i % r->columns;
		if (l > 0 && !r->label[i - r->columns] && r->above[i - r->columns] > threshold)
			take(r, i - r->columns, label, &waiting, &e);
		if (l + 1 < r->rows && !r->label[i + r->columns] && r->above[i + r->columns] > threshold)
			take(r, i + r->columns, label, &waiting, &e);
		if (k > 0 && !r->label[i - 1] && r->above[i - 1] > threshold)
			take(r, i - 1, label, &waiting, &e);
		if (k + 1 < r->columns && !r->label[i + 1] && r->above[i + 1] > threshold)
			take(r, i + 1, label, &waiting, &e);
	}
	e.edge = e.low[0] < AROUND || e.low[1] < AROUND || e.high[0] + AROUND >= r->rows || e.high[1] + AROUND >= r->columns;
	return e;
}

/* 1 for pixels of the frame around the region that belong to no region. */
static int is_ground(const buffers *r, const extent *e, size_t l, size_t k)
{
	const int inside = l + AROUND >= e->low[0] && l <= e->high[0] + AROUND && k + AROUND >= e->low[1] && k <= e->high[1] + AROUND;
	return !inside && !r->label[l * r->columns + k];
}

typedef struct {
	size_t first[2], end[2];
} frame_of;

static frame_of frame_around(const buffers *r, const extent *e)
{
	const size_t size[2] = { r->rows, r->columns };
	frame_of f;
	for (int a = 0; a < 2; a++) {
		f.first[a] = e->low[a] < FRAME ? 0 : e->low[a] - FRAME;
		f.end[a] = e->high[a] + FRAME + 1 < size[a] ? e->high[a] + FRAME + 1 : size[a];
	}
	return f;
}

/* Image in which bead projections are measured: the view, or the view less its steady part. */
typedef struct {
	const buffers *r;
	int moving;
	double plane[3]; /* value at 0 and slopes of the background around a region */
} ground;

static double value_at(const ground *g, size_t l, size_t k)
{
	const size_t i = l * g->r->columns + k;
	return (double)g->r->view[i] - (g->moving ? g->r->steady[i] : 0);
}

static double over_plane(const ground *g, size_t l, size_t k)
{
	return value_at(g, l, k) - g->plane[0] - g->plane[1] * (double)l - g->plane[2] * (double)k;
}

/* Returns 0 if there are too few pixels. */
static int fit_plane(const extent *e, ground *g)
{
	const double middle[2] = { (double)(e->low[0] + e->high[0]) / 2, (double)(e->low[1] + e->high[1]) / 2 };
	const frame_of f = frame_around(g->r, e);
	double m[9] = { 0 }, b[3] = { 0 };
	for (size_t l = f.first[0]; l < f.end[0]; l++)
		for (size_t k = f.first[1]; k < f.end[1]; k++) {
			const double at[3] = { 1, (double)l - middle[0], (double)k - middle[1] };
			if (!is_ground(g->r, e, l, k))
				continue;
			for (int i = 0; i < 3; i++) {
				b[i] += at[i] * value_at(g, l, k);
				for (int j = 0; j < 3; j++)
					m[3 * i + j] += at[i] * at[j];
			}
		}
	if (!gt_symmetric_invert(3, GT_LEAST_SQUARES_PIVOT, m))
		return 0;
	for (int i = 0; i < 3; i++)
		g->plane[i] = m[3 * i] * b[0] + m[3 * i + 1] * b[1] + m[3 * i + 2] * b[2];
	g->plane[0] -= g->plane[1] * middle[0] + g->plane[2] * middle[1];
	return 1;
}

/* Returns the standard deviation of the background from the plane. */
static double unevenness(const extent *e, const ground *g)
{
	const frame_of f = frame_around(g->r, e);
	double squares = 0;
	size_t n = 0;
	for (size_t l = f.first[0]; l < f.end[0]; l++)
		for (size_t k = f.first[1]; k < f.end[1]; k++)
			if (is_ground(g->r, e, l, k)) {
				squares += pow(over_plane(g, l, k), 2);
				n++;
			}
	return n > 3 ? sqrt(squares / (double)(n - 3)) : 0;
}

/* Returns the sum above the plane in the region and AROUND it; center: its centroid, row and column. Returns 0 if
 * another region overlaps or the background is too small. */
static double weigh(const extent *e, int label, ground *g, double center[2])
{
	double sum = 0;
	center[0] = center[1] = 0;
	if (!fit_plane(e, g))
		return 0;
	for (size_t l = e->low[0] - AROUND; l <= e->high[0] + AROUND; l++)
		for (size_t k = e->low[1] - AROUND; k <= e->high[1] + AROUND; k++) {
			const int here = g->r->label[l * g->r->columns + k];
			const double value = over_plane(g, l, k);
			if (here && here != label)
				return 0;
			sum += value;
			center[0] += value * (double)l;
			center[1] += value * (double)k;
		}
	center[0] /= sum;
	center[1] /= sum;
	return sum;
}

/* Subtracts the steady part, because a curved holder shifts all centroids to the same side. Beads near the axis are
 * steady themselves and keep it. */
static gt_blob measure(const buffers *r, const extent *e, int label)
{
	const gt_blob none = { (double)(e->low[1] + e->high[1]) / 2, (double)(e->low[0] + e->high[0]) / 2, sqrt((double)e->pixels / GT_PI),
		               0, 0 };
	ground whole = { .r = r }, moving = { .r = r, .moving = 1 };
	double center[2], of_moving[2];
	const double sum = e->edge ? 0 : weigh(e, label, &whole, center);
	if (!(sum > 0))
		return none;
	const int use = weigh(e, label, &moving, of_moving) > min_moving * sum;
	const ground *g = use ? &moving : &whole;
	const double *at = use ? of_moving : center;
	return (gt_blob){ at[1], at[0], none.radius, 1, unevenness(e, g) * (double)e->pixels / sum };
}

/* Labels all regions of the view; *n: their number. */
static gt_status label_view(buffers *r, double threshold, size_t *n)
{
	const size_t size = r->rows * r->columns;
	memset(r->label, 0, size * sizeof *r->label);
	*n = 0;
	for (size_t i = 0; i < size; i++) {
		if (r->label[i] || !(r->above[i] > threshold))
			continue;
		if (*n == r->space) {
			extent *more = realloc(r->found, (2 * r->space + 64) * sizeof *more);
			if (!more)
				return gt_fail(GT_ERR_MEMORY, "out of memory");
			r->found = more;
			r->space = 2 * r->space + 64;
		}
		r->found[*n] = grow(r, i, (int)*n + 1, threshold);
		++*n;
	}
	return GT_OK;
}

static gt_status find_in_view(buffers *r, double threshold, size_t v, gt_blobs *b)
{
	size_t shadows, n = b->first[v];
	gt_status st = label_view(r, threshold, &shadows);
	gt_blob *more = st == GT_OK ? realloc(b->blob, (n + shadows + 1) * sizeof *more) : NULL;
	if (!more)
		return st != GT_OK ? st : gt_fail(GT_ERR_MEMORY, "out of memory");
	b->blob = more;
	for (size_t k = 0; k < shadows; k++)
		if (r->found[k].pixels >= MIN_PIXELS)
			b->blob[n++] = measure(r, &r->found[k], (int)k + 1);
	b->first[v + 1] = n;
	return GT_OK;
}

/* Regions that are much larger than the median contain several beads. */
static gt_status leave_joined(gt_blobs *b)
{
	const size_t all = b->first[b->views];
	size_t n = 0;
	double *radius = malloc((all + 1) * sizeof *radius);
	if (!radius)
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	for (size_t i = 0; i < all; i++)
		if (b->blob[i].whole)
			radius[n++] = b->blob[i].radius;
	b->radius = n ? gt_upper_median(radius, n) : 0;
	free(radius);
	if (!n)
		return gt_fail(GT_ERR_UNSUPPORTED,
		               "found no bead projection: expected round regions of at least %d pixels on a smooth background", MIN_PIXELS);
	for (size_t i = 0; i < all; i++)
		b->blob[i].whole &= b->blob[i].radius * b->blob[i].radius < max_area * b->radius * b->radius;
	return GT_OK;
}

/* The smoother half of the regions measures the roughness that noise alone causes. */
static gt_status leave_uneven(gt_blobs *b)
{
	const size_t all = b->first[b->views];
	size_t n = 0;
	double *uneven = malloc((all + 1) * sizeof *uneven);
	if (!uneven)
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	for (size_t i = 0; i < all; i++)
		if (b->blob[i].whole)
			uneven[n++] = b->blob[i].uneven;
	const double middle = n ? gt_upper_median(uneven, n) : 0;
	size_t quiet = 0;
	for (size_t i = 0; i < all; i++)
		if (b->blob[i].whole && b->blob[i].uneven <= middle)
			uneven[quiet++] = b->blob[i].uneven;
	const double usual = quiet ? gt_upper_median(uneven, quiet) : 0;
	free(uneven);
	for (size_t i = 0; i < all; i++)
		b->blob[i].whole &= b->blob[i].uneven < max_uneven * usual || b->blob[i].uneven < negligible;
	return GT_OK;
}

gt_status gt_blobs_find(const gt_projections *p, gt_blobs *b)
{
	const gt_scan *s = p->scan;
	const size_t size = s->rows * s->columns;
	double *max = malloc(s->views * sizeof *max), usual;
	buffers r = { 0 };
	gt_status st = GT_OK;
	*b = (gt_blobs){ .views = s->views, .first = calloc(s->views + 1, sizeof *b->first) };
	if (!max || !b->first)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	GT_TRY(allocate(s, &r));
	GT_TRY(gt_column_medians(p->data, s->views, size, size, r.steady));
	for (size_t v = 0; v < s->views; v++)
		max[v] = subtract_background(&r, p->data + v * size);
	usual = gt_upper_median(max, s->views);
	if (!(usual > 0) || !isfinite(usual))
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "found no bead projection: the line integrals are constant"));
	for (size_t v = 0; v < s->views; v++) {
		subtract_background(&r, p->data + v * size);
		GT_TRY(find_in_view(&r, part_of_maximum * usual, v, b));
	}
	GT_TRY(leave_joined(b));
	GT_TRY(leave_uneven(b));
done:
	free(max);
	release(&r);
	return st;
}

void gt_blobs_free(gt_blobs *b)
{
	free(b->blob);
	free(b->first);
}
