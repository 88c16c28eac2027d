/* Fewer views, rows or columns: geometry and values together. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/try.h"
#include "geometry/grid_request.h"
#include "prepare/step.h"

enum { VIEW, ROW, COLUMN, AXES };
typedef struct {
	size_t first, step, n;
} kept_part;

static void copy_part(const kept_part *of, const gt_scan *from, const float *in, float *out)
{
	if (!in)
		return;
	for (size_t v = 0; v < of[VIEW].n; v++)
		for (size_t r = 0; r < of[ROW].n; r++)
			memcpy(out + (v * of[ROW].n + r) * of[COLUMN].n,
			       in + ((of[VIEW].first + v * of[VIEW].step) * from->rows + of[ROW].first + r) * from->columns +
			               of[COLUMN].first,
			       of[COLUMN].n * sizeof *out);
}

static gt_status scan_of(const gt_scan *from, const kept_part *of, gt_scan **out)
{
	size_t *view = malloc(of[VIEW].n * sizeof *view);
	gt_status st = GT_OK;
	if (!view)
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	for (size_t v = 0; v < of[VIEW].n; v++)
		view[v] = of[VIEW].first + v * of[VIEW].step;
	GT_TRY(gt_prepare_part_of(from, view, of[VIEW].n, of[ROW].first, of[ROW].n, out));
	(*out)->columns = of[COLUMN].n;
	(*out)->column_center -= (double)of[COLUMN].first;
done:
	free(view);
	return st;
}

static gt_status take(gt_prepare_call *c, const kept_part *of)
{
	const gt_projections *p = *c->p;
	gt_scan *scan = NULL;
	gt_projections *q = NULL;
	gt_status st = GT_OK;
	GT_TRY(scan_of(p->scan, of, &scan));
	GT_TRY(gt_prepare_like(p, scan, &q));
	copy_part(of, p->scan, p->data, q->data);
	copy_part(of, p->scan, p->weight, q->weight);
	copy_part(of, p->scan, p->photons, q->photons);
	gt_prepare_replace(c, q);
done:
	gt_scan_free(scan);
	return st;
}

static gt_status reshape(const gt_scan *in, const kept_part *of, size_t *view, gt_scan **out)
{
	for (size_t v = 0; v < of[VIEW].n; v++)
		view[v] = view[of[VIEW].first + v * of[VIEW].step];
	return scan_of(in, of, out);
}

static gt_status know(gt_prepare_call *c, const kept_part *of)
{
	const gt_status st = gt_prepare_known(c, sizeof(size_t[AXES]));
	for (int a = 0; a < AXES && st == GT_OK; a++)
		((size_t *)c->known)[a] = of[a].n;
	return st;
}

static void report(gt_prepare_call *c)
{
	const size_t *left = c->known;
	gt_prepare_note(c, "%zu views of %zu rows x %zu columns are left", left[VIEW], left[ROW], left[COLUMN]);
}

struct views_options {
	char range[GT_PARAM_TEXT];
};
static const struct views_options views_defaults = { "0:" };
#define VIEWS_AT(field) offsetof(struct views_options, field)
static const gt_param view_params[] = {
	{ .key = "range",
	  .help = "A:B or A:B:STEP: views A to B-1, or every STEP-th of them; negative values count from the end",
	  .kind = GT_TEXT,
	  .at = VIEWS_AT(range) },
	{ .key = NULL },
};

static gt_status parts_of_views(const gt_scan *s, const struct views_options *o, kept_part *of)
{
	kept_part *view = &of[VIEW];
	gt_index_range r;
	gt_status st = GT_OK;
	of[ROW] = (kept_part){ 0, 1, s->rows };
	of[COLUMN] = (kept_part){ 0, 1, s->columns };
	GT_TRY(gt_view_range_parse("range", o->range, &r));
	GT_TRY(gt_index_range_of("views", &r, s->views, &view->first, &view->n, &view->step));
done:
	return st;
}

static gt_status inspect_views(gt_prepare_call *c, const void *options)
{
	kept_part of[AXES] = { { 0, 1, 0 } };
	const gt_status st = parts_of_views(c->source.scan, options, of);
	return st != GT_OK ? st : know(c, of);
}

static gt_status run_views(gt_prepare_call *c, const void *options)
{
	kept_part of[AXES] = { { 0, 1, 0 } };
	const gt_status st = parts_of_views((*c->p)->scan, options, of);
	return st != GT_OK ? st : take(c, of);
}

static gt_status reshape_views(gt_prepare_call *c, const void *options, const gt_scan *in, size_t *view, gt_scan **out)
{
	kept_part of[AXES] = { { 0, 1, 0 } };
	const gt_status st = parts_of_views(in, options, of);
	(void)c;
	return st != GT_OK ? st : reshape(in, of, view, out);
}

const gt_preparation gt_preparation_views = {
	.name = "views",
	.about = "selects views",
	.params = view_params,
	.defaults = &views_defaults,
	.options_size = sizeof views_defaults,
	.run = run_views,
	.chunks = GT_BY_VIEWS | GT_BY_ROWS | GT_PICKS_VIEWS,
	.inspect = inspect_views,
	.report = report,
	.reshape = reshape_views,
};

struct crop_options {
	int top, bottom, left, right;
};
static const struct crop_options crop_defaults = { 0, 0, 0, 0 };
#define CROP_AT(field) offsetof(struct crop_options, field)
static const gt_param crop_params[] = {
	{ .key = "first-rows",
	  .help = "number of rows to remove at the first one",
	  .kind = GT_INT,
	  .at = CROP_AT(top),
	  .min = 0,
	  .max = 1e9 },
	{ .key = "last-rows",
	  .help = "number of rows to remove at the last one",
	  .kind = GT_INT,
	  .at = CROP_AT(bottom),
	  .min = 0,
	  .max = 1e9 },
	{ .key = "first-columns",
	  .help = "number of columns to remove at the first one; the object must not be truncated",
	  .kind = GT_INT,
	  .at = CROP_AT(left),
	  .min = 0,
	  .max = 1e9 },
	{ .key = "last-columns",
	  .help = "number of columns to remove at the last one",
	  .kind = GT_INT,
	  .at = CROP_AT(right),
	  .min = 0,
	  .max = 1e9 },
	{ .key = NULL },
};

static gt_status parts_of_crop(const gt_scan *s, const struct crop_options *o, kept_part *of)
{
	of[VIEW] = (kept_part){ 0, 1, s->views };
	if ((size_t)o->top + (size_t)o->bottom >= s->rows || (size_t)o->left + (size_t)o->right >= s->columns)
		return gt_fail(GT_ERR_ARG, "%d and %d rows, %d and %d columns to leave out: the detector has %zu and %zu", o->top,
		               o->bottom, o->left, o->right, s->rows, s->columns);
	of[ROW] = (kept_part){ (size_t)o->top, 1, s->rows - (size_t)o->top - (size_t)o->bottom };
	of[COLUMN] = (kept_part){ (size_t)o->left, 1, s->columns - (size_t)o->left - (size_t)o->right };
	return GT_OK;
}

static gt_status inspect_crop(gt_prepare_call *c, const void *options)
{
	kept_part of[AXES] = { { 0, 1, 0 } };
	const gt_status st = parts_of_crop(c->source.scan, options, of);
	return st != GT_OK ? st : know(c, of);
}

static gt_status run_crop(gt_prepare_call *c, const void *options)
{
	kept_part of[AXES] = { { 0, 1, 0 } };
	const gt_status st = parts_of_crop((*c->p)->scan, options, of);
	return st != GT_OK ? st : take(c, of);
}

static gt_status reshape_crop(gt_prepare_call *c, const void *options, const gt_scan *in, size_t *view, gt_scan **out)
{
	kept_part of[AXES] = { { 0, 1, 0 } };
	const gt_status st = parts_of_crop(in, options, of);
	(void)c;
	return st != GT_OK ? st : reshape(in, of, view, out);
}

const gt_preparation gt_preparation_crop = {
	.name = "crop",
	.about = "removes rows and columns at the edges of the detector",
	.params = crop_params,
	.defaults = &crop_defaults,
	.options_size = sizeof crop_defaults,
	.run = run_crop,
	.chunks = GT_BY_VIEWS,
	.inspect = inspect_crop,
	.report = report,
	.reshape = reshape_crop,
};
