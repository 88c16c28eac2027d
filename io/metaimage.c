/* The format "metaimage": volumes as .mha (head and data in one file) and .mhd (data beside it). It has no units: the rule
 * for files of others is in docs/files.md. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include "io/metaimage.h"
#include "io/volume_fix.h"

/* The frame of the format has x to the patient's left and y to his back. */
static int left_back_head(const gt_volume *v, int axis) { return gt_position_sign(v->position, axis) * (axis < 2 ? -1 : 1); }

static gt_status open_data(const char *path, const gt_met_head *h, FILE **file)
{
	const char *name = h->data_file ? h->data_file : path;
	const double bytes = (double)gt_grid_voxels(&h->grid) * (double)h->type->size;
	struct stat s;
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
	if (!(*file = fopen(name, "rb")) || fseeko(*file, (off_t)start, SEEK_SET) != 0)
		return gt_fail(GT_ERR_IO, "%s: %s", name, strerror(errno));
	return GT_OK;
}

static gt_status read_data(const char *path, FILE *file, const gt_met_head *h, float *data)
{
	const size_t n = gt_grid_voxels(&h->grid), most = 1 << 20, size = h->type->size;
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
static void put_in_place(const char *path, const gt_met_head *h, const gt_read_options *o, gt_volume *v)
{
	const int told = o->position != GT_POSITION_AUTO, said = h->said.position != GT_POSITION_AUTO;
	int flip[3];
	v->position = told ? o->position : said ? h->said.position : GT_HFS;
	if (!told && !h->said.ours)
		gt_read_note(o, "%s: axes taken as the scanner's", path);
	for (int a = 0; a < 3; a++) {
		const int turned = (told || said) && left_back_head(v, a) < 0;
		flip[a] = h->flip[a] != turned;
		v->grid.center[a] = turned ? -h->grid.center[a] : h->grid.center[a];
	}
	gt_volume_flip(v, flip);
}

static gt_status read_volume(const char *path, const gt_read_options *o, gt_volume **out)
{
	gt_status st;
	gt_met_head h;
	FILE *file = NULL;
	gt_scaling scaling = { .slope = NAN, .offset = NAN };
	gt_volume *v = calloc(1, sizeof *v);
	GT_TRY(gt_met_read_head(path, &h));
	if (!v)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "%s: out of memory", path));
	GT_TRY(gt_volume_scaling(path, "MetaImage", h.type->met, h.type->meaning, &h.said, o, &scaling));
	GT_TRY(open_data(path, &h, &file));
	GT_TRY(gt_fail_in(gt_host_room((double)gt_grid_voxels(&h.grid) * sizeof(float), "volume"), "%s", path));
	v->grid = h.grid;
	if (!(v->data = malloc(gt_grid_voxels(&v->grid) * sizeof(float))))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "%s: out of memory", path));
	GT_TRY(read_data(path, file, &h, v->data));
	GT_TRY(gt_volume_finite(path, v));
	put_in_place(path, &h, o, v);
	gt_volume_scale(v, &scaling, &h.said, o);
	v->from = h.from;
	memset(&h.from, 0, sizeof h.from);
	*out = v;
	v = NULL;
done:
	if (file)
		fclose(file);
	gt_met_clear(&h);
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

static void put_head(FILE *f, const gt_write_options *o, const gt_volume *v, const char *data_file)
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
	fprintf(f, "Offset = %.17g %.17g %.17g\n", along[0] * gt_grid_first(g, 0), along[1] * gt_grid_first(g, 1),
	        along[2] * gt_grid_first(g, 2));
	fprintf(f, "CenterOfRotation = 0 0 0\n");
	fprintf(f, "ElementSpacing = %.17g %.17g %.17g\n", g->pitch[0], g->pitch[1], g->pitch[2]);
	fprintf(f, "DimSize = %zu %zu %zu\n", g->n[0], g->n[1], g->n[2]);
	fprintf(f, "ElementType = MET_FLOAT\nElementDataFile = %s\n", data_file);
}

static gt_status put_data(FILE *f, const char *path, const gt_write_options *o, const gt_volume *v)
{
	const size_t n = gt_grid_voxels(&v->grid), most = 1 << 20;
	const double water = gt_volume_water(o, v);
	float *changed = NULL;
	gt_status st = GT_OK;
	if (o->unit == GT_HU && !(changed = malloc(most * sizeof *changed)))
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory", path);
	for (size_t at = 0; at < n; at += most) {
		const size_t count = n - at < most ? n - at : most;
		const float *from = v->data + at;
		for (size_t i = 0; changed && i < count; i++)
			changed[i] = (float)(1000 * (from[i] / water - 1));
		if (fwrite(changed ? changed : from, sizeof *from, count, f) != count)
			GT_TRY(gt_fail(GT_ERR_IO, "%s: cannot be written: %s", path, strerror(errno)));
	}
done:
	free(changed);
	return st;
}

/* Closes in any case; a full disk may only show here. */
static gt_status finish(FILE *f, const char *path, gt_status st)
{
	if (!f)
		return st;
	const int failed = ferror(f);
	if ((fclose(f) != 0 || failed) && st == GT_OK)
		st = gt_fail(GT_ERR_IO, "%s: cannot be written: %s", path, strerror(errno));
	return st;
}

static gt_status open_new(const char *path, char **tmp, FILE **f)
{
	gt_status st = gt_tmp_path(path, tmp);
	if (st == GT_OK && !(*f = fopen(*tmp, "wb")))
		st = gt_fail(GT_ERR_IO, "%s: %s", path, strerror(errno));
	return st;
}

static gt_status write_one(const char *path, const gt_write_options *o, const gt_volume *v)
{
	gt_status st;
	char *tmp = NULL;
	FILE *f = NULL;
	GT_TRY(open_new(path, &tmp, &f));
	put_head(f, o, v, "LOCAL");
	GT_TRY(put_data(f, path, o, v));
done:
	st = finish(f, path, st);
	if (st != GT_OK) {
		gt_tmp_drop(tmp);
		return st;
	}
	return gt_tmp_commit(tmp, path);
}

static gt_status write_two(const char *path, const gt_write_options *o, const gt_volume *v)
{
	gt_status st = GT_OK, closed;
	char *tmp[2] = { NULL, NULL };
	FILE *f[2] = { NULL, NULL };
	const size_t stem = strlen(path) - strlen("mhd");
	char *raw = malloc(stem + sizeof "raw");
	if (!raw)
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory", path);
	memcpy(raw, path, stem);
	strcpy(raw + stem, "raw");
	const char *slash = strrchr(raw, '/');
	GT_TRY(open_new(raw, &tmp[0], &f[0]));
	GT_TRY(open_new(path, &tmp[1], &f[1]));
	put_head(f[1], o, v, slash ? slash + 1 : raw);
	GT_TRY(put_data(f[0], raw, o, v));
done:
	closed = finish(f[0], raw, st);
	st = finish(f[1], path, closed);
	if (st == GT_OK) {
		st = gt_tmp_commit(tmp[0], raw);
		tmp[0] = NULL;
	}
	if (st == GT_OK) {
		st = gt_tmp_commit(tmp[1], path);
		tmp[1] = NULL;
	}
	gt_tmp_drop(tmp[0]);
	gt_tmp_drop(tmp[1]);
	free(raw);
	return st;
}

static gt_status write_volume(const char *path, const gt_write_options *o, const gt_volume *v)
{
	const size_t n = strlen(path);
	return n > 4 && !strcasecmp(path + n - 4, ".mhd") ? write_two(path, o, v) : write_one(path, o, v);
}

extern const gt_format gt_format_metaimage;
const gt_format gt_format_metaimage = {
	.name = "metaimage",
	.about = "MetaImage",
	.extensions = "mha mhd",
	.probe = gt_met_is,
	.unitless = 1,
	.read_volume = read_volume,
	.write_volume = write_volume,
};
