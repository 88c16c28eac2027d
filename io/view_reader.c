/* View-wise reading of projections: code shared by the formats. */
#include <math.h>
#include "core/arguments.h"
#include "geometry/not_finite.h"
#include "io/dispatch.h"
#include "io/file_access.h"
#include "io/file_lock.h"
#include "io/view_reader.h"

static gt_status view_reader_open(const char *path, const gt_read_options *o, const gt_scan *scan, gt_view_reader **v)
{
	const gt_format *f;
	gt_read_options full;
	const size_t size[3] = { scan->views, scan->rows, scan->columns };
	gt_status st = gt_complete_read_options(path, o, &full);
	full.notes = (gt_listener){ NULL, NULL };
	if (st == GT_OK)
		st = gt_format_of(path, &f);
	if (st == GT_OK && !f->open_views)
		st = gt_fail(GT_ERR_UNSUPPORTED, "%s: is a %s file, which is read as a whole: expected NetCDF ('gantry import' writes it)",
		             path, f->about);
	return st != GT_OK ? st : f->open_views(path, &full, size, v);
}

gt_status gt_view_reader_open(const char *path, const gt_read_options *o, const gt_scan *scan, gt_view_reader **v)
{
	GT_NEED(path);
	GT_NEED(scan);
	GT_NEED(v);
	GT_FILE_LOCKED(view_reader_open(path, o, scan, v));
}

static gt_status view_reader_open_scan(const char *path, const gt_read_options *o, gt_projections **head, gt_view_reader **v)
{
	const gt_format *f;
	gt_read_options full;
	gt_status st = gt_complete_read_options(path, o, &full);
	if (st == GT_OK)
		st = gt_format_of(path, &f);
	if (st == GT_OK && f->open_scan)
		return f->open_scan(path, &full, head, v);
	full.geometry_only = 1;
	if (st == GT_OK)
		st = gt_read_projections(path, &full, head);
	if (st != GT_OK)
		return st;
	if ((st = gt_view_reader_open(path, o, gt_projections_scan(*head), v)) != GT_OK) {
		gt_projections_free(*head);
		*head = NULL;
	}
	return st;
}

gt_status gt_view_reader_open_scan(const char *path, const gt_read_options *o, gt_projections **head, gt_view_reader **v)
{
	GT_NEED(path);
	GT_NEED(head);
	GT_NEED(v);
	GT_FILE_LOCKED(view_reader_open_scan(path, o, head, v));
}

static gt_status check_view(const gt_view_reader *v, size_t view, size_t row, size_t rows, const float *values)
{
	const size_t n = rows * v->size[2], at = gt_first_bad(values, n);
	size_t bad = 0;
	for (size_t i = at; i < n; i++)
		bad += !isfinite(values[i]);
	if (!bad)
		return GT_OK;
	return gt_fail(
		GT_ERR_FORMAT,
		"%s: view %zu: %zu of %zu values in rows %zu to %zu are NaN, infinite or missing, the first at row %zu, column %zu; expected finite numbers",
		v->path, view, bad, n, row, row + rows - 1, row + at / v->size[2], at % v->size[2]);
}

struct reading {
	gt_view_reader *v;
	size_t first, row, rows;
	float *out;
	gt_failure failure;
};

static gt_status read_one(const struct reading *r, size_t i)
{
	float *values = r->out + i * r->rows * r->v->size[2];
	const gt_status st = gt_fail_in(r->v->read(r->v, r->first + i, r->row, r->rows, values), "view %zu", r->first + i);
	return st != GT_OK ? st : check_view(r->v, r->first + i, r->row, r->rows, values);
}

static void read_some(void *self, size_t i, size_t end, int worker)
{
	struct reading *r = self;
	(void)worker;
	for (; i < end && !gt_failure_at(&r->failure, i); i++)
		gt_failure_note(&r->failure, i, read_one(r, i));
}

static gt_status view_reader_read(gt_view_reader *v, size_t first, size_t n, size_t row, size_t rows, float *out)
{
	if (first + n > v->size[0] || row + rows > v->size[1])
		return gt_fail(GT_ERR_ARG, "%s: views %zu to %zu, rows %zu to %zu: expected %zu views of %zu rows", v->path, first,
		               first + n, row, row + rows, v->size[0], v->size[1]);
	struct reading r = { v, first, row, rows, out, GT_NO_FAILURE };
	gt_parallel(v->pool, n, 1, read_some, &r);
	return gt_failure_status(&r.failure);
}

gt_status gt_view_reader_read(gt_view_reader *v, size_t first, size_t n, size_t row, size_t rows, float *out)
{
	GT_NEED(v);
	GT_NEED(out);
	GT_FILE_LOCKED(view_reader_read(v, first, n, row, rows, out));
}

int gt_view_reader_has_statistics(const gt_view_reader *v) { return v->statistics; }

void gt_view_reader_report(gt_view_reader *v, const gt_listener *notes)
{
	gt_read_options o = gt_read_defaults;
	o.notes = *notes;
	if (v->report)
		v->report(v, &o);
}

size_t gt_view_reader_bytes(const gt_view_reader *v) { return v->bytes; }

void gt_view_reader_close(gt_view_reader *v)
{
	gt_file_lock();
	if (v)
		v->close(v);
	gt_file_unlock();
}
