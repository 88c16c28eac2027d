/* Writes a volume slice by slice as raw data and a JSON; .npy has a NumPy header (NumPy Enhancement Proposal 1, R. Kern
 * 2007, version 1.0). An old JSON is removed first and the data are renamed before the new one: no JSON ever describes
 * other data. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "core/text.h"
#include "core/try.h"
#include "geometry/volume.h"
#include "io/file_access.h"
#include "io/metaimage/metaimage.h"
#include "io/plain/plain.h"
#include "io/plain/plain_header.h"
#include "io/slice_writer.h"
#include "io/write_kit/direct_writer.h"
#include "io/write_kit/stored_numbers.h"

enum { PIECE = 1 << 18 }; /* values converted at once */

struct plain_slices {
	struct gt_slice_writer base;
	const gt_volume *volume;
	gt_write_options o;
	gt_stored_numbers numbers;
	char *head, *tmp, *head_tmp;
	FILE *file;
	size_t begin;           /* offset of the data */
	gt_direct_writer *sink; /* writes floats */
	void *piece;            /* converted integers */
};

static const char *type_of(const struct plain_slices *s)
{
	const int big = gt_host_is_msb();
	return s->numbers.bits == 8 ? "u8" : s->numbers.bits == 16 ? big ? "u16be" : "u16le" : big ? "f32be" : "f32le";
}

/* Pads the header to a multiple of 64 bytes. */
static int put_npy_head(struct plain_slices *s)
{
	const size_t *n = s->base.size;
	const char *kind = s->numbers.bits == 8 ? "u1" : s->numbers.bits == 16 ? "u2" : "f4";
	const char order = s->numbers.bits == 8 ? '|' : gt_host_is_msb() ? '>' : '<';
	char text[256];
	const size_t length = (size_t)snprintf(text, sizeof text, "{'descr': '%c%s', 'fortran_order': False, 'shape': (%zu, %zu, %zu), }",
	                                       order, kind, n[0], n[1], n[2]),
		     all = (10 + length + 1 + 63) / 64 * 64, size = all - 10;
	s->begin = all;
	return fprintf(s->file, "\x93NUMPY%c%c%c%c%-*s\n", 1, 0, (int)(size & 255), (int)(size >> 8), (int)size - 1, text) == (int)all;
}

static gt_status write_whole_numbers(struct plain_slices *s, size_t first, size_t n, const float *data)
{
	const size_t bytes = s->numbers.bits / 8;
	gt_status st = GT_OK;
	for (size_t i = 0; i < n && st == GT_OK; i += PIECE) {
		const size_t some = n - i < PIECE ? n - i : PIECE;
		gt_stored_numbers_of(&s->numbers, data + i, some, s->piece);
		st = gt_write_at(s->base.path, fileno(s->file), (off_t)(s->begin + (first + i) * bytes), some * bytes, s->piece);
	}
	return st;
}

static gt_status write_(gt_slice_writer *self, size_t first, size_t slices, const float *data)
{
	struct plain_slices *s = (struct plain_slices *)self;
	const size_t plane = self->size[1] * self->size[2];
	return s->sink ? gt_direct_writer_write(s->sink, first * plane, slices * plane, data)
	               : write_whole_numbers(s, first * plane, slices * plane, data);
}

static void drop(gt_slice_writer *self)
{
	struct plain_slices *s = (struct plain_slices *)self;
	gt_direct_writer_free(s->sink);
	if (s->file)
		fclose(s->file);
	if (s->tmp)
		gt_tmp_drop(s->tmp);
	if (s->head_tmp)
		gt_tmp_drop(s->head_tmp);
	free(s->head);
	free(s->piece);
	free(s);
}

static gt_status close_file(struct plain_slices *s, const char *path, int failed)
{
	FILE *f = s->file;
	s->file = NULL;
	return fclose(f) != 0 || failed ? gt_fail(GT_ERR_IO, "%s: cannot be written: %s", path, strerror(errno)) : GT_OK;
}

static gt_status put_head(struct plain_slices *s)
{
	const gt_plain_numbers n = { type_of(s), s->begin, s->numbers.step, s->numbers.low, s->numbers.water > 0 };
	char *text = gt_plain_print(s->base.path, &s->o, s->volume, &n);
	gt_status st = text ? GT_OK : gt_fail(GT_ERR_MEMORY, "%s: out of memory", s->head);
	if (st == GT_OK && !(s->file = fopen(s->head_tmp, "wb")))
		st = gt_fail(GT_ERR_IO, "%s: %s", s->head, strerror(errno));
	if (st == GT_OK)
		st = close_file(s, s->head, fprintf(s->file, "%s\n", text) < 0);
	free(text);
	return st;
}

static gt_status rename_(char **tmp, const char *path)
{
	char *name = *tmp;
	*tmp = NULL;
	return gt_tmp_commit(name, path);
}

static gt_status commit(gt_slice_writer *self)
{
	struct plain_slices *s = (struct plain_slices *)self;
	gt_status st = GT_OK;
	GT_TRY(close_file(s, s->base.path, 0));
	GT_TRY(put_head(s));
	if (unlink(s->head) != 0 && errno != ENOENT)
		GT_TRY(gt_fail(GT_ERR_IO, "%s: cannot be replaced: %s", s->head, strerror(errno)));
	GT_TRY(rename_(&s->tmp, s->base.path));
	GT_TRY(rename_(&s->head_tmp, s->head));
	gt_stored_numbers_note(s->base.path, &s->o, &s->numbers, &s->volume->grid);
done:
	drop(self);
	return st;
}

static gt_status open_files(struct plain_slices *s, int npy)
{
	const char *path = s->base.path;
	gt_status st = GT_OK;
	GT_TRY(gt_plain_may_write(path, &s->head));
	if (gt_metaimage_is_named(path) > 0)
		GT_TRY(gt_fail(GT_ERR_IO, "%s: is the data file of a MetaImage header: expected another name", path));
	GT_TRY(gt_tmp_path(path, &s->tmp));
	GT_TRY(gt_tmp_path(s->head, &s->head_tmp));
	if (!(s->file = fopen(s->tmp, "wb")) || (npy && !put_npy_head(s)) || fflush(s->file) != 0)
		GT_TRY(gt_fail(GT_ERR_IO, "%s: cannot be written: %s", path, strerror(errno)));
	if (s->numbers.bits < 32) {
		if (!(s->piece = malloc((size_t)PIECE * s->numbers.bits / 8)))
			GT_TRY(gt_fail(GT_ERR_MEMORY, "%s: out of memory", path));
		return GT_OK;
	}
	const int past = gt_direct_writer_past((double)gt_grid_voxels(&s->volume->grid) * sizeof(float));
	GT_TRY(gt_direct_writer_new(path, s->tmp, fileno(s->file), (off_t)s->begin, past, s->numbers.water, &s->sink));
	s->base.pool = gt_direct_writer_pool(s->sink);
done:
	return st;
}

gt_status gt_plain_create(int npy, const char *path, const gt_write_options *o, const gt_volume *head, gt_slice_writer **out)
{
	const gt_grid *g = &head->grid;
	gt_status st = GT_OK;
	struct plain_slices *s = calloc(1, sizeof *s);
	if (!s)
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory", path);
	s->base = (struct gt_slice_writer){
		.path = path, .size = { g->n[2], g->n[1], g->n[0] }, .write = write_, .commit = commit, .drop = drop
	};
	s->volume = head;
	s->o = *o;
	GT_TRY(gt_stored_numbers_set(path, o, head, &s->numbers));
	GT_TRY(open_files(s, npy));
	*out = &s->base;
done:
	if (st != GT_OK)
		drop(&s->base);
	return st;
}

gt_status gt_plain_write(int npy, const char *path, const gt_write_options *given, const gt_volume *v)
{
	gt_write_options o = *given;
	gt_slice_writer *s;
	gt_status st = gt_stored_numbers_range(path, v, &o);
	if (st == GT_OK)
		st = gt_plain_create(npy, path, &o, v, &s);
	return st != GT_OK ? st : gt_slice_writer_write_all(s, v->data);
}
