/* The format "nifti": volumes as .nii and .nii.gz, along the patient's axes. docs/files.md has the rule for units. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "core/try.h"
#include "geometry/volume.h"
#include "io/nifti/nifti.h"
#include "io/slice_writer.h"
#include "io/write_kit/gantry_comment.h"
#include "io/write_kit/volume_units.h"
#include "io/write_kit/voxel_order.h"
#include "io/table.h"

/* No body attenuates as much per mm, and air alone is -1000 HU: floats beyond are HU. */
#define MOST_PER_MM 10

static void without_noise(gt_place *p, const gt_nifti_head *h)
{
	const gt_grid *g = &p->grid;
	for (int a = 0; a < 3 && h->version == 1; a++) {
		const double first = gt_length_meant(gt_grid_first(g, a)), pitch = gt_length_meant(g->pitch[a]);
		p->grid.pitch[a] = pitch;
		p->grid.center[a] = gt_rounded(first + ((double)g->n[a] - 1) / 2 * pitch, 12);
	}
}

static gt_status read_voxels(gt_nifti *f, const gt_nifti_head *h, const gt_place *p, float *data)
{
	const size_t all = h->n[1] * h->n[2], fit = ((size_t)1 << 20) / h->n[0], most = fit ? fit : 1;
	void *piece = malloc(most * h->n[0] * h->type->size);
	float *line = malloc(most * h->n[0] * sizeof *line);
	gt_status st = GT_OK;
	if (!piece || !line)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	for (size_t at = 0; at < all; at += most) {
		const size_t lines = all - at < most ? all - at : most;
		GT_TRY(gt_nifti_get(f, piece, lines * h->n[0] * h->type->size));
		h->type->convert(piece, lines * h->n[0], h->swap, line);
		gt_place_lines(p, at, lines, line, data);
	}
done:
	free(piece);
	free(line);
	return st;
}

static gt_status scale(const char *path, const gt_nifti_head *h, const gt_said *said, const gt_read_options *o, gt_volume *v)
{
	gt_meaning meaning = h->type->meaning;
	gt_scaling s = { .slope = h->slope, .offset = h->offset };
	for (size_t i = 0; meaning == GT_MEANS_PER_MM && i < gt_grid_voxels(&v->grid); i++)
		if (fabs((isnan(s.slope) ? 1 : s.slope) * v->data[i]) > MOST_PER_MM)
			meaning = GT_MEANS_CT;
	const gt_status st = gt_volume_scaling(path, "NIfTI", h->type->nifti_name, meaning, said, o, &s);
	if (st == GT_OK)
		gt_volume_scale(v, &s, said, o);
	return st;
}

static gt_status read_volume(const char *path, const gt_read_options *o, gt_volume **out)
{
	gt_status st;
	gt_nifti_head h;
	gt_nifti *f = NULL;
	gt_place p;
	gt_said said;
	gt_volume *v = gt_volume_blank();
	GT_TRY(gt_nifti_open(path, &h, &f));
	if (!v)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "%s: out of memory", path));
	gt_comment_said(h.comment, &said);
	v->position = o->position != GT_POSITION_AUTO ? o->position : said.position != GT_POSITION_AUTO ? said.position : GT_HFS;
	v->positioned = o->position != GT_POSITION_AUTO || (h.oriented && !said.assumed);
	GT_TRY(gt_order_voxels(path, h.n, h.to_patient, v->position, &p));
	without_noise(&p, &h);
	GT_TRY(gt_fail_in(gt_comment_grid(h.comment, &p.grid), "%s", path));
	v->grid = p.grid;
	if (o->geometry_only) {
		*out = v;
		v = NULL;
		goto done;
	}
	GT_TRY(gt_fail_in(gt_host_room((double)gt_grid_voxels(&v->grid) * sizeof(float), "volume"), "%s", path));
	if (!(v->data = malloc(gt_grid_voxels(&v->grid) * sizeof(float))))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "%s: out of memory", path));
	GT_TRY(read_voxels(f, &h, &p, v->data));
	GT_TRY(gt_nifti_end(f));
	st = gt_nifti_close(f);
	f = NULL;
	GT_TRY(st);
	GT_TRY(gt_volume_finite(path, v));
	GT_TRY(scale(path, &h, &said, o, v));
	GT_TRY(gt_volume_finite(path, v)); /* a slope may be large */
	GT_TRY(gt_fail_in(gt_comment_provenance(h.comment, &v->from), "%s", path));
	if (h.remark)
		gt_read_note(o, "%s: %s", path, h.remark);
	*out = v;
	v = NULL;
done:
	gt_nifti_drop(f);
	gt_nifti_clear(&h);
	gt_volume_free(v);
	return st;
}

#define PIECE ((size_t)1 << 20)

struct slices {
	struct gt_slice_writer base;
	gt_nifti *file;
	char *tmp;
	double water;
	float *changed; /* NULL: written as they are */
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

/* Compressed lightly, unless told: of noise only its exponents are worth it. */
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
	.read_volume = read_volume,
	.write_volume = write_volume,
	.create_slices = create_slices,
};
