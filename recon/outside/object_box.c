/* Bounds of the object: in each view the rays next to its first and last column bound its convex hull by a half plane
 * each. All of them clip a square around the field of view (Sutherland and Hodgman, Commun. ACM 17 (1974) 32). */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/author/constants.h>
#include <gantry/author/scan_math.h>
#include <gantry/threads.h>
#include "core/clones.h"
#include "geometry/projections.h"
#include "recon/outside/object_box.h"

/* An edge above this fraction of the largest line integral cuts the object. */
#define MIN_CUT 0.05
/* Half width of the square, in radii of the field of view, if the detector is narrower than the object. The object is
 * computed up to here; between 1.2 and 1.8 errors are equal. */
#define TRUNCATED_RADII 1.4
/* Another view bounds a side that one view cuts, within this angle or MAX_STEPS steps between views. */
#define MAX_AWAY (6 * GT_PI / 180)
#define MAX_STEPS 1.5
/* Directions of a helix are compared within this angle: a view sees some of the slices alone. */
#define HELIX_BIN (GT_PI / 180)
/* Values are means over a block of rows. Noise of air stays below this number of standard deviations, mostly. */
#define MAX_DEVIATIONS 3.
enum { MAX_VIEWS = 720, MAX_BLOCKS = 8, SMALL = 1 << 20 }; /* fewer values than SMALL: one thread */

/* The object has n x <= limit for OUTER; for INNER it reaches at least to this line. */
enum { OUTER, INNER, LINES };
typedef struct {
	double n[LINES][2], limit[LINES];
	int is_air, is_cut; /* both 0: neither air nor clearly the object */
} bound;

typedef struct {
	double (*at)[2], (*next)[2];
	size_t n;
} polygon;

static const double nothing = -INFINITY;

static size_t blocks_of(const gt_scan *s) { return s->rows < MAX_BLOCKS ? s->rows : MAX_BLOCKS; }

/* The line of a ray across the axis, n x = value; n points from column `from` to column `to`. */
static double line_of(const gt_detector *d, const gt_view *w, double from, double to, double row, double n[2])
{
	double p[3], a[3], q[3], b[3];
	gt_pixel_ray(d, w, to, row, p, a);
	gt_pixel_ray(d, w, from, row, q, b);
	const double length = hypot(a[0], a[1]), near_axis = -(p[0] * a[0] + p[1] * a[1]) / (length * length);
	if (!(length > fabs(a[2])))
		return NAN;
	n[0] = a[1] / length;
	n[1] = -a[0] / length;
	const double across = n[0] * (p[0] - q[0] + near_axis * (a[0] - b[0])) + n[1] * (p[1] - q[1] + near_axis * (a[1] - b[1]));
	if (across < 0) {
		n[0] = -n[0];
		n[1] = -n[1];
	}
	return n[0] * p[0] + n[1] * p[1];
}

/* The line that leaves more inside, of the first and the last row: columns may be tilted. */
static double outer_line(const gt_scan *s, const gt_view *w, double from, double to, double n[2])
{
	const gt_detector d = gt_scan_detector(s);
	double other[2];
	const double first = line_of(&d, w, from, to, 0, n), last = line_of(&d, w, from, to, (double)(s->rows - 1), other);
	if (last > first)
		memcpy(n, other, sizeof other);
	return last > first || isnan(last) ? last : first;
}

/* The mean of a column over the rows of a block. */
static double mean_of(const gt_projections *p, size_t view, size_t block, size_t column)
{
	const gt_scan *s = p->scan;
	const size_t blocks = blocks_of(s), first = block * s->rows / blocks, end = (block + 1) * s->rows / blocks;
	double sum = 0;
	for (size_t l = first; l < end; l++)
		sum += p->data[(view * s->rows + l) * s->columns + column];
	return sum / (double)(end - first);
}

/* The largest mean of each column, over all blocks of rows. sum: scratch, of equal size. */
GT_WIDER static void largest_of(const gt_projections *p, size_t view, double *column, double *sum)
{
	const gt_scan *s = p->scan;
	const size_t blocks = blocks_of(s);
	for (size_t block = 0; block < blocks; block++) {
		const size_t first = block * s->rows / blocks, end = (block + 1) * s->rows / blocks;
		memset(sum, 0, s->columns * sizeof *sum);
		for (size_t l = first; l < end; l++)
			for (size_t k = 0; k < s->columns; k++)
				sum[k] += p->data[(view * s->rows + l) * s->columns + k];
		for (size_t k = 0; k < s->columns; k++)
			column[k] = fmax(block ? column[k] : nothing, sum[k] / (double)(end - first));
	}
}

/* Values up to this are air: a fraction of the largest, or noise of the calmer side of the detector. */
static double air_limit(const gt_projections *p, size_t step, double max_air)
{
	const size_t last = p->scan->columns - 1, blocks = blocks_of(p->scan);
	double square[2] = { 0, 0 }, count = 0;
	for (size_t v = 0; v < p->scan->views; v += step)
		for (size_t block = 0; block < blocks; block++, count++)
			for (int side = 0; side < 2; side++) {
				const size_t k = side ? last : 0;
				square[side] += pow(mean_of(p, v, block, k) - mean_of(p, v, block, side ? k - 1 : k + 1), 2) / 2;
			}
	return fmax(max_air, MAX_DEVIATIONS * sqrt(fmin(square[0], square[1]) / count));
}

/* 1: column k and the next one inwards are attenuated; a single one may be a defect. */
static int met(const double *column, size_t k, size_t inwards, double air) { return column[k] > air && column[inwards] > air; }

/* The bounds at both sides of a view; 0: its rays are too steep. limit: air, and an edge that cuts the object. */
static int bounds_of(const gt_projections *p, size_t view, const double *column, const double limit[2], bound b[2])
{
	const gt_scan *s = p->scan;
	const size_t end = s->columns - 1;
	size_t first = 0, last = end;
	while (first < end && !met(column, first, first + 1, limit[0]))
		first++;
	while (last > first && !met(column, last, last - 1, limit[0]))
		last--;
	for (int side = 0; side < 2; side++) {
		const size_t edge = side ? last : first;
		const double out = side ? 1 : -1, at = (double)edge;
		b[side] = (bound){ .is_air = first < last && edge != (side ? end : 0) };
		b[side].is_cut = !b[side].is_air && first < last && column[edge] > limit[1];
		b[side].limit[OUTER] = outer_line(s, &s->view[view], at, at + out, b[side].n[OUTER]);
		b[side].limit[INNER] = outer_line(s, &s->view[view], at - out, at - out / 2, b[side].n[INNER]);
		if (isnan(b[side].limit[OUTER]) || isnan(b[side].limit[INNER]))
			return 0;
	}
	return 1;
}

/* Clips by n x <= limit. */
static void clip(polygon *g, const double n[2], double limit)
{
	size_t count = 0;
	for (size_t i = 0; i < g->n; i++) {
		const double *a = g->at[i], *b = g->at[(i + 1) % g->n];
		const double da = n[0] * a[0] + n[1] * a[1] - limit, db = n[0] * b[0] + n[1] * b[1] - limit;
		if (da <= 0)
			memcpy(g->next[count++], a, sizeof g->next[0]);
		if ((da <= 0) != (db <= 0)) {
			g->next[count][0] = a[0] + (b[0] - a[0]) * da / (da - db);
			g->next[count++][1] = a[1] + (b[1] - a[1]) * da / (da - db);
		}
	}
	double(*was)[2] = g->at;
	g->at = g->next;
	g->next = was;
	g->n = count;
}

static void box_of(const polygon *g, double low[2], double high[2])
{
	for (int a = 0; a < 2; a++) {
		low[a] = INFINITY;
		high[a] = nothing;
		for (size_t i = 0; i < g->n; i++) {
			low[a] = fmin(low[a], g->at[i][a]);
			high[a] = fmax(high[a], g->at[i][a]);
		}
	}
}

/* The square of this half width, clipped by all bounds. */
static void clip_all(const bound *b, size_t n, double half, int line, polygon *g)
{
	const double square[4][2] = { { -half, -half }, { half, -half }, { half, half }, { -half, half } };
	memcpy(g->at, square, sizeof square);
	g->n = 4;
	for (size_t i = 0; i < n && g->n; i++)
		if (b[i].is_air)
			clip(g, b[i].n[line], b[i].limit[line]);
}

static double diameter_of(const polygon *g)
{
	double max = 0;
	for (size_t i = 0; i < g->n; i++)
		for (size_t j = 0; j < i; j++)
			max = fmax(max, hypot(g->at[i][0] - g->at[j][0], g->at[i][1] - g->at[j][1]));
	return max;
}

/* 1: views cut the object at a side that no other view bounds. */
static int is_truncated(const bound *b, size_t n, size_t views)
{
	const double near = cos(fmin(GT_PI / 2, fmax(MAX_AWAY, MAX_STEPS * 2 * GT_PI / (double)views)));
	for (size_t i = 0; i < n; i++) {
		int is_bounded = !b[i].is_cut;
		for (size_t j = 0; j < n && !is_bounded; j++)
			is_bounded = b[j].is_air && b[i].n[OUTER][0] * b[j].n[OUTER][0] + b[i].n[OUTER][1] * b[j].n[OUTER][1] > near;
		if (!is_bounded)
			return 1;
	}
	return 0;
}

enum { BINS = 360 };

static double angle_of(const bound *b) { return atan2(b->n[OUTER][1], b->n[OUTER][0]); }

/* Limits of the bin that holds a direction between -2 pi and 2 pi. */
static double *bin_of(double max[BINS][LINES], double angle) { return max[(int)((angle + 2 * GT_PI) / (2 * GT_PI) * BINS) % BINS]; }

/* Directions between those of two successive views: the corner of both lines bounds what both views see. */
static void fill_between(const bound *b, const bound *c, double max[BINS][LINES])
{
	const double from = angle_of(b), turn = remainder(angle_of(c) - from, 2 * GT_PI), sine = sin(turn);
	const int steps = (int)ceil(fabs(turn) / HELIX_BIN);
	if (!b->is_air || !c->is_air || steps < 2 || fabs(turn) > GT_PI / 2)
		return;
	const double *n = b->n[OUTER], *m = c->n[OUTER], l = b->limit[OUTER], k = c->limit[OUTER];
	const double x = (l * m[1] - k * n[1]) / sine, y = (k * n[0] - l * m[0]) / sine;
	for (int i = 1; i < steps; i++) {
		const double angle = from + turn * i / steps;
		double *limit = bin_of(max, angle);
		limit[OUTER] = fmax(limit[OUTER], x * cos(angle) + y * sin(angle));
	}
}

/* A helix sees other slices in each view: the widest bound of a direction counts. */
static void join_slices(bound *b, size_t n, double radius)
{
	double max[BINS][LINES];
	for (int i = 0; i < BINS * LINES; i++)
		max[i / LINES][i % LINES] = nothing;
	for (size_t i = 0; i < n; i++) {
		double *limit = bin_of(max, angle_of(&b[i]));
		for (int line = 0; line < LINES && b[i].is_air; line++)
			limit[line] = fmax(limit[line], b[i].limit[line]);
		if (i >= 2)
			fill_between(&b[i - 2], &b[i], max);
	}
	for (size_t i = 0; i < n; i++)
		for (int line = 0; line < LINES && b[i].is_air; line++)
			b[i].limit[line] = bin_of(max, angle_of(&b[i]))[line] + (line == OUTER ? radius * HELIX_BIN : 0);
}

/* The largest of n values above 0. */
GT_WIDER static float largest_of_values(const float *value, size_t n)
{
	enum { LANES = 16 }; /* maxima that do not wait for each other */
	float max[LANES] = { 0 };
	for (size_t i = 0; i + LANES <= n; i += LANES)
		for (int k = 0; k < LANES; k++)
			max[k] = value[i + (size_t)k] > max[k] ? value[i + (size_t)k] : max[k];
	for (size_t i = n - n % LANES; i < n; i++)
		max[0] = value[i] > max[0] ? value[i] : max[0];
	for (int k = 1; k < LANES; k++)
		max[0] = max[k] > max[0] ? max[k] : max[0];
	return max[0];
}

/* Every step-th view, in several threads. */
struct looking {
	const gt_projections *p;
	size_t step, n; /* n: number of these views */
	gt_pool *pool;
	double limit[2];      /* air, and an edge that cuts the object */
	float *max;           /* [n]: largest values */
	double *column;       /* scratch, [threads][2][columns] */
	bound *b;             /* [n][2] */
	atomic_int has_steep; /* 1: the rays of a view are too steep */
};

static void find_max(void *self, size_t begin, size_t end, int worker)
{
	const struct looking *l = self;
	const size_t view = l->p->scan->rows * l->p->scan->columns;
	(void)worker;
	for (size_t i = begin; i < end; i++)
		l->max[i] = largest_of_values(l->p->data + i * l->step * view, view);
}

static void find_bounds(void *self, size_t begin, size_t end, int worker)
{
	struct looking *l = self;
	const size_t columns = l->p->scan->columns;
	double *column = l->column + (size_t)worker * 2 * columns;
	for (size_t i = begin; i < end; i++) {
		largest_of(l->p, i * l->step, column, column + columns);
		if (!bounds_of(l->p, i * l->step, column, l->limit, l->b + 2 * i))
			l->has_steep = 1;
	}
}

static int find(struct looking *l, double max_air, double radius, polygon *g, gt_object_box *box)
{
	const gt_scan *s = l->p->scan;
	const size_t n = 2 * l->n;
	double max = 0;
	gt_parallel(l->pool, l->n, 1, find_max, l);
	for (size_t i = 0; i < l->n; i++)
		max = fmax(max, l->max[i]);
	l->limit[0] = air_limit(l->p, l->step, max_air * max);
	l->limit[1] = fmax(l->limit[0], MIN_CUT * max);
	gt_parallel(l->pool, l->n, 1, find_bounds, l);
	if (l->has_steep)
		return 0;
	if (gt_scan_is_helical(s))
		join_slices(l->b, n, radius);
	*box = (gt_object_box){ .is_truncated = is_truncated(l->b, n, l->n) };
	const double half = radius * (box->is_truncated ? TRUNCATED_RADII : 1);
	clip_all(l->b, n, half, INNER, g);
	box_of(g, box->inner_low, box->inner_high);
	clip_all(l->b, n, half, OUTER, g);
	box_of(g, box->low, box->high);
	box->diameter = diameter_of(g);
	return max > 0 && g->n > 2;
}

int gt_object_box_find(const gt_projections *p, double max_air, gt_object_box *box)
{
	const gt_scan *s = p->scan;
	const size_t step = 1 + (s->views - 1) / MAX_VIEWS, views = (s->views + step - 1) / step, max = 4 + 2 * views;
	const double radius = gt_scan_field_of_view(s, NULL, NULL);
	struct looking l = { .p = p, .step = step, .n = views };
	int found = 0;
	if (!p->data || !(radius > 0) || !isfinite(radius) || s->columns < 2)
		return 0;
	if (gt_scan_size(s) < SMALL || gt_pool_new(0, &l.pool) != GT_OK)
		l.pool = NULL; /* one thread finds it too */
	l.b = malloc((2 * views + 2) * sizeof *l.b);
	l.max = malloc(views * sizeof *l.max);
	l.column = malloc((size_t)gt_pool_threads(l.pool) * 2 * s->columns * sizeof *l.column);
	polygon g = { calloc(2 * max + 8, sizeof *g.at), calloc(2 * max + 8, sizeof *g.next), 0 };
	if (l.b && l.max && l.column && g.at && g.next)
		found = find(&l, max_air, radius, &g, box);
	free(l.b);
	free(l.max);
	free(l.column);
	free(g.at);
	free(g.next);
	gt_pool_free(l.pool);
	return found;
}
