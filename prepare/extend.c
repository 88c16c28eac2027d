/* Extrapolates detector rows of an object that is wider than the detector. Each end continues as the projection of a
 * cylinder of water with the same value and slope (J. Hsieh et al., Med. Phys. 31 (2004) 2385). From p = 2 mu
 * sqrt(R^2 - s^2) the slope is -4 mu^2 s/p, so s = -p p'/(4 mu^2) and R^2 = s^2 + (p/2 mu)^2. No cylinder fits values
 * that rise outwards: they are tapered to zero by a cosine. Added columns have the weight 0 for iterative methods. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/author/constants.h>
#include <gantry/grid.h>
#include "core/try.h"
#include "geometry/scan.h"
#include "prepare/step.h"

struct options {
	double water;
	int columns;
};
static const struct options defaults = { 0, 0 };
#define AT(field) offsetof(struct options, field)
static const gt_param params[] = {
	{ .key = "water",
	  .help = "attenuation at the rim of the object, mm-1; 0: water of the projections, else 0.02",
	  .kind = GT_REAL,
	  .at = AT(water),
	  .min = 0,
	  .max = 1e3 },
	{ .key = "columns",
	  .help = "maximum number of columns added at either side; 0: the number of detector columns",
	  .kind = GT_INT,
	  .at = AT(columns),
	  .min = 0,
	  .max = 65536 },
	{ .key = NULL },
};

/* Columns whose means give value and slope of an end; numbers of sampled views and rows. NOT_AIR: fraction of the
 * largest value above which an end is not air. SHIFTED_BY: shift in columns beyond which opposite rays measure the
 * nearer side. */
enum { CELLS = 6, VIEWS = 48, ROWS = 16, SHIFTED_BY = 4, LEFT = 0, RIGHT = 1 };
#define NOT_AIR 0.05
/* Fraction of a full rotation that counts as one, because angles of a table are not exact. */
#define WHOLE 0.995

typedef struct {
	size_t added[2], columns;
	int behind[2]; /* opposite rays measure beyond this side */
	double water, edge[2];
} extend_known;

/* The end of a row: value at its last pixel, and the cylinder in mm at the axis; radius 0: values rise outwards. */
typedef struct {
	double value, at, radius;
} rim;

static double cell_of(const gt_scan *s)
{
	return s->shape == GT_PARALLEL ? s->column_pitch : s->column_pitch * s->source_to_axis / s->source_to_detector;
}

static rim rim_of(const float *row, size_t columns, int side, double cell, double water)
{
	double mean[2] = { 0, 0 };
	for (size_t k = 0; k < 2 * CELLS; k++)
		mean[k / CELLS] += row[side == RIGHT ? columns - 1 - k : k] / CELLS;
	const double rise = (mean[0] - mean[1]) / CELLS, value = fmax(0, mean[0] + rise * (CELLS - 1) / 2.), slope = rise / cell;
	rim e = { .value = value };
	if (slope <= 0 && value > 0) {
		e.at = -value * slope / (4 * water * water);
		e.radius = hypot(e.at, value / (2 * water));
	}
	return e;
}

/* Returns the number of columns until the cylinder ends. */
static double reach_of(const rim *e, double cell, size_t columns)
{
	return !(e->value > 0) ? 0 : e->radius > 0 ? (e->radius - e->at) / cell : (double)columns / 4;
}

/* If the cylinder is wider than the added columns, its last quarter is tapered to zero. */
static double beyond(const rim *e, size_t j, size_t added, double cell, double water, size_t columns)
{
	const double reach = reach_of(e, cell, columns), s = e->at + (double)j * cell, rest = 4 * (double)j / (double)added - 3;
	const double fade = reach > (double)added && rest > 0 ? cos(GT_PI / 2 * fmin(1, rest)) : 1;
	if ((double)j >= reach)
		return 0;
	return fade * (e->radius > 0 ? 2 * water * sqrt(fmax(0, e->radius * e->radius - s * s))
	                             : e->value * (1 + cos(GT_PI * (double)j / reach)) / 2);
}

typedef struct {
	double edge[2], reach[2], max, n;
} looked;

static void inspect_view(const gt_scan *s, const float *view, double water, looked *l)
{
	const size_t step = 1 + (s->rows - 1) / ROWS;
	for (size_t r = 0; r < s->rows; r += step, l->n++) {
		const float *row = view + r * s->columns;
		for (size_t k = 0; k < s->columns; k++)
			l->max = fmax(l->max, row[k]);
		for (int side = LEFT; side <= RIGHT; side++) {
			const rim e = rim_of(row, s->columns, side, cell_of(s), water);
			l->edge[side] += e.value;
			l->reach[side] = fmax(l->reach[side], reach_of(&e, cell_of(s), s->columns));
		}
	}
}

/* Marks the nearer side of a shifted detector in a full rotation. */
static gt_status find_side(const gt_scan *s, int behind[2])
{
	const double shift = 2 * s->column_center - ((double)s->columns - 1);
	gt_scan *copy = NULL;
	behind[LEFT] = shift < -2 * SHIFTED_BY;
	behind[RIGHT] = shift > 2 * SHIFTED_BY;
	if (!behind[LEFT] && !behind[RIGHT])
		return GT_OK;
	const gt_status st = gt_scan_clone(s, &copy);
	if (st != GT_OK)
		return st;
	gt_scan_derive_angles(copy);
	if (!(gt_scan_angular_range(copy) > WHOLE * 2 * GT_PI))
		behind[LEFT] = behind[RIGHT] = 0;
	gt_scan_free(copy);
	return GT_OK;
}

static gt_status inspect(gt_prepare_call *c, const void *options)
{
	const struct options *o = options;
	const gt_scan *s = c->source.scan;
	const size_t max = o->columns ? (size_t)o->columns : s->columns, step = 1 + (s->views - 1) / VIEWS;
	looked l = { .max = 0 };
	float *view = NULL;
	gt_status st = GT_OK;
	if (s->columns < 4 * CELLS)
		return gt_fail(GT_ERR_UNSUPPORTED, "%zu columns: expected at least %d", s->columns, 4 * CELLS);
	if (s->shape != GT_PARALLEL && !(s->source_to_axis > 0 && s->source_to_detector > 0))
		return gt_fail(GT_ERR_UNSUPPORTED, "the source's distances from axis and detector are not known");
	GT_TRY(gt_prepare_known(c, sizeof(extend_known)));
	extend_known *known = c->known;
	GT_TRY(find_side(s, known->behind));
	known->columns = s->columns;
	known->water = o->water > 0 ? o->water : c->water > 0 ? c->water : GT_MU_WATER;
	if (!(view = malloc(s->rows * s->columns * sizeof *view)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	for (size_t v = 0; v < s->views; v += step) {
		GT_TRY(c->source.read(c->source.self, v, 1, view));
		inspect_view(s, view, known->water, &l);
	}
	for (int side = LEFT; side <= RIGHT; side++) {
		known->edge[side] = l.max > 0 ? l.edge[side] / l.n / l.max : 0;
		if (!known->behind[side] && known->edge[side] > NOT_AIR)
			known->added[side] = (size_t)fmin((double)max, ceil(l.reach[side]) + 1);
	}
done:
	free(view);
	return st;
}

/* Returns the reason why nothing is added. */
static const char *ends_in(const extend_known *k)
{
	for (int side = LEFT; side <= RIGHT; side++)
		if (k->behind[side] && k->edge[side] > NOT_AIR)
			return "rows end in air, and where rays from behind see on";
	return "rows end in air";
}

/* Only reports: direct methods extrapolate rows themselves, and a wider detector must be requested. */
static gt_status advise(gt_prepare_call *c, char *spec, char *why, size_t size)
{
	void *known = c->known;
	gt_status st = GT_OK;
	(void)spec;
	if (c->source.scan->columns < 4 * CELLS) {
		snprintf(why, size, "too few columns to see whether rows end in air");
		return GT_OK;
	}
	c->known = NULL;
	st = inspect(c, &defaults);
	const extend_known *k = c->known;
	if (st == GT_OK && k->added[LEFT] + k->added[RIGHT])
		snprintf(
			why, size,
			"rows end at %.2g and %.2g of the largest value, not in air: direct methods taper them to zero, --extend continues "
			"them as a cylinder of water",
			k->edge[LEFT], k->edge[RIGHT]);
	else if (st == GT_OK)
		snprintf(why, size, "%s", ends_in(k));
	free(c->known);
	c->known = known;
	return st;
}

static gt_status reshape(gt_prepare_call *c, const void *options, const gt_scan *in, size_t *view, gt_scan **out)
{
	const extend_known *known = c->known;
	const gt_status st = gt_scan_clone(in, out);
	(void)options;
	(void)view;
	if (st == GT_OK) {
		(*out)->columns += known->added[LEFT] + known->added[RIGHT];
		(*out)->column_center += (double)known->added[LEFT];
	}
	return st;
}

typedef struct {
	const extend_known *known;
	const gt_projections *p;
	gt_projections *q;
	double cell;
} extend_call;

static void extend_row(const extend_call *x, const float *in, float *out)
{
	const extend_known *known = x->known;
	const size_t n = known->columns;
	memcpy(out + known->added[LEFT], in, n * sizeof *out);
	for (int side = LEFT; side <= RIGHT; side++) {
		const rim e = rim_of(in, n, side, x->cell, known->water);
		for (size_t j = 1; j <= known->added[side]; j++)
			out[side == RIGHT ? known->added[LEFT] + n - 1 + j : known->added[LEFT] - j] = (float)
				beyond(&e, j, known->added[side], x->cell, known->water, n);
	}
}

/* Weights and photons repeat their last pixel. */
static void extend_beside(const extend_call *x, size_t line, const float *in, float *out)
{
	const size_t n = x->known->columns, wide = x->q->scan->columns;
	for (size_t k = 0; k < wide && in; k++) {
		const size_t from = k < x->known->added[LEFT] ? 0 : k - x->known->added[LEFT];
		out[line * wide + k] = in[line * n + (from < n ? from : n - 1)];
	}
}

static void loop(void *self, size_t begin, size_t end, int worker)
{
	const extend_call *x = self;
	(void)worker;
	for (size_t line = begin; line < end; line++) {
		extend_row(x, x->p->data + line * x->known->columns, x->q->data + line * x->q->scan->columns);
		extend_beside(x, line, x->p->weight, x->q->weight);
		extend_beside(x, line, x->p->photons, x->q->photons);
	}
}

static gt_status run(gt_prepare_call *c, const void *options)
{
	const extend_known *known = c->known;
	const gt_projections *p = *c->p;
	const size_t lines = p->scan->views * p->scan->rows, wide = known->columns + known->added[LEFT] + known->added[RIGHT];
	gt_scan *scan = NULL;
	gt_projections *q = NULL;
	float *weights;
	gt_status st = GT_OK;
	if (wide == known->columns)
		return GT_OK;
	GT_TRY(reshape(c, options, p->scan, NULL, &scan));
	GT_TRY(gt_prepare_like(p, scan, &q));
	extend_call x = { known, p, q, cell_of(scan) };
	gt_parallel(c->pool, lines, 16, loop, &x);
	gt_prepare_replace(c, q);
	GT_TRY(gt_prepare_weights(c, &weights));
	for (size_t line = 0; line < lines; line++) {
		memset(weights + line * wide, 0, known->added[LEFT] * sizeof *weights);
		memset(weights + (line + 1) * wide - known->added[RIGHT], 0, known->added[RIGHT] * sizeof *weights);
	}
done:
	gt_scan_free(scan);
	return st;
}

static int weighs(const void *known)
{
	const extend_known *k = known;
	return k->added[LEFT] + k->added[RIGHT] > 0;
}

static void report(gt_prepare_call *c)
{
	const extend_known *k = c->known;
	if (!weighs(k)) {
		gt_prepare_note(c, "%s (%.2g and %.2g of the largest value): nothing was added", ends_in(k), k->edge[LEFT], k->edge[RIGHT]);
		return;
	}
	gt_prepare_note(c,
	                "%zu columns before the first and %zu after the last, of cylinders of %g mm-1, weight 0: what is right lies "
	                "within the %zu that were measured (--grid leaves the rest out)",
	                k->added[LEFT], k->added[RIGHT], k->water, k->columns);
}

const gt_preparation gt_preparation_extend = {
	.name = "extend",
	.about = "truncated objects: extrapolates detector rows by cylinders of water",
	GT_STEP_MEMBERS,
	.advise = advise,
	.chunks = GT_BY_VIEWS,
	.inspect = inspect,
	.report = report,
	.reshape = reshape,
	.weighs = weighs,
};
