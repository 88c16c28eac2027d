/* Bare numbers or an array of NumPy with a JSON beside it -> a volume. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/try.h"
#include "geometry/volume.h"
#include "io/external.h"
#include "io/frames/frame_source.h"
#include "io/plain/plain.h"
#include "io/plain/plain_head.h"

/* What numbers of unknown unit are, as in other formats without units. */
static gt_meaning meaning_of(const char *type)
{
	const int bytes = strspn(type, "uif") == 1 ? atoi(type + 1) / 8 : 0;
	return *type == 'f' ? GT_MEANS_PER_MM : bytes < 2 ? GT_MEANS_NOTHING : *type == 'i' ? GT_MEANS_CT : GT_MEANS_CT_1024;
}

static gt_status open_numbers(const gt_plain_head *h, gt_frame_source **s)
{
	gt_file_list one = { NULL, 0 };
	const size_t *n = h->grid.n;
	gt_status st = gt_external_check(h->head, "key data_file", h->data);
	if (st != GT_OK)
		return st;
	if (gt_is_npy(h->data)) {
		GT_TRY(gt_npy_source(h->data, s));
	} else if (!*h->raw) {
		return gt_fail(GT_ERR_FORMAT, "%s: key type is missing, expected f32le, u16le or others like them", h->head);
	} else {
		if (!(one.path = malloc(sizeof *one.path)) || !(one.path[0] = strdup(h->data)))
			GT_TRY(gt_fail(GT_ERR_MEMORY, "%s: out of memory", h->data));
		one.n = 1;
		st = gt_fail_in(gt_raw_source(&one, h->raw, s), "%s", h->head);
		GT_TRY(st == GT_ERR_ARG ? GT_ERR_FORMAT : st);
	}
	if ((*s)->frames != n[2] || (*s)->rows != n[1] || (*s)->columns != n[0])
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: key shape: is %zu, %zu, %zu, and %s has %zu, %zu, %zu", h->head, n[2], n[1], n[0],
		               h->data, (*s)->frames, (*s)->rows, (*s)->columns));
done:
	if (!one.n)
		free(one.path);
	gt_file_list_free(&one);
	return st;
}

static gt_status read_numbers(const gt_plain_head *h, const gt_read_options *o, gt_volume *v)
{
	gt_scaling scaling = { .slope = h->slope, .offset = h->offset };
	const size_t plane = h->grid.n[0] * h->grid.n[1];
	gt_frame_source *s = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_volume_scaling(h->head, "its JSON", *h->type ? h->type : "of no type", meaning_of(h->type), &h->said, o, &scaling));
	GT_TRY(open_numbers(h, &s));
	GT_TRY(gt_fail_in(gt_host_room((double)gt_grid_voxels(&h->grid) * sizeof(float), "volume"), "%s", h->data));
	if (!(v->data = malloc(gt_grid_voxels(&h->grid) * sizeof(float))))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "%s: out of memory", h->data));
	for (size_t z = 0; z < h->grid.n[2]; z++)
		GT_TRY(s->read(s, z, 0, h->grid.n[1], v->data + z * plane));
	GT_TRY(gt_volume_finite(h->data, v));
	gt_volume_scale(v, &scaling, &h->said, o);
	st = gt_volume_finite(h->data, v);
done:
	gt_frame_source_free(s);
	return st;
}

gt_status gt_plain_read(const char *path, const gt_read_options *o, gt_volume **out)
{
	gt_plain_head h;
	gt_volume *v = gt_volume_blank();
	gt_status st = GT_OK;
	GT_TRY(gt_plain_read_head(path, &h));
	if (!v)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "%s: out of memory", path));
	v->grid = h.grid;
	v->position = o->position != GT_POSITION_AUTO ? o->position : h.said.position != GT_POSITION_AUTO ? h.said.position : GT_HFS;
	if (!o->geometry_only)
		GT_TRY(read_numbers(&h, o, v));
	v->from = h.from;
	memset(&h.from, 0, sizeof h.from);
	*out = v;
	v = NULL;
done:
	gt_plain_clear(&h);
	gt_volume_free(v);
	return st;
}
