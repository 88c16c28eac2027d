/* The format "nifti": volumes as .nii and .nii.gz, along the patient's axes. docs/files.md gives the rule for units. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "core/try.h"
#include "geometry/volume.h"
#include "io/nifti/nifti.h"
#include "io/slice_reader.h"
#include "io/slice_writer.h"
#include "io/write_kit/gantry_comment.h"
#include "io/write_kit/volume_units.h"
#include "io/write_kit/voxel_order.h"
#include "io/table.h"

/* No object attenuates as much per mm, and air is -1000 HU: float values beyond are HU. */
#define MAX_PER_MM 10

static void without_noise(gt_place *p, const gt_nifti_head *h)
{
	const gt_grid *g = &p->grid;
	for (int a = 0; a < 3 && h->version == 1; a++) {
		const double first = gt_length_meant(gt_grid_first(g, a)), pitch = gt_length_meant(g->pitch[a]);
		p->grid.pitch[a] = pitch;
		p->grid.center[a] = gt_rounded(first + ((double)g->n[a] - 1) / 2 * pitch, 12);
	}
}

/* Reading, slice by slice -------------------------------------------------- */

#define PIECE ((size_t)1 << 20)

struct stored {
	struct gt_slice_reader base;
	gt_nifti_head head;
	gt_nifti *file; /* NULL: all data were read */
	gt_place place;
	int down; /* slices of the file are reversed */
	size_t lines;
	void *piece; /* a block of lines */
	float *line;
};

/* Reads slices first ... first+n-1 of the file into `out`, whose first element is voxel `begin` of the volume. */
static gt_status read_voxels(struct stored *s, size_t first, size_t n, size_t begin, float *out)
{
	const size_t *size = s->head.n, lines = n * size[1], bytes = size[0] * s->head.type->size;
	gt_place p = s->place;
	gt_status st;
	p.first = (size_t)((ptrdiff_t)p.first + (ptrdiff_t)first * p.step[2] - (ptrdiff_t)begin);
	GT_TRY(gt_nifti_seek(s->file, first * size[1] * bytes));
	for (size_t at = 0; at < lines; at += s->lines) {
		const size_t some = lines - at < s->lines ? lines - at : s->lines;
		GT_TRY(gt_nifti_get(s->file, s->piece, some * bytes));
		s->head.type->convert(s->piece, some * size[0], s->head.swap, s->line);
		gt_place_lines(&p, at, some, s->line, out);
	}
done:
	return st;
}

static gt_status open_again(struct stored *s)
{
	gt_nifti_head same;
	const gt_status st = gt_nifti_open(s->base.path, &same, &s->file);
	gt_nifti_clear(&same);
	return st;
}

/* A compressed file ends with a checksum. */
static gt_status end_of_file(struct stored *s)
{
	gt_status st = gt_nifti_end(s->file);
	if (st == GT_OK) {
		st = gt_nifti_close(s->file);
		s->file = NULL;
	}
	return st;
}

static gt_status read_stored(gt_slice_reader *self, size_t first, size_t n, float *out)
{
	struct stored *s = (struct stored *)self;
	const size_t all = s->head.n[2], plane = self->size[1] * self->size[2];
	const int whole = n == self->size[0];
	const size_t from = whole ? 0 : gt_stored_slice(all, first, n, s->down), count = whole ? all : n;
	gt_status st = GT_OK;
	if (!s->file)
		GT_TRY(open_again(s));
	GT_TRY(read_voxels(s, from, count, first * plane, out));
	if (from + count == all)
		st = end_of_file(s);
done:
	return st;
}

static void close_stored(gt_slice_reader *self)
{
	struct stored *s = (struct stored *)self;
	gt_nifti_drop(s->file);
	gt_nifti_clear(&s->head);
	free(s->piece);
	free(s->line);
	free(s);
}

/* Float files without a unit: values beyond MAX_PER_MM are CT numbers. */
static gt_status means_ct(struct stored *s, int *ct)
{
	const size_t *size = s->base.size, plane = size[1] * size[2];
	const size_t fit = GT_SLAB_BYTES / sizeof(float) / plane;
	const size_t n = s->base.together == size[0] || fit > size[0] ? size[0] : fit + !fit;
	const double slope = isnan(s->head.slope) ? 1 : s->head.slope;
	gt_status st = gt_fail_in(gt_host_has_memory((double)n * (double)plane * sizeof(float), "slab"), "%s", s->base.path);
	float *slab = NULL;
	*ct = 0;
	GT_TRY(st);
	if (!(slab = malloc(n * plane * sizeof *slab)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "%s: out of memory", s->base.path));
	for (size_t z = 0; z < size[0] && !*ct; z += n) {
		const size_t some = size[0] - z < n ? size[0] - z : n;
		GT_TRY(read_stored(&s->base, z, some, slab));
		for (size_t i = 0; i < some * plane; i++)
			*ct |= fabs(slope * slab[i]) > MAX_PER_MM;
	}
done:
	free(slab);
	return st;
}

static gt_status scale(struct stored *s, const gt_stated *said, const gt_read_options *o, gt_volume *v)
{
	const gt_nifti_head *h = &s->head;
	gt_meaning meaning = h->type->meaning;
	gt_scaling scaling = { .slope = h->slope, .offset = h->offset };
	int ct = 0;
	gt_status st = GT_OK;
	if (meaning == GT_MEANS_PER_MM && !said->ours && o->unit == GT_UNIT_AUTO)
		GT_TRY(means_ct(s, &ct));
	if (ct)
		meaning = GT_MEANS_CT;
	GT_TRY(gt_volume_scaling(s->base.path, "NIfTI", h->type->nifti_name, meaning, said, o, &scaling));
	gt_volume_scale(v, &scaling, said, o, &s->base.scale, &s->base.offset);
done:
	return st;
}

/* Maps file voxels to the grid; slices can be read in sequence if they are slices of the grid. */
static gt_status put_in_place(struct stored *s, const gt_stated *said, const gt_read_options *o, gt_volume *v)
{
	const gt_nifti_head *h = &s->head;
	const char *path = s->base.path;
	gt_place *p = &s->place;
	gt_status st;
	v->position = o->position != GT_POSITION_AUTO ? o->position : said->position != GT_POSITION_AUTO ? said->position : GT_HFS;
	v->positioned = o->position != GT_POSITION_AUTO || (h->oriented && !said->assumed);
	GT_TRY(gt_order_voxels(path, h->n, h->to_patient, v->position, p));
	without_noise(p, h);
	GT_TRY(gt_fail_in(gt_comment_grid(h->comment, &p->grid), "%s", path));
	v->grid = p->grid;
	gt_slice_reader_size(&s->base, &p->grid);
	const ptrdiff_t plane = (ptrdiff_t)(p->grid.n[0] * p->grid.n[1]);
	const int stacked = p->n[2] == p->grid.n[2] && (p->step[2] == plane || p->step[2] == -plane);
	s->down = p->step[2] < 0;
	s->base.together = stacked && !(h->compressed && s->down) ? 1 : s->base.size[0];
done:
	return st;
}

static gt_status make_room(struct stored *s)
{
	const size_t *n = s->head.n, fit = PIECE / n[0], bytes = s->head.type->size;
	s->lines = fit < 1 ? 1 : fit < n[1] * n[2] ? fit : n[1] * n[2];
	s->base.bytes = s->lines * n[0] * (bytes + sizeof(float));
	s->piece = malloc(s->lines * n[0] * bytes);
	s->line = malloc(s->lines * n[0] * sizeof(float));
	return s->piece && s->line ? GT_OK : gt_fail(GT_ERR_MEMORY, "%s: out of memory", s->base.path);
}

static gt_status open_stored(gt_slice_reader *self, const gt_read_options *o, gt_volume *v)
{
	struct stored *s = (struct stored *)self;
	const char *path = self->path;
	gt_stated said;
	gt_status st = GT_OK;
	GT_TRY(gt_nifti_open(path, &s->head, &s->file));
	gt_comment_stated(s->head.comment, &said);
	GT_TRY(put_in_place(s, &said, o, v));
	GT_TRY(gt_fail_in(gt_comment_provenance(s->head.comment, &v->from), "%s", path));
	if (!o->geometry_only) {
		GT_TRY(make_room(s));
		GT_TRY(scale(s, &said, o, v));
		if (s->head.remark)
			gt_read_note(o, "%s: %s", path, s->head.remark);
	}
done:
	return st;
}

static const gt_slice_source source = { sizeof(struct stored), open_stored, read_stored, close_stored };

/* Writing ------------------------------------------------------------------ */

struct slices {
	struct gt_slice_writer base;
	gt_nifti *file;
	char *tmp;
	double water;
	float *changed; /* converted or reordered values; NULL: written unchanged */
};

static gt_status write_slices(gt_slice_writer *self, size_t first, size_t slices, const float *data)
{
	struct slices *s = (struct slices *)self;
	const size_t n = slices * s->base.size[1] * s->base.size[2];
	gt_status st = GT_OK;
	(void)first;
	for (size_t at = 0; at < n; at += PIECE) {
		const size_t count = n - at < PIECE ? n - at : PIECE;
		const float *from = data + at;
		for (size_t i = 0; s->changed && i < count; i++)
			s->changed[i] = (float)(1000 * (from[i] / s->water - 1));
		GT_TRY(gt_nifti_put(s->file, s->changed ? s->changed : from, count * sizeof *from));
	}
done:
	return st;
}

static void drop_slices(gt_slice_writer *self)
{
	struct slices *s = (struct slices *)self;
	gt_nifti_drop(s->file);
	gt_tmp_drop(s->tmp);
	free(s->changed);
	free(s);
}

static gt_status commit_slices(gt_slice_writer *self)
{
	struct slices *s = (struct slices *)self;
	gt_status st = gt_nifti_close(s->file);
	s->file = NULL;
	if (st == GT_OK) {
		st = gt_tmp_commit(s->tmp, s->base.path);
		s->tmp = NULL;
	}
	drop_slices(self);
	return st;
}

/* Low compression by default: of noisy floats only the exponents compress. */
static int level_of(const char *path, const gt_write_options *o)
{
	const size_t n = strlen(path);
	return n > 3 && !strcasecmp(path + n - 3, ".gz") ? (o->deflate ? o->deflate : 1) : 0;
}

static gt_status open_new(struct slices *s, const gt_write_options *o, const gt_volume *v)
{
	gt_status st;
	const size_t *n = v->grid.n;
	const int hu = o->unit != GT_PER_MM, large = n[0] > GT_NIFTI1_MOST || n[1] > GT_NIFTI1_MOST || n[2] > GT_NIFTI1_MOST;
	gt_nifti_head h = {
		.version = large ? 2 : 1, .n = { n[0], n[1], n[2] }, .type = gt_number_types, .comment = gt_comment_of(o, hu, v)
	};
	while (strcmp(h.type->nifti_name, "float32") != 0)
		h.type++;
	gt_place_matrix(&v->grid, v->position, h.to_patient);
	snprintf(h.about, sizeof h.about, "X-ray attenuation, %s", hu ? "HU" : "mm-1");
	s->water = gt_hu_water(o, v);
	if (!h.comment || (hu && !(s->changed = malloc(PIECE * sizeof *s->changed))))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "%s: out of memory", s->base.path));
	GT_TRY(gt_tmp_path(s->base.path, &s->tmp));
	GT_TRY(gt_nifti_new(s->base.path, s->tmp, level_of(s->base.path, o), &h, &s->file));
done:
	gt_nifti_clear(&h);
	return st;
}

static gt_status create_slices(const char *path, const gt_write_options *o, const gt_volume *head, gt_slice_writer **out)
{
	const gt_grid *g = &head->grid;
	struct slices *s = calloc(1, sizeof *s);
	if (!s)
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory", path);
	s->base = (struct gt_slice_writer){
		.path = path, .size = { g->n[2], g->n[1], g->n[0] }, .write = write_slices, .commit = commit_slices, .drop = drop_slices
	};
	const gt_status st = open_new(s, o, head);
	if (st == GT_OK)
		*out = &s->base;
	else
		drop_slices(&s->base);
	return st;
}

static gt_status write_volume(const char *path, const gt_write_options *o, const gt_volume *v)
{
	gt_slice_writer *s;
	const gt_status st = create_slices(path, o, v, &s);
	return st != GT_OK ? st : gt_slice_writer_write_all(s, v->data);
}

const gt_format gt_format_nifti = {
	.name = "nifti",
	.about = "NIfTI",
	.extensions = "nii nii.gz",
	.probe = gt_nifti_is,
	.unitless = 1,
	.write_volume = write_volume,
	.create_slices = create_slices,
	.slices = &source,
};
