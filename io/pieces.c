/* Projections read, and volumes written, in pieces: what the formats share. */
#include <errno.h>
#include <math.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "core/try.h"
#include "geometry/volume.h"
#include "io/pieces.h"
#include "io/write_kit/direct_writer.h"

gt_status gt_view_reader_open(const char *path, const gt_scan *scan, gt_view_reader **v)
{
	const gt_format *f;
	const size_t size[3] = { scan->views, scan->rows, scan->columns };
	gt_status st = gt_format_of(path, &f);
	if (st == GT_OK && !f->open_views)
		st = gt_fail(GT_ERR_UNSUPPORTED, "%s: is a %s file, which is read as a whole: expected NetCDF ('gantry import' writes it)",
		             path, f->about);
	return st != GT_OK ? st : f->open_views(path, size, v);
}

/* Files and threads --------------------------------------------------------- */

gt_status gt_read_at(const char *path, int file, off_t at, size_t bytes, void *to)
{
	for (char *p = to; bytes;) {
		const ssize_t done = pread(file, p, bytes, at);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return gt_fail(GT_ERR_IO, "%s: cannot be read: %s", path, done ? strerror(errno) : "it ends too early");
		p += done;
		at += done;
		bytes -= (size_t)done;
	}
	return GT_OK;
}

gt_status gt_write_at(const char *path, int file, off_t at, size_t bytes, const void *from)
{
	for (const char *p = from; bytes;) {
		const ssize_t done = pwrite(file, p, bytes, at);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return gt_fail(GT_ERR_IO, "%s: cannot be written: %s", path, done ? strerror(errno) : "no room");
		p += done;
		at += done;
		bytes -= (size_t)done;
	}
	return GT_OK;
}

void gt_failure_note(gt_failure *f, size_t item, gt_status status)
{
	if (status == GT_OK)
		return;
	pthread_mutex_lock(&f->lock);
	if (f->status == GT_OK || item < f->item) {
		f->item = item;
		f->status = status;
		snprintf(f->message, sizeof f->message, "%s", gt_error());
	}
	pthread_mutex_unlock(&f->lock);
}

int gt_failure_at(gt_failure *f, size_t item)
{
	pthread_mutex_lock(&f->lock);
	const int failed = f->status != GT_OK && f->item < item;
	pthread_mutex_unlock(&f->lock);
	return failed;
}

gt_status gt_failure_told(gt_failure *f)
{
	pthread_mutex_destroy(&f->lock);
	return f->status == GT_OK ? GT_OK : gt_fail(f->status, "%s", f->message);
}

/* Without a branch per value: as fast as memory. */
static int all_finite(const float *data, size_t n)
{
	uint32_t bad = 0;
	for (size_t i = 0; i < n; i++) {
		uint32_t bits;
		memcpy(&bits, data + i, sizeof bits);
		bad |= (bits & 0x7f800000u) == 0x7f800000u;
	}
	return !bad;
}

size_t gt_first_bad(const float *data, size_t n)
{
	enum { PIECE = 4096 };
	for (size_t at = 0; at < n; at += PIECE) {
		const size_t count = n - at < PIECE ? n - at : PIECE;
		if (all_finite(data + at, count))
			continue;
		while (isfinite(data[at]))
			at++;
		return at;
	}
	return n;
}

/* Views ------------------------------------------------------------------------ */

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

gt_status gt_view_reader_read(gt_view_reader *v, size_t first, size_t n, size_t row, size_t rows, float *out)
{
	if (first + n > v->size[0] || row + rows > v->size[1])
		return gt_fail(GT_ERR_ARG, "%s: views %zu to %zu, rows %zu to %zu: expected %zu views of %zu rows", v->path, first,
		               first + n, row, row + rows, v->size[0], v->size[1]);
	struct reading r = { v, first, row, rows, out, GT_NO_FAILURE };
	gt_parallel(v->pool, n, 1, read_some, &r);
	return gt_failure_told(&r.failure);
}

size_t gt_view_reader_bytes(const gt_view_reader *v) { return v->bytes; }

void gt_view_reader_close(gt_view_reader *v)
{
	if (v)
		v->close(v);
}

/* Slices ----------------------------------------------------------------------- */

static gt_status format_of_slices(const char *path, const gt_format **f)
{
	const gt_status st = gt_format_to_write(path, 0, f);
	return st != GT_OK || (*f)->create_slices
	               ? st
	               : gt_fail(GT_ERR_UNSUPPORTED,
	                         "%s: the format %s is written as a whole: expected a name that ends in .nc, .mha, .mhd or .nii", path,
	                         (*f)->about);
}

gt_status gt_can_write_slices(const char *path)
{
	const gt_format *f;
	return format_of_slices(path, &f);
}

/* What is written past the cache of files, or changed on the way, is copied. */
size_t gt_slice_writer_bytes(const gt_write_options *o, const gt_grid *grid)
{
	const size_t plane = grid->n[0] * grid->n[1] * sizeof(float);
	const int hu = o && o->unit == GT_HU, copied = hu || gt_direct_writer_past((double)plane * (double)grid->n[2]);
	return (copied ? GT_DIRECT_WRITER_BYTES : 0) + 2 * plane + (hu ? plane : 0);
}

gt_status gt_slice_writer_create(const char *path, const gt_write_options *o, const gt_volume *head, gt_slice_writer **s)
{
	const gt_format *f;
	gt_write_options full;
	gt_status st = GT_OK;
	GT_TRY(gt_need_argument("gt_slice_writer_create", "a volume", head));
	GT_TRY(gt_complete_write_options(path, o, &full));
	GT_TRY(format_of_slices(path, &f));
	GT_TRY(gt_check_writing(path, &full, &head->grid));
	GT_TRY(f->create_slices(path, &full, head, s));
done:
	return st;
}

struct checking {
	const float *data;
	atomic_int bad;
};

static void check_some(void *self, size_t i, size_t end, int worker)
{
	struct checking *c = self;
	(void)worker;
	if (gt_first_bad(c->data + i, end - i) < end - i)
		atomic_store(&c->bad, 1);
}

static gt_status check_slices(const gt_slice_writer *s, size_t n, const float *data)
{
	struct checking c = { data, 0 };
	gt_parallel(s->pool, n, 1 << 20, check_some, &c);
	return atomic_load(&c.bad) ? gt_check_finite(s->path, data, s->written * s->size[1] * s->size[2], n) : GT_OK;
}

gt_status gt_slice_writer_write(gt_slice_writer *s, size_t n, const float *data)
{
	const size_t plane = s->size[1] * s->size[2];
	gt_status st = GT_OK;
	if (n > s->size[0] - s->written)
		return gt_fail(GT_ERR_ARG, "%s: %zu slices after %zu: expected %zu in all", s->path, n, s->written, s->size[0]);
	GT_TRY(check_slices(s, n * plane, data));
	GT_TRY(s->write(s, s->written, n, data));
	s->written += n;
done:
	return st;
}

gt_status gt_slice_writer_commit(gt_slice_writer *s)
{
	if (s->written == s->size[0])
		return s->commit(s);
	const gt_status st = gt_fail(GT_ERR_ARG, "%s: %zu of %zu slices are written", s->path, s->written, s->size[0]);
	s->drop(s);
	return st;
}

void gt_slice_writer_drop(gt_slice_writer *s)
{
	if (s)
		s->drop(s);
}

gt_status gt_slice_writer_write_all(gt_slice_writer *s, const float *data)
{
	const gt_status st = s->write(s, 0, s->size[0], data);
	if (st == GT_OK)
		return s->commit(s);
	s->drop(s);
	return st;
}
