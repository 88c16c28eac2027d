/* Slice-wise writing of volumes: code shared by the formats. */
#include <stdatomic.h>
#include "core/arguments.h"
#include "core/try.h"
#include "geometry/not_finite.h"
#include "geometry/volume.h"
#include "io/dispatch.h"
#include "io/file_lock.h"
#include "io/finite.h"
#include "io/slice_writer.h"
#include "io/tmp_list.h"
#include "io/write_kit/direct_writer.h"

static gt_status format_of_slices(const char *path, const gt_write_options *o, const gt_format **f)
{
	const gt_status st = gt_format_for(path, o, 0, f);
	return st != GT_OK || ((*f)->create_slices && !(*f)->surveyed)
	               ? st
	               : gt_fail(GT_ERR_UNSUPPORTED,
	                         "%s: the format %s is written as a whole: expected a name in .nc, .mha, .mhd, .nii, .tif, .npy, .raw",
	                         path, (*f)->about);
}

gt_status gt_can_write_slices(const char *path)
{
	gt_write_options o = gt_write_defaults;
	GT_NEED(path);
	o.bits = gt_names_folder(path) ? 32 : 0; /* some options make it a format of slices */
	return gt_can_write_slices_as(path, &o);
}

gt_status gt_can_write_slices_as(const char *path, const gt_write_options *o)
{
	const gt_format *f;
	gt_write_options full;
	GT_NEED(path);
	const gt_status st = gt_complete_write_options(path, o, &full);
	return st == GT_OK ? format_of_slices(path, &full, &f) : st;
}

/* Data that bypass the page cache, or are converted, are copied. */
size_t gt_slice_writer_bytes(const gt_write_options *o, const gt_grid *grid)
{
	const size_t plane = grid->n[0] * grid->n[1] * sizeof(float);
	const int hu = o && o->unit == GT_HU, copied = hu || gt_direct_writer_past((double)plane * (double)grid->n[2]);
	return (copied ? GT_DIRECT_WRITER_BYTES : 0) + 2 * plane + (hu ? plane : 0);
}

static gt_status slice_writer_create(const char *path, const gt_write_options *o, const gt_volume *head, gt_slice_writer **s)
{
	const gt_format *f;
	gt_write_options full;
	gt_status st = GT_OK;
	GT_TRY(gt_need_argument("gt_slice_writer_create", "a volume", head));
	GT_TRY(gt_complete_write_options(path, o, &full));
	GT_TRY(format_of_slices(path, &full, &f));
	GT_TRY(gt_check_writing(path, f, &full, &head->grid));
	GT_TRY(f->create_slices(path, &full, head, s));
done:
	return st;
}

gt_status gt_slice_writer_create(const char *path, const gt_write_options *o, const gt_volume *head, gt_slice_writer **s)
{
	GT_NEED(path);
	GT_NEED(head);
	GT_NEED(s);
	GT_FILE_LOCKED(slice_writer_create(path, o, head, s));
}

struct checking {
	const float *data;
	atomic_int bad;
};

static void check_some(void *self, size_t i, size_t end, int worker)
{
	struct checking *c = self;
	(void)worker;
	if (gt_first_bad(c->data + i, end - i) < end - i)
		atomic_store(&c->bad, 1);
}

static gt_status check_slices(const gt_slice_writer *s, size_t n, const float *data)
{
	struct checking c = { data, 0 };
	gt_parallel(s->pool, n, 1 << 20, check_some, &c);
	return atomic_load(&c.bad) ? gt_check_finite(s->path, data, s->written * s->size[1] * s->size[2], n) : GT_OK;
}

gt_status gt_slice_writer_write(gt_slice_writer *s, size_t n, const float *data)
{
	GT_NEED(s);
	GT_NEED(data);
	const size_t plane = s->size[1] * s->size[2];
	gt_status st = GT_OK;
	if (n > s->size[0] - s->written)
		return gt_fail(GT_ERR_ARG, "%s: %zu slices after %zu: expected %zu in all", s->path, n, s->written, s->size[0]);
	GT_TRY(check_slices(s, n * plane, data));
	GT_TRY(s->write(s, s->written, n, data));
	s->written += n;
done:
	return st;
}

static gt_status slice_writer_commit(gt_slice_writer *s)
{
	if (s->written == s->size[0])
		return s->commit(s);
	const gt_status st = gt_fail(GT_ERR_ARG, "%s: %zu of %zu slices are written", s->path, s->written, s->size[0]);
	s->drop(s);
	return st;
}

gt_status gt_slice_writer_commit(gt_slice_writer *s)
{
	GT_NEED(s);
	GT_FILE_LOCKED(slice_writer_commit(s));
}

void gt_slice_writer_drop(gt_slice_writer *s)
{
	gt_file_lock();
	if (s)
		s->drop(s);
	gt_file_unlock();
}

gt_status gt_slice_writer_write_all(gt_slice_writer *s, const float *data)
{
	const gt_status st = s->write(s, 0, s->size[0], data);
	if (st == GT_OK)
		return s->commit(s);
	s->drop(s);
	return st;
}
