/* The format "nifti": volumes as .nii and .nii.gz, along the patient's axes. docs/files.md has the rule for units. */
#include "io/nifti.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "io/place.h"
#include "io/volume_fix.h"

/* No body attenuates as much per mm, and air alone is -1000 HU: floats beyond are HU. */
#define MOST_PER_MM 10

/* "key=value" of a line of our comment; NULL: not there. Caller frees. */
static char *line_of(const char *comment, const char *key)
{
	const char *at = comment ? strstr(comment, key) : NULL;
	if (!at || (at > comment && at[-1] != '\n'))
		return NULL;
	at += strlen(key);
	return strndup(at, strcspn(at, "\n"));
}

/* The exact numbers, unless somebody cut or moved the volume since. */
static void exact_grid(const char *comment, gt_grid *grid)
{
	gt_grid exact;
	char *text = line_of(comment, "grid=");
	if (text && gt_grid_parse(text, &exact) == GT_OK && gt_grid_same(&exact, grid))
		*grid = exact;
	free(text);
}

static void provenance_of(const char *comment, gt_provenance *from)
{
	char *hash = line_of(comment, "scan_hash=");
	from->command = line_of(comment, "command=");
	from->parameters = line_of(comment, "parameters=");
	from->scan_hash = hash ? strtoull(hash, NULL, 16) : 0;
	free(hash);
}

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
	gt_said said = { .unit = GT_UNIT_AUTO, .position = GT_POSITION_AUTO };
	gt_volume *v = calloc(1, sizeof *v);
	GT_TRY(gt_nifti_open(path, &h, &f));
	if (!v)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "%s: out of memory", path));
	if (h.comment)
		gt_said_parse(h.comment, &said);
	v->position = o->position != GT_POSITION_AUTO ? o->position : said.position != GT_POSITION_AUTO ? said.position : GT_HFS;
	GT_TRY(gt_place_voxels(path, h.n, h.to_patient, v->position, &p));
	without_noise(&p, &h);
	exact_grid(h.comment, &p.grid);
	v->grid = p.grid;
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
	provenance_of(h.comment, &v->from);
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

static void put_line(char *text, size_t size, size_t *at, const char *key, const char *value)
{
	*at += (size_t)snprintf(text + *at, size - *at, "%s", key);
	for (; *value; value++)
		text[(*at)++] = *value == '\n' ? ' ' : *value;
	text[(*at)++] = '\n';
	text[*at] = 0;
}

/* What is known of the volume, for us and for people: one line each. */
static char *comment_of(const gt_write_options *o, int hu, const gt_volume *v)
{
	const char *command = v->from.command ? v->from.command : "", *parameters = v->from.parameters ? v->from.parameters : "";
	const size_t size = GT_SAID + 400 + strlen(command) + strlen(parameters);
	char said[GT_SAID], grid[256], hash[24], *text = malloc(size);
	size_t at = 0;
	if (!text)
		return NULL;
	gt_said_print(o, hu, v, said);
	gt_grid_print(&v->grid, grid, sizeof grid);
	snprintf(hash, sizeof hash, "%016" PRIx64, v->from.scan_hash);
	put_line(text, size, &at, "", said);
	put_line(text, size, &at, "grid=", grid);
	if (*command)
		put_line(text, size, &at, "command=", command);
	if (*parameters)
		put_line(text, size, &at, "parameters=", parameters);
	if (v->from.scan_hash)
		put_line(text, size, &at, "scan_hash=", hash);
	return text;
}

static gt_status write_voxels(gt_nifti *f, const gt_write_options *o, int hu, const gt_volume *v)
{
	const size_t n = gt_grid_voxels(&v->grid), most = 1 << 20;
	const double water = gt_volume_water(o, v);
	float *changed = NULL;
	gt_status st = GT_OK;
	if (hu && !(changed = malloc(most * sizeof *changed)))
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	for (size_t at = 0; at < n; at += most) {
		const size_t count = n - at < most ? n - at : most;
		const float *from = v->data + at;
		for (size_t i = 0; changed && i < count; i++)
			changed[i] = (float)(1000 * (from[i] / water - 1));
		GT_TRY(gt_nifti_put(f, changed ? changed : from, count * sizeof *from));
	}
done:
	free(changed);
	return st;
}

/* Compressed lightly, unless told: of noise only its exponents are worth it. */
static int level_of(const char *path, const gt_write_options *o)
{
	const size_t n = strlen(path);
	return n > 3 && !strcasecmp(path + n - 3, ".gz") ? (o->deflate ? o->deflate : 1) : 0;
}

static gt_status write_volume(const char *path, const gt_write_options *o, const gt_volume *v)
{
	gt_status st;
	const size_t *n = v->grid.n;
	const int hu = o->unit != GT_PER_MM, large = n[0] > GT_NIFTI1_MOST || n[1] > GT_NIFTI1_MOST || n[2] > GT_NIFTI1_MOST;
	gt_nifti_head h = { .version = large ? 2 : 1, .n = { n[0], n[1], n[2] }, .type = gt_elements };
	gt_nifti *f = NULL;
	char *tmp = NULL;
	while (strcmp(h.type->nifti_name, "float32") != 0)
		h.type++;
	gt_place_matrix(&v->grid, v->position, h.to_patient);
	snprintf(h.about, sizeof h.about, "X-ray attenuation, %s", hu ? "HU" : "mm-1");
	if (!(h.comment = comment_of(o, hu, v)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "%s: out of memory", path));
	GT_TRY(gt_tmp_path(path, &tmp));
	GT_TRY(gt_nifti_new(path, tmp, level_of(path, o), &h, &f));
	GT_TRY(write_voxels(f, o, hu, v));
	st = gt_nifti_close(f);
	f = NULL;
done:
	gt_nifti_drop(f);
	gt_nifti_clear(&h);
	if (st == GT_OK)
		return gt_tmp_commit(tmp, path);
	gt_tmp_drop(tmp);
	return st;
}

extern const gt_format gt_format_nifti;
const gt_format gt_format_nifti = {
	.name = "nifti",
	.about = "NIfTI",
	.extensions = "nii nii.gz",
	.probe = gt_nifti_is,
	.unitless = 1,
	.read_volume = read_volume,
	.write_volume = write_volume,
};
