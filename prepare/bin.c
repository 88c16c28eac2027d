/* Larger pixels by the mean of transmissions, as a larger pixel counts. A mean of line integrals would be too large
 * behind edges. Trailing rows and columns that fill no pixel are dropped. */
#include <math.h>
#include <stdlib.h>
#include "core/try.h"
#include "prepare/step.h"

struct options {
	int rows, columns;
};
static const struct options defaults = { 2, 2 };
#define AT(field) offsetof(struct options, field)
static const gt_param params[] = {
	{ .key = "rows", .help = "of the detector to one", .kind = GT_INT, .at = AT(rows), .min = 1, .max = 10000 },
	{ .key = "columns", .help = "of the detector to one", .kind = GT_INT, .at = AT(columns), .min = 1, .max = 10000 },
	{ .key = NULL },
};

typedef struct {
	const gt_projections *from;
	gt_projections *to;
	size_t rows, columns;
} bin_call;

/* Pixels of weight 0 do not count, unless all have it. */
static void bin_pixel(const bin_call *b, size_t v, size_t row, size_t column, size_t at)
{
	const gt_projections *p = b->from;
	double t = 0, weight = 0, photons = 0, plain = 0, used = 0;
	for (size_t r = row * b->rows; r < (row + 1) * b->rows; r++)
		for (size_t c = column * b->columns; c < (column + 1) * b->columns; c++) {
			const size_t i = (v * p->scan->rows + r) * p->scan->columns + c;
			const double w = p->weight ? p->weight[i] : 1;
			plain += exp(-p->data[i]);
			t += w > 0 ? exp(-p->data[i]) : 0;
			used += w > 0;
			weight += w;
			photons += p->photons ? p->photons[i] : 0;
		}
	const double cells = (double)(b->rows * b->columns);
	b->to->data[at] = (float)-log(used > 0 ? t / used : plain / cells);
	if (p->weight)
		b->to->weight[at] = (float)(weight / cells);
	if (p->photons)
		b->to->photons[at] = (float)photons;
}

static void loop(void *self, size_t begin, size_t end, int worker)
{
	const bin_call *b = self;
	const gt_scan *s = b->to->scan;
	(void)worker;
	for (size_t v = begin; v < end; v++)
		for (size_t r = 0; r < s->rows; r++)
			for (size_t c = 0; c < s->columns; c++)
				bin_pixel(b, v, r, c, (v * s->rows + r) * s->columns + c);
}

static gt_status reshape(gt_prepare_call *c, const void *options, const gt_scan *in, size_t *view, gt_scan **out)
{
	const struct options *o = options;
	const size_t rows = in->rows / (size_t)o->rows, columns = in->columns / (size_t)o->columns;
	(void)c;
	(void)view;
	if (!rows || !columns)
		return gt_fail(GT_ERR_ARG, "rows=%d, columns=%d: expected at most the %zu rows and %zu columns of the detector", o->rows,
		               o->columns, in->rows, in->columns);
	const gt_status st = gt_scan_clone(in, out);
	if (st != GT_OK)
		return st;
	gt_scan *scan = *out;
	scan->rows = rows;
	scan->columns = columns;
	scan->row_pitch *= o->rows;
	scan->column_pitch *= o->columns;
	scan->row_center = (scan->row_center + 0.5) / o->rows - 0.5;
	scan->column_center = (scan->column_center + 0.5) / o->columns - 0.5;
	return GT_OK;
}

typedef struct {
	struct options by;
	size_t rows, columns; /* detector size */
	double row_mm, column_mm;
} bin_known;

static gt_status inspect(gt_prepare_call *c, const void *options)
{
	const gt_scan *s = c->source.scan;
	const gt_status st = gt_prepare_known(c, sizeof(bin_known));
	if (st == GT_OK)
		*(bin_known *)c->known = (bin_known){ *(const struct options *)options, s->rows, s->columns, s->row_pitch,
			                              s->column_pitch };
	return st;
}

static gt_status run(gt_prepare_call *c, const void *options)
{
	const struct options *o = options;
	const gt_projections *p = *c->p;
	gt_scan *scan = NULL;
	gt_projections *q = NULL;
	gt_status st = GT_OK;
	GT_TRY(reshape(c, options, p->scan, NULL, &scan));
	GT_TRY(gt_prepare_like(p, scan, &q));
	bin_call b = { p, q, (size_t)o->rows, (size_t)o->columns };
	gt_parallel(c->pool, scan->views, 1, loop, &b);
	gt_prepare_replace(c, q);
done:
	gt_scan_free(scan);
	return st;
}

static void report(gt_prepare_call *c)
{
	const bin_known *k = c->known;
	const size_t by[2] = { (size_t)k->by.rows, (size_t)k->by.columns }, left[2] = { k->rows % by[0], k->columns % by[1] };
	gt_prepare_note(c, "%zu rows x %zu columns made of %zu x %zu, of %.4g x %.4g mm now", k->rows / by[0], k->columns / by[1], k->rows,
	                k->columns, k->row_mm * k->by.rows, k->column_mm * k->by.columns);
	if (left[0] + left[1])
		gt_prepare_note(c, "%zu rows and %zu columns at the end fill no pixel: left out", left[0], left[1]);
}

const gt_preparation gt_preparation_bin = {
	.name = "bin",
	.about = "larger pixels: means of transmission, sums of photons",
	GT_STEP_MEMBERS,
	.chunks = GT_BY_VIEWS,
	.inspect = inspect,
	.report = report,
	.reshape = reshape,
};
