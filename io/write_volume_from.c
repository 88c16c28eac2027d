/* Copies a volume from its reader to its writer slab by slab, in the memory of one slab. If the writer needs one value
 * range for integers, an additional pass determines it. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include "core/arguments.h"
#include "core/try.h"
#include "geometry/volume.h"
#include "io/dispatch.h"
#include "io/file_lock.h"
#include "io/slice_reader.h"
#include "io/slice_writer.h"
#include "io/write_kit/stored_numbers.h"
#include "io/write_kit/volume_units.h"

typedef struct {
	const char *path;
	const gt_volume *head;
	gt_slice_reader *from;
	size_t bytes, slices; /* size of a slab */
	float *slab;
} slabs;

static gt_status make_room(slabs *s)
{
	const size_t *size = s->from->size, plane = size[1] * size[2], fit = s->bytes / sizeof(float) / plane,
		     together = gt_slice_reader_together(s->from);
	s->slices = fit > together ? fit - fit % together : together;
	if (s->slices > size[0])
		s->slices = size[0];
	const double bytes = (double)s->slices * (double)plane * sizeof *s->slab;
	const gt_status st = gt_fail_in(gt_host_has_memory(bytes, "a slab of slices"), "%s", s->path);
	if (st == GT_OK && !(s->slab = malloc((size_t)bytes)))
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory", s->path);
	return st;
}

/* Reads the next slab from slice `first` into s->slab; *n: its slices. */
static gt_status next_slab(const slabs *s, size_t first, size_t *n)
{
	const size_t left = s->from->size[0] - first;
	*n = left < s->slices ? left : s->slices;
	return gt_slice_reader_read(s->from, first, *n, s->slab);
}

static gt_status find_range(const slabs *s, gt_write_options *o)
{
	const size_t *size = s->from->size, plane = size[1] * size[2];
	gt_range_finder r;
	gt_status st;
	GT_TRY(gt_range_begin(s->path, o, s->head, &r));
	for (size_t z = 0, n; z < size[0]; z += n) {
		GT_TRY(next_slab(s, z, &n));
		gt_range_extend(&r, z * plane, n * plane, s->slab);
	}
	gt_range_end(s->path, &r, o);
done:
	gt_range_drop(&r);
	return st;
}

static gt_status find_extremes(const slabs *s, gt_write_options *o)
{
	const size_t *size = s->from->size, plane = size[1] * size[2];
	gt_status st = GT_OK;
	o->low = INFINITY;
	o->high = -INFINITY;
	for (size_t z = 0, n; z < size[0]; z += n) {
		GT_TRY(next_slab(s, z, &n));
		gt_extremes_extend(o, s->head, n * plane, s->slab);
	}
done:
	return st;
}

static gt_status copy(const slabs *s, gt_slice_writer *w)
{
	gt_status st = GT_OK;
	for (size_t z = 0, n; z < s->from->size[0]; z += n) {
		GT_TRY(next_slab(s, z, &n));
		GT_TRY(gt_slice_writer_write(w, n, s->slab));
	}
done:
	if (st == GT_OK)
		return gt_slice_writer_commit(w);
	gt_slice_writer_drop(w);
	return st;
}

static gt_status create(const slabs *s, const gt_format *f, const gt_write_options *o, gt_slice_writer **w)
{
	GT_FILE_LOCKED(f->create_slices(s->path, o, s->head, w));
}

/* For formats that write only whole volumes: one slab holds it. */
static gt_status write_whole(const slabs *s, const gt_format *f, const gt_write_options *o)
{
	gt_volume all = *s->head;
	all.data = s->slab;
	GT_FILE_LOCKED(f->write_volume(s->path, o, &all));
}

static gt_status check_head(const char *path, const gt_volume *head, const gt_slice_reader *r)
{
	const size_t *n = head->grid.n, *size = r->size;
	if (n[0] == size[2] && n[1] == size[1] && n[2] == size[0])
		return GT_OK;
	return gt_fail(GT_ERR_ARG, "%s: the header has %zu x %zu x %zu voxels, %s has %zu x %zu x %zu", path, n[0], n[1], n[2], r->path,
	               size[2], size[1], size[0]);
}

gt_status gt_write_volume_by_slabs(size_t bytes, const char *path, const gt_write_options *o, const gt_volume *head, gt_slice_reader *r)
{
	const gt_format *f;
	gt_write_options full;
	gt_slice_writer *w = NULL;
	slabs s = { .path = path, .head = head, .from = r };
	gt_status st = GT_OK;
	GT_TRY(gt_volume_is("gt_write_volume_from", head));
	GT_TRY(check_head(path, head, r));
	GT_TRY(gt_complete_write_options(path, o, &full));
	GT_TRY(gt_format_for(path, &full, 0, &f));
	GT_TRY(gt_check_writing(path, f, &full, &head->grid));
	GT_TRY(gt_has_space_for_volume(path, o, &head->grid));
	s.bytes = f->create_slices ? bytes : SIZE_MAX;
	GT_TRY(make_room(&s));
	if (!f->create_slices) {
		size_t all;
		GT_TRY(next_slab(&s, 0, &all));
		st = write_whole(&s, f, &full);
		goto done;
	}
	if (f->surveyed)
		GT_TRY(find_extremes(&s, &full));
	else if (gt_stored_numbers_lack_range(&full))
		GT_TRY(find_range(&s, &full));
	GT_TRY(create(&s, f, &full, &w));
	st = copy(&s, w);
done:
	free(s.slab);
	return st;
}

gt_status gt_write_volume_from(const char *path, const gt_write_options *o, const gt_volume *head, gt_slice_reader *r)
{
	GT_NEED(path);
	GT_NEED(head);
	GT_NEED(r);
	return gt_write_volume_by_slabs(GT_SLAB_BYTES, path, o, head, r);
}
