/* Slice-wise reading of volumes: code shared by the formats. */
#include <stdlib.h>
#include <string.h>
#include <gantry/array.h>
#include "core/arguments.h"
#include "core/try.h"
#include "geometry/volume.h"
#include "io/dispatch.h"
#include "io/file_lock.h"
#include "io/slice_reader.h"
#include "io/write_kit/volume_units.h"

/* Converts stored values to mm^-1; checks before and after, because a slope may be large. */
static gt_status read_some(gt_slice_reader *r, size_t first, size_t n, float *out)
{
	gt_status st;
	GT_TRY(r->read(r, first, n, out));
	GT_TRY(gt_voxels_finite(r->path, r->size, first, n, out));
	if (r->scale != 1 || r->offset != 0) {
		gt_voxels_linear(out, n * r->size[1] * r->size[2], r->scale, r->offset);
		st = gt_voxels_finite(r->path, r->size, first, n, out);
	}
done:
	return st;
}

static gt_status new_voxels(const char *path, const size_t size[3], float **data)
{
	const double bytes = (double)size[0] * (double)size[1] * (double)size[2] * sizeof **data;
	const gt_status st = gt_fail_in(gt_host_has_memory(bytes, "volume"), "%s", path);
	if (st == GT_OK && !(*data = malloc((size_t)bytes)))
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory", path);
	return st;
}

static void close_reader(gt_slice_reader *r)
{
	char *name = r->name;
	free(r->all);
	r->close(r);
	free(name);
}

void gt_slice_reader_size(gt_slice_reader *r, const gt_grid *grid)
{
	for (int a = 0; a < 3; a++)
		r->size[a] = grid->n[2 - a];
}

/* *head: everything but the voxels. With geometry_only no reader is made. */
static gt_status open_slices(const gt_slice_source *kind, const char *path, const gt_read_options *o, gt_volume **head,
                             gt_slice_reader **out)
{
	gt_volume *v = gt_volume_blank();
	gt_slice_reader *r = calloc(1, kind->bytes);
	gt_status st = GT_ERR_MEMORY;
	*out = NULL;
	if (r)
		*r = (gt_slice_reader){ .path = path, .together = 1, .scale = 1, .read = kind->read, .close = kind->close };
	if (!v || !r)
		gt_fail(st, "%s: out of memory", path);
	else
		st = kind->open(r, o, v);
	if (st == GT_OK)
		*head = v;
	else
		gt_volume_free(v);
	if (st == GT_OK && !o->geometry_only)
		*out = r;
	else if (r)
		r->close(r);
	return st;
}

gt_status gt_read_by_slices(const gt_slice_source *kind, const char *path, const gt_read_options *o, gt_volume **out)
{
	gt_volume *v = NULL;
	gt_slice_reader *r = NULL;
	gt_status st = open_slices(kind, path, o, &v, &r);
	if (st != GT_OK || o->geometry_only) {
		*out = st == GT_OK ? v : NULL;
		return st;
	}
	GT_TRY(new_voxels(r->path, r->size, &v->data));
	GT_TRY(read_some(r, 0, r->size[0], v->data));
	*out = v;
	v = NULL;
done:
	close_reader(r);
	gt_volume_free(v);
	return st;
}

static void close_whole(gt_slice_reader *r) { free(r); }

/* For formats that read only whole volumes: keeps the volume in memory. */
static gt_status open_whole(const gt_format *f, const char *path, const gt_read_options *o, gt_volume **head, gt_slice_reader **out)
{
	gt_volume *v = NULL;
	gt_slice_reader *r = calloc(1, sizeof *r);
	if (!r)
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory", path);
	const gt_status st = f->read_volume(path, o, &v);
	if (st != GT_OK) {
		free(r);
		return st;
	}
	const size_t *n = v->grid.n;
	*r = (gt_slice_reader){
		.path = path, .size = { n[2], n[1], n[0] }, .together = n[2], .scale = 1, .close = close_whole, .all = v->data
	};
	v->data = NULL;
	*head = v;
	*out = r;
	return GT_OK;
}

static gt_status open_reader(const char *path, const gt_read_options *o, gt_volume **head, gt_slice_reader **out)
{
	const gt_format *f = NULL;
	gt_read_options full;
	gt_status st = GT_OK;
	char *name = strdup(path);
	*head = NULL;
	*out = NULL;
	if (!name)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "%s: out of memory", path));
	GT_TRY(gt_complete_read_options(path, o, &full));
	full.geometry_only = 0;
	GT_TRY(gt_volume_format_of(path, &f));
	st = f->slices ? open_slices(f->slices, name, &full, head, out) : open_whole(f, name, &full, head, out);
	GT_TRY(gt_explain_reading(st, f, path, 0));
	(*out)->name = name;
	name = NULL;
	if (full.center)
		memset((*head)->grid.center, 0, sizeof(*head)->grid.center);
done:
	free(name);
	return st;
}

gt_status gt_slice_reader_open(const char *path, const gt_read_options *o, gt_volume **head, gt_slice_reader **r)
{
	GT_NEED(path);
	GT_NEED(head);
	GT_NEED(r);
	GT_FILE_LOCKED(open_reader(path, o, head, r));
}

/* Reads everything at once if the format requires it, and keeps it. */
static gt_status from_all(gt_slice_reader *r, size_t first, size_t n, float *out)
{
	const size_t plane = r->size[1] * r->size[2];
	gt_status st = GT_OK;
	if (!r->all) {
		GT_TRY(new_voxels(r->path, r->size, &r->all));
		st = read_some(r, 0, r->size[0], r->all);
		if (st != GT_OK) {
			free(r->all);
			r->all = NULL;
			goto done;
		}
	}
	memcpy(out, r->all + first * plane, n * plane * sizeof *out);
done:
	return st;
}

static gt_status read_slices(gt_slice_reader *r, size_t first, size_t n, float *out)
{
	if (first > r->size[0] || n > r->size[0] - first)
		return gt_fail(GT_ERR_ARG, "%s: %zu slices from slice %zu on: expected %zu in all", r->path, n, first, r->size[0]);
	const int in_parts = r->together < r->size[0] || n == r->size[0];
	const gt_status st = n == 0 ? GT_OK : in_parts && !r->all ? read_some(r, first, n, out) : from_all(r, first, n, out);
	const size_t values = n * r->size[1] * r->size[2];
	for (size_t i = 0; st == GT_OK && i < values; i++)
		r->max = out[i] > r->max ? out[i] : r->max;
	return st;
}

gt_status gt_slice_reader_read(gt_slice_reader *r, size_t first, size_t n, float *out)
{
	GT_NEED(r);
	GT_NEED(out);
	GT_FILE_LOCKED(read_slices(r, first, n, out));
}

size_t gt_slice_reader_bytes(const gt_slice_reader *r)
{
	const int whole = r->together >= r->size[0] && r->size[0] > 1;
	return r->bytes + (whole ? r->size[0] * r->size[1] * r->size[2] * sizeof(float) : 0);
}

size_t gt_slice_reader_together(const gt_slice_reader *r) { return r->together < r->size[0] ? r->together : 1; }
double gt_slice_reader_max(const gt_slice_reader *r) { return (double)r->max; }

void gt_slice_reader_close(gt_slice_reader *r)
{
	gt_file_lock();
	if (r)
		close_reader(r);
	gt_file_unlock();
}
