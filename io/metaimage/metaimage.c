/* The format "metaimage": volumes as .mha (header and data in one file) and .mhd (separate data file). It defines no
 * units; docs/files.md gives the rule for files of other programs. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>
#include "core/text.h"
#include "core/try.h"
#include "geometry/volume.h"
#include "io/metaimage/metaimage.h"
#include "io/same_file.h"
#include "io/slice_writer.h"
#include "io/write_kit/direct_writer.h"
#include "io/write_kit/volume_units.h"
#include "io/table.h"

/* Writes a single line of limited length: other readers have buffers of a few hundred characters. */
static void put_text(FILE *f, const char *key, const char *text)
{
	if (!text)
		return;
	fprintf(f, "%s = ", key);
	for (int i = 0; text[i] && i < 200; i++)
		fputc((unsigned char)text[i] < ' ' ? ' ' : text[i], f);
	fputc('\n', f);
}

/* Writes all lines except the last, which names the data file. */
static void put_head(FILE *f, const gt_write_options *o, const gt_volume *v)
{
	const gt_grid *g = &v->grid;
	int along[3];
	char said[GT_STATED];
	for (int a = 0; a < 3; a++)
		along[a] = gt_metaimage_sign(v, a);
	gt_stated_print(o, o->unit == GT_HU, v, said);
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

struct slices {
	struct gt_slice_writer base;
	char *name[2], *tmp[2]; /* data file, header file; [1] is NULL if both are one file */
	FILE *file[2];
	gt_direct_writer *sink; /* writes the data */
};

static gt_status write_slices(gt_slice_writer *self, size_t first, size_t slices, const float *data)
{
	const size_t plane = self->size[1] * self->size[2];
	return gt_direct_writer_write(((struct slices *)self)->sink, first * plane, slices * plane, data);
}

/* A full disk may be reported only by fclose(). */
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

/* Renames the data first: the existing header names other data until it is replaced. */
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

/* Data after a header start at its end. */
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

const gt_format gt_format_metaimage = {
	.name = "metaimage",
	.about = "MetaImage",
	.extensions = "mha mhd",
	.probe = gt_metaimage_is,
	.unitless = 1,
	.write_volume = write_volume,
	.open_views = gt_metaimage_open_views,
	.create_slices = create_slices,
	.slices = &gt_metaimage_slices,
};
