/* The format "metaimage": volumes as .mha (head and data in one file) and .mhd (data beside it). It has no units: the rule
 * for files of others is in docs/files.md. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>
#include "core/text.h"
#include "core/try.h"
#include "geometry/volume.h"
#include "io/external.h"
#include "io/metaimage/metaimage.h"
#include "io/file_access.h"
#include "io/slice_writer.h"
#include "io/view_reader.h"
#include "io/write_kit/direct_writer.h"
#include "io/write_kit/volume_units.h"
#include "io/table.h"

enum { PIECE = 1 << 20 }; /* values converted at a time */
#define TOO_LONG "%s: %.0f bytes follow the last of %zu x %zu x %zu values of %s"

/* The frame of the format has x to the patient's left and y to his back. */
static int left_back_head(const gt_volume *v, int axis) { return gt_position_sign(v->position, axis) * (axis < 2 ? -1 : 1); }

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
	if (!(*file = fopen(name, "rb")) || fseeko(*file, (off_t)start, SEEK_SET) != 0)
		return gt_fail(GT_ERR_IO, "%s: %s", name, strerror(errno));
	return GT_OK;
}

static gt_status read_data(const char *path, FILE *file, const gt_metaimage_head *h, float *data)
{
	const size_t n = gt_grid_voxels(&h->grid), most = PIECE, size = h->type->size;
	void *piece = malloc(most * size);
	if (!piece)
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory", path);
	gt_status st = GT_OK;
	for (size_t at = 0; at < n && st == GT_OK; at += most) {
		const size_t count = n - at < most ? n - at : most;
		if (fread(piece, size, count, file) != count)
			st = gt_fail(GT_ERR_IO, "%s: cannot be read: %s", path, ferror(file) ? strerror(errno) : "it ends too early");
		else
			h->type->convert(piece, count, h->swap, data + at);
	}
	free(piece);
	return st;
}

/* Files of others name the scanner's axes, as ours once did, unless the user says how the patient lay: then, and in ours, they are
 * the patient's, to his left, back and head. */
static void put_in_place(const char *path, const gt_metaimage_head *h, const gt_read_options *o, gt_volume *v)
{
	const int told = o->position != GT_POSITION_AUTO, said = h->said.position != GT_POSITION_AUTO;
	int flip[3];
	v->position = told ? o->position : said ? h->said.position : GT_HFS;
	v->positioned = told || (said && !h->said.assumed);
	if (!told && !h->said.ours)
		gt_read_note(o, "%s: axes taken as the scanner's", path);
	for (int a = 0; a < 3; a++) {
		const int turned = (told || said) && left_back_head(v, a) < 0;
		flip[a] = h->flip[a] != turned;
		v->grid.center[a] = turned ? -h->grid.center[a] : h->grid.center[a];
	}
	if (v->data)
		gt_volume_flip(v, flip);
}

static gt_status read_volume(const char *path, const gt_read_options *o, gt_volume **out)
{
	gt_status st;
	gt_metaimage_head h;
	FILE *file = NULL;
	double more;
	gt_scaling scaling = { .slope = NAN, .offset = NAN };
	gt_volume *v = gt_volume_blank();
	GT_TRY(gt_metaimage_read_head(path, 0, &h));
	if (!v)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "%s: out of memory", path));
	v->grid = h.grid;
	if (o->geometry_only) {
		put_in_place(path, &h, o, v);
		*out = v;
		v = NULL;
		goto done;
	}
	GT_TRY(gt_volume_scaling(path, "MetaImage", h.type->met, h.type->meaning, &h.said, o, &scaling));
	GT_TRY(open_data(path, &h, &file, &more));
	if (more > 0)
		gt_read_note(o, TOO_LONG, path, more, h.grid.n[0], h.grid.n[1], h.grid.n[2], h.type->met);
	GT_TRY(gt_fail_in(gt_host_room((double)gt_grid_voxels(&h.grid) * sizeof(float), "volume"), "%s", path));
	if (!(v->data = malloc(gt_grid_voxels(&v->grid) * sizeof(float))))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "%s: out of memory", path));
	GT_TRY(read_data(path, file, &h, v->data));
	GT_TRY(gt_volume_finite(path, v));
	put_in_place(path, &h, o, v);
	gt_volume_scale(v, &scaling, &h.said, o);
	GT_TRY(gt_volume_finite(path, v));
	v->from = h.from;
	memset(&h.from, 0, sizeof h.from);
	*out = v;
	v = NULL;
done:
	if (file)
		fclose(file);
	gt_metaimage_clear(&h);
	gt_volume_free(v);
	return st;
}

/* One line that other readers take: they hold values in buffers of a few hundred characters. */
static void put_text(FILE *f, const char *key, const char *text)
{
	if (!text)
		return;
	fprintf(f, "%s = ", key);
	for (int i = 0; text[i] && i < 200; i++)
		fputc((unsigned char)text[i] < ' ' ? ' ' : text[i], f);
	fputc('\n', f);
}

/* All but the last line, which names the file of the data. */
static void put_head(FILE *f, const gt_write_options *o, const gt_volume *v)
{
	const gt_grid *g = &v->grid;
	int along[3];
	char said[GT_SAID];
	for (int a = 0; a < 3; a++)
		along[a] = left_back_head(v, a);
	gt_said_print(o, o->unit == GT_HU, v, said);
	fprintf(f, "ObjectType = Image\nNDims = 3\nComment = %s\n", said);
	put_text(f, "GantryCommand", v->from.command);
	put_text(f, "GantryParameters", v->from.parameters);
	if (v->from.scan_hash)
		fprintf(f, "GantryScanHash = %016" PRIx64 "\n", v->from.scan_hash);
	fprintf(f, "BinaryData = True\nBinaryDataByteOrderMSB = %s\nCompressedData = False\n", gt_host_is_msb() ? "True" : "False");
	fprintf(f, "TransformMatrix = %d 0 0 0 %d 0 0 0 %d\n", along[0], along[1], along[2]);
	gt_fprintf(f, "Offset = %.17g %.17g %.17g\n", along[0] * gt_grid_first(g, 0), along[1] * gt_grid_first(g, 1),
	           along[2] * gt_grid_first(g, 2));
	fprintf(f, "CenterOfRotation = 0 0 0\n");
	gt_fprintf(f, "ElementSpacing = %.17g %.17g %.17g\n", g->pitch[0], g->pitch[1], g->pitch[2]);
	fprintf(f, "DimSize = %zu %zu %zu\n", g->n[0], g->n[1], g->n[2]);
	fprintf(f, "ElementType = MET_FLOAT\n");
}

static void put_data_file(FILE *f, const char *path)
{
	const char *slash = strrchr(path, '/');
	fprintf(f, "ElementDataFile = %s\n", slash ? slash + 1 : path);
}

/* Slices: one file, or head and data in two. */
struct slices {
	struct gt_slice_writer base;
	char *name[2], *tmp[2]; /* of the data, and of the head; the same file: the first alone */
	FILE *file[2];
	gt_direct_writer *sink; /* of the data */
};

static gt_status write_slices(gt_slice_writer *self, size_t first, size_t slices, const float *data)
{
	const size_t plane = self->size[1] * self->size[2];
	return gt_direct_writer_write(((struct slices *)self)->sink, first * plane, slices * plane, data);
}

/* A full disk may only show here. */
static gt_status close_file(struct slices *s, int k)
{
	FILE *f = s->file[k];
	s->file[k] = NULL;
	if (!f)
		return GT_OK;
	const int failed = ferror(f);
	return fclose(f) != 0 || failed ? gt_fail(GT_ERR_IO, "%s: cannot be written: %s", s->name[k], strerror(errno)) : GT_OK;
}

static void drop_slices(gt_slice_writer *self)
{
	struct slices *s = (struct slices *)self;
	gt_direct_writer_free(s->sink);
	for (int k = 0; k < 2; k++) {
		if (s->file[k])
			fclose(s->file[k]);
		gt_tmp_drop(s->tmp[k]);
		free(s->name[k]);
	}
	free(s);
}

static gt_status rename_file(struct slices *s, int k)
{
	char *tmp = s->tmp[k];
	s->tmp[k] = NULL;
	return gt_tmp_commit(tmp, s->name[k]);
}

/* The data first: the head that is there names others until it is replaced. */
static gt_status commit_pair(struct slices *s)
{
	const char *path = s->name[1];
	char *old = gt_data_file(path), *tmp = s->tmp[0], *data = NULL;
	gt_status st;
	s->tmp[0] = NULL;
	GT_TRY(gt_metaimage_commit_data(tmp, path, &data));
	put_data_file(s->file[1], data);
	GT_TRY(close_file(s, 1));
	GT_TRY(rename_file(s, 1));
	gt_metaimage_drop_data(path, old);
done:
	if (st != GT_OK && data)
		unlink(data);
	free(data);
	free(old);
	return st;
}

static gt_status commit_slices(gt_slice_writer *self)
{
	struct slices *s = (struct slices *)self;
	gt_status st = close_file(s, 0);
	if (st == GT_OK)
		st = s->name[1] ? commit_pair(s) : rename_file(s, 0);
	drop_slices(self);
	return st;
}

static gt_status open_new(struct slices *s, int k, char *name)
{
	gt_status st;
	if (!(s->name[k] = name))
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory", s->base.path);
	st = gt_tmp_path(name, &s->tmp[k]);
	if (st == GT_OK && !(s->file[k] = fopen(s->tmp[k], "wb")))
		st = gt_fail(GT_ERR_IO, "%s: %s", name, strerror(errno));
	return st;
}

static gt_status open_files(struct slices *s, const gt_write_options *o, const gt_volume *head)
{
	const char *path = s->base.path;
	const size_t n = strlen(path);
	gt_status st;
	if (!(n > 4 && !strcasecmp(path + n - 4, ".mhd"))) {
		GT_TRY(open_new(s, 0, strdup(path)));
		put_head(s->file[0], o, head);
		put_data_file(s->file[0], "LOCAL");
		goto done;
	}
	GT_TRY(open_new(s, 0, gt_metaimage_data_name(path, 0)));
	GT_TRY(open_new(s, 1, strdup(path)));
	put_head(s->file[1], o, head);
done:
	return st;
}

/* What follows the head is written at its place. */
static gt_status open_sink(struct slices *s, const gt_write_options *o, const gt_volume *head)
{
	const double water = o->unit == GT_HU ? gt_hu_water(o, head) : 0;
	off_t begin;
	if (fflush(s->file[0]) != 0 || (begin = ftello(s->file[0])) < 0)
		return gt_fail(GT_ERR_IO, "%s: cannot be written: %s", s->base.path, strerror(errno));
	const int past = gt_direct_writer_past((double)gt_grid_voxels(&head->grid) * sizeof(float));
	const gt_status st = gt_direct_writer_new(s->base.path, s->tmp[0], fileno(s->file[0]), begin, past, water, &s->sink);
	s->base.pool = s->sink ? gt_direct_writer_pool(s->sink) : NULL;
	return st;
}

static gt_status create_slices(const char *path, const gt_write_options *o, const gt_volume *head, gt_slice_writer **out)
{
	const gt_grid *g = &head->grid;
	gt_status st;
	struct slices *s = calloc(1, sizeof *s);
	if (!s)
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory", path);
	s->base = (struct gt_slice_writer){
		.path = path, .size = { g->n[2], g->n[1], g->n[0] }, .write = write_slices, .commit = commit_slices, .drop = drop_slices
	};
	GT_TRY(open_files(s, o, head));
	GT_TRY(open_sink(s, o, head));
	*out = &s->base;
done:
	if (st != GT_OK)
		drop_slices(&s->base);
	return st;
}

static gt_status write_volume(const char *path, const gt_write_options *o, const gt_volume *v)
{
	gt_slice_writer *s;
	const gt_status st = create_slices(path, o, v, &s);
	return st != GT_OK ? st : gt_slice_writer_write_all(s, v->data);
}

/* Projections, columns x rows x views ---------------------------------------- */

struct views {
	struct gt_view_reader base;
	gt_metaimage_head head;
	FILE *file;
	off_t begin;
	void *piece; /* one view, as it is stored; NULL: as it is wanted */
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

/* Are the numbers stored as they are handed out? */
static int is_wanted(const gt_metaimage_head *h) { return !strcmp(h->type->met, "MET_FLOAT") && !h->swap; }

static gt_status open_views(const char *path, const gt_read_options *o, const size_t size[3], gt_view_reader **out)
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

const gt_format gt_format_metaimage = {
	.name = "metaimage",
	.about = "MetaImage",
	.extensions = "mha mhd",
	.probe = gt_metaimage_is,
	.unitless = 1,
	.read_volume = read_volume,
	.write_volume = write_volume,
	.open_views = open_views,
	.create_slices = create_slices,
};
