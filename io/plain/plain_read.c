/* Reads raw data or a NumPy array, described by a JSON, as a volume. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/try.h"
#include "geometry/volume.h"
#include "io/external.h"
#include "io/frames/frame_source.h"
#include "io/plain/plain.h"
#include "io/plain/plain_header.h"
#include "io/slice_reader.h"

/* Meaning of samples without a unit, as in other formats without units. */
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
		return gt_fail(GT_ERR_FORMAT, "%s: key type is missing, expected a type such as f32le or u16le", h->head);
	} else {
		if (!(one.path = malloc(sizeof *one.path)) || !(one.path[0] = strdup(h->data)))
			GT_TRY(gt_fail(GT_ERR_MEMORY, "%s: out of memory", h->data));
		one.n = 1;
		st = gt_fail_in(gt_raw_source(&one, h->raw, s), "%s", h->head);
		GT_TRY(st == GT_ERR_ARG ? GT_ERR_FORMAT : st);
	}
	if ((*s)->frames != n[2] || (*s)->rows != n[1] || (*s)->columns != n[0])
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: key shape: is %zu, %zu, %zu, but %s has %zu, %zu, %zu", h->head, n[2], n[1], n[0],
		               h->data, (*s)->frames, (*s)->rows, (*s)->columns));
done:
	if (!one.n)
		free(one.path);
	gt_file_list_free(&one);
	return st;
}

struct stored {
	struct gt_slice_reader base;
	gt_plain_head head;
	gt_frame_source *numbers;
};

static gt_status read_stored(gt_slice_reader *self, size_t first, size_t n, float *out)
{
	return gt_frames_read(((struct stored *)self)->numbers, first, n, out);
}

static void close_stored(gt_slice_reader *self)
{
	struct stored *s = (struct stored *)self;
	gt_frame_source_free(s->numbers);
	gt_plain_clear(&s->head);
	free(s);
}

static gt_status find_numbers(struct stored *s, const gt_read_options *o, gt_volume *v)
{
	const gt_plain_head *h = &s->head;
	gt_scaling scaling = { .slope = h->slope, .offset = h->offset };
	const char *type = *h->type ? h->type : "of no type";
	gt_status st;
	GT_TRY(gt_volume_scaling(h->head, "its JSON", type, meaning_of(h->type), &h->said, o, &scaling));
	gt_volume_scale(v, &scaling, &h->said, o, &s->base.scale, &s->base.offset);
	GT_TRY(open_numbers(h, &s->numbers));
	s->base.path = h->data;
	s->base.bytes = s->numbers->bytes;
done:
	return st;
}

static gt_status open_stored(gt_slice_reader *self, const gt_read_options *o, gt_volume *v)
{
	struct stored *s = (struct stored *)self;
	gt_status st = GT_OK;
	GT_TRY(gt_plain_read_head(self->path, &s->head));
	const gt_plain_head *h = &s->head;
	v->grid = h->grid;
	gt_slice_reader_size(self, &v->grid);
	v->positioned = o->position != GT_POSITION_AUTO || h->said.position != GT_POSITION_AUTO;
	v->position = o->position != GT_POSITION_AUTO ? o->position : h->said.position != GT_POSITION_AUTO ? h->said.position : GT_HFS;
	if (!o->geometry_only)
		GT_TRY(find_numbers(s, o, v));
	v->from = h->from;
	memset(&s->head.from, 0, sizeof s->head.from);
done:
	return st;
}

const gt_slice_source gt_plain_slices = { sizeof(struct stored), open_stored, read_stored, close_stored };
