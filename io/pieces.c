/* Projections read, and volumes written, in pieces: what the formats share. */
#include "io/pieces.h"
#include <math.h>
#include <string.h>

gt_status gt_views_open(const char *path, const gt_scan *scan, gt_views **v)
{
	const gt_format *f;
	const size_t size[3] = { scan->views, scan->rows, scan->columns };
	gt_status st = gt_format_of(path, &f);
	if (st == GT_OK && !f->open_views)
		st = gt_fail(GT_ERR_UNSUPPORTED, "%s: is a %s file, which is read as a whole: expected NetCDF ('gantry import' writes it)",
		             path, f->about);
	return st != GT_OK ? st : f->open_views(path, size, v);
}

static gt_status check_view(const gt_views *v, size_t view, size_t row, size_t rows, const float *values)
{
	size_t bad = 0, at = 0;
	for (size_t i = 0; i < rows * v->size[2]; i++)
		if (!isfinite(values[i]) && !bad++)
			at = i;
	if (!bad)
		return GT_OK;
	return gt_fail(
		GT_ERR_FORMAT,
		"%s: view %zu: %zu of %zu values in rows %zu to %zu are NaN, infinite or missing, the first at row %zu, column %zu; expected finite numbers",
		v->path, view, bad, rows * v->size[2], row, row + rows - 1, row + at / v->size[2], at % v->size[2]);
}

gt_status gt_views_read(gt_views *v, size_t first, size_t n, size_t row, size_t rows, float *out)
{
	gt_status st = GT_OK;
	if (first + n > v->size[0] || row + rows > v->size[1])
		return gt_fail(GT_ERR_ARG, "%s: views %zu to %zu, rows %zu to %zu: expected %zu views of %zu rows", v->path, first,
		               first + n, row, row + rows, v->size[0], v->size[1]);
	for (size_t i = 0; i < n; i++) {
		float *values = out + i * rows * v->size[2];
		GT_TRY(gt_fail_in(v->read(v, first + i, row, rows, values), "view %zu", first + i));
		GT_TRY(check_view(v, first + i, row, rows, values));
	}
done:
	return st;
}

size_t gt_views_bytes(const gt_views *v) { return v->bytes; }

void gt_views_close(gt_views *v)
{
	if (v)
		v->close(v);
}

gt_status gt_slices_create(const char *path, const gt_write_options *o, const gt_volume *head, gt_slices **s)
{
	const gt_format *f;
	gt_status st = gt_format_to_write(path, 0, &f);
	o = o ? o : &gt_write_defaults;
	if (st == GT_OK)
		st = gt_check_writing(path, o, &head->grid);
	if (st == GT_OK && !f->create_slices)
		st = gt_fail(GT_ERR_UNSUPPORTED,
		             "%s: a %s file is written as a whole: expected a name that ends in .nc, .mha, .mhd or .nii", path, f->about);
	return st != GT_OK ? st : f->create_slices(path, o, head, s);
}

gt_status gt_slices_write(gt_slices *s, size_t n, const float *data)
{
	const size_t plane = s->size[1] * s->size[2];
	gt_status st = GT_OK;
	if (n > s->size[0] - s->written)
		return gt_fail(GT_ERR_ARG, "%s: %zu slices after %zu: expected %zu in all", s->path, n, s->written, s->size[0]);
	GT_TRY(gt_check_finite(s->path, data, s->written * plane, n * plane));
	GT_TRY(s->write(s, s->written, n, data));
	s->written += n;
done:
	return st;
}

gt_status gt_slices_commit(gt_slices *s)
{
	if (s->written == s->size[0])
		return s->commit(s);
	const gt_status st = gt_fail(GT_ERR_ARG, "%s: %zu of %zu slices are written", s->path, s->written, s->size[0]);
	s->drop(s);
	return st;
}

void gt_slices_drop(gt_slices *s)
{
	if (s)
		s->drop(s);
}

gt_status gt_slices_write_all(gt_slices *s, const float *data)
{
	const gt_status st = s->write(s, 0, s->size[0], data);
	if (st == GT_OK)
		return s->commit(s);
	s->drop(s);
	return st;
}
