/* Data of MetaImage files: volumes by slices, and projections by views. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "core/files/opener.h"
#include "core/try.h"
#include "geometry/patient_position.h"
#include "geometry/volume.h"
#include "io/external.h"
#include "io/file_access.h"
#include "io/metaimage/metaimage.h"
#include "io/slice_reader.h"
#include "io/view_reader.h"
#include "io/write_kit/volume_units.h"

enum { PIECE = 1 << 20 }; /* values converted at once */
#define TOO_LONG "%s: %.0f bytes follow the last of %zu x %zu x %zu values of %s"

int gt_metaimage_sign(const gt_volume *v, int axis) { return gt_position_sign(v->position, axis) * (axis < 2 ? -1 : 1); }

/* *more: bytes after the last value. */
static gt_status open_data(const char *path, const gt_metaimage_head *h, FILE **file, double *more)
{
	const char *name = h->data_file ? h->data_file : path;
	const double bytes = (double)gt_grid_voxels(&h->grid) * (double)h->type->size;
	struct stat s;
	const gt_status st = h->data_file ? gt_external_check(path, "key ElementDataFile", name) : GT_OK;
	if (st != GT_OK)
		return st;
	if (stat(name, &s) != 0)
		return gt_fail(GT_ERR_IO, "%s: its data file %s: %s", path, name, strerror(errno));
	const double start = h->data_at >= 0 ? (double)h->data_at : (double)s.st_size - bytes, room = (double)s.st_size - start;
	if (start < 0 || room < bytes)
		return gt_fail(GT_ERR_FORMAT, "%s: truncated: %zu x %zu x %zu voxels of %s need %.0f bytes, %s%s has %.0f", path,
		               h->grid.n[0], h->grid.n[1], h->grid.n[2], h->type->met, bytes, h->data_file ? "data file " : "the file",
		               h->data_file ? name : "",
		               start < 0  ? (double)s.st_size
		               : room > 0 ? room
		                          : 0);
	*more = room - bytes;
	const gt_status opened = gt_file_stream(name, file, NULL);
	if (opened == GT_OK && fseeko(*file, (off_t)start, SEEK_SET) != 0)
		return gt_fail(GT_ERR_IO, "%s: %s", name, strerror(errno));
	return opened;
}

/* Axes of other programs, and of early Gantry files, are the scanner's unless the user states the patient position.
 * With a position, and in Gantry's files, axes point to the patient's left, back and head. */
static void put_in_place(const char *path, const gt_metaimage_head *h, const gt_read_options *o, gt_volume *v, int flip[3])
{
	const int told = o->position != GT_POSITION_AUTO, said = h->said.position != GT_POSITION_AUTO;
	v->position = told ? o->position : said ? h->said.position : GT_HFS;
	v->positioned = told || (said && !h->said.assumed);
	if (!told && !h->said.ours)
		gt_read_note(o, "%s: axes taken as the scanner's (those of a patient: gantry convert --position HFS)", path);
	for (int a = 0; a < 3; a++) {
		const int turned = (told || said) && gt_metaimage_sign(v, a) < 0;
		flip[a] = h->flip[a] != turned;
		v->grid.center[a] = turned ? -h->grid.center[a] : h->grid.center[a];
	}
}

struct stored {
	struct gt_slice_reader base;
	gt_metaimage_head head;
	FILE *file;
	off_t begin;
	void *piece;
	int flip[3];
};

static gt_status read_stored(gt_slice_reader *self, size_t first, size_t n, float *out)
{
	struct stored *s = (struct stored *)self;
	const size_t plane = self->size[1] * self->size[2], all = n * plane, bytes = s->head.type->size;
	const size_t begin = gt_stored_slice(self->size[0], first, n, s->flip[2]) * plane;
	gt_status st = GT_OK;
	for (size_t at = 0; at < all && st == GT_OK; at += PIECE) {
		const size_t count = all - at < PIECE ? all - at : PIECE;
		st = gt_read_at(self->path, fileno(s->file), s->begin + (off_t)((begin + at) * bytes), count * bytes, s->piece);
		if (st == GT_OK)
			s->head.type->convert(s->piece, count, s->head.swap, out + at);
	}
	if (st == GT_OK)
		gt_voxels_flip(out, (const size_t[3]){ self->size[2], self->size[1], n }, s->flip);
	return st;
}

static void close_stored(gt_slice_reader *self)
{
	struct stored *s = (struct stored *)self;
	if (s->file)
		fclose(s->file);
	gt_metaimage_clear(&s->head);
	free(s->piece);
	free(s);
}

/* Opens the data of volume v, whose grid is set. */
static gt_status open_numbers(struct stored *s, const gt_read_options *o, gt_volume *v)
{
	const gt_metaimage_head *h = &s->head;
	const char *path = s->base.path;
	gt_scaling scaling = { .slope = NAN, .offset = NAN };
	double more;
	gt_status st;
	GT_TRY(gt_volume_scaling(path, "MetaImage", h->type->met, h->type->meaning, &h->said, o, &scaling));
	GT_TRY(open_data(path, h, &s->file, &more));
	if (more > 0)
		gt_read_note(o, TOO_LONG ": if they precede the values, set HeaderSize = -1", path, more, h->grid.n[0], h->grid.n[1],
		             h->grid.n[2], h->type->met);
	if ((s->begin = ftello(s->file)) < 0 || !(s->piece = malloc(PIECE * h->type->size)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "%s: out of memory", path));
	s->base.bytes = PIECE * h->type->size;
	gt_volume_scale(v, &scaling, &h->said, o, &s->base.scale, &s->base.offset);
done:
	return st;
}

static gt_status open_stored(gt_slice_reader *self, const gt_read_options *o, gt_volume *v)
{
	struct stored *s = (struct stored *)self;
	const char *path = self->path;
	gt_status st = GT_OK;
	GT_TRY(gt_metaimage_read_head(path, 0, &s->head));
	v->grid = s->head.grid;
	gt_slice_reader_size(self, &v->grid);
	if (!o->geometry_only)
		GT_TRY(open_numbers(s, o, v));
	put_in_place(path, &s->head, o, v, s->flip);
	v->from = s->head.from;
	memset(&s->head.from, 0, sizeof s->head.from);
done:
	return st;
}

const gt_slice_source gt_metaimage_slices = { sizeof(struct stored), open_stored, read_stored, close_stored };

/* Projections, columns x rows x views ---------------------------------------- */

struct views {
	struct gt_view_reader base;
	gt_metaimage_head head;
	FILE *file;
	off_t begin;
	void *piece; /* one view as stored; NULL: no conversion needed */
};

static void close_views(gt_view_reader *self)
{
	struct views *v = (struct views *)self;
	if (v->file)
		fclose(v->file);
	gt_metaimage_clear(&v->head);
	gt_pool_free(v->base.pool);
	free(v->piece);
	free(v);
}

static gt_status read_view(gt_view_reader *self, size_t view, size_t row, size_t rows, float *out)
{
	struct views *v = (struct views *)self;
	const size_t size = v->head.type->size, columns = v->base.size[2], n = rows * columns;
	const off_t at = v->begin + (off_t)((view * v->base.size[1] + row) * columns * size);
	const gt_status st = gt_read_at(v->base.path, fileno(v->file), at, n * size, v->piece ? v->piece : out);
	if (st == GT_OK && v->piece)
		v->head.type->convert(v->piece, n, v->head.swap, out);
	return st;
}

/* 1 if values are stored in the output's type and byte order. */
static int is_wanted(const gt_metaimage_head *h) { return !strcmp(h->type->met, "MET_FLOAT") && !h->swap; }

gt_status gt_metaimage_open_views(const char *path, const gt_read_options *o, const size_t size[3], gt_view_reader **out)
{
	(void)o;
	gt_status st;
	double more;
	struct views *v = calloc(1, sizeof *v);
	if (!v)
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory", path);
	v->base = (struct gt_view_reader){ .path = path, .size = { size[0], size[1], size[2] }, .read = read_view, .close = close_views };
	GT_TRY(gt_metaimage_read_head(path, 1, &v->head));
	const size_t *n = v->head.grid.n;
	if (n[0] != size[2] || n[1] != size[1] || n[2] != size[0])
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: key DimSize: is %zu %zu %zu, expected the scan's %zu columns, %zu rows, %zu views", path,
		               n[0], n[1], n[2], size[2], size[1], size[0]));
	if (v->head.flip[0] || v->head.flip[1] || v->head.flip[2])
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "%s: key TransformMatrix: projections are expected without reversed axes", path));
	GT_TRY(open_data(path, &v->head, &v->file, &more));
	if (more > 0)
		GT_TRY(gt_fail(GT_ERR_FORMAT, TOO_LONG ": expected the projections alone", path, more, n[0], n[1], n[2],
		               v->head.type->met));
	v->begin = ftello(v->file);
	if (is_wanted(&v->head)) {
		GT_TRY(gt_pool_new(GT_READERS, &v->base.pool));
		*out = &v->base;
		goto done;
	}
	v->base.bytes = size[1] * size[2] * v->head.type->size;
	if (!(v->piece = malloc(v->base.bytes)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "%s: out of memory", path));
	*out = &v->base;
done:
	if (st != GT_OK)
		close_views(&v->base);
	return st;
}
