/* Caches projections between several passes. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include "core/text.h"
#include "core/try.h"
#include "recon/view_cache.h"

const char *const gt_view_cache_places[] = { "no", "memory", "scratch", "auto", NULL };

static size_t view_cells(const gt_scan *s) { return s->rows * s->columns; }

double gt_view_cache_bytes(gt_view_cache_place where, const gt_scan *s)
{
	const double view = (double)view_cells(s) * sizeof(float);
	return where == GT_VIEW_CACHE_HOST ? view * (double)s->views : where == GT_VIEW_CACHE_SCRATCH ? view : 0;
}

static gt_status check_space(const gt_view_cache *k, double bytes)
{
	struct statvfs s;
	if (statvfs(k->folder, &s) != 0)
		return gt_fail(GT_ERR_IO, "--scratch=%s: %s", k->folder, strerror(errno));
	const double space = (double)s.f_bavail * (double)s.f_frsize;
	if (bytes > space)
		return gt_fail(GT_ERR_IO, "--scratch=%s: not enough disk space: needs %s, %s available", k->folder,
		               gt_bytes_text(bytes, (char[GT_BYTES_TEXT]){ 0 }), gt_bytes_text(space, (char[GT_BYTES_TEXT]){ 0 }));
	return GT_OK;
}

/* The file is unlinked as soon as it is open. Its space is reserved at once if the file system supports that. */
static gt_status open_scratch(gt_view_cache *k)
{
	const double bytes = (double)gt_scan_size(k->scan) * sizeof(float);
	char *name = gt_text("%s/gantry-scratch", k->folder), *tmp = NULL;
	gt_status st = name ? check_space(k, bytes) : gt_fail(GT_ERR_MEMORY, "out of memory");
	GT_TRY(st);
	GT_TRY(gt_tmp_path(name, &tmp));
	if ((k->file = open(tmp, O_RDWR | O_CLOEXEC)) < 0)
		st = gt_fail(GT_ERR_IO, "--scratch=%s: %s", k->folder, strerror(errno));
	else if (fallocate(k->file, 0, 0, (off_t)bytes) != 0 && errno != EOPNOTSUPP && errno != ENOSYS)
		st = gt_fail(GT_ERR_IO, "--scratch=%s: cannot reserve %.0f bytes: %s", k->folder, bytes, strerror(errno));
done:
	gt_tmp_drop(tmp);
	free(name);
	return st;
}

gt_status gt_view_cache_open(gt_view_cache *k, gt_view_cache_place where, const char *folder, gt_view_reader *views, const gt_scan *scan)
{
	const double bytes = gt_view_cache_bytes(where, scan);
	*k = (gt_view_cache){ .where = where, .views = views, .scan = scan, .folder = folder, .file = -1 };
	if (where == GT_VIEW_CACHE_NOT)
		return GT_OK;
	if (!(k->host = malloc((size_t)bytes)))
		return gt_fail(GT_ERR_MEMORY, "no memory for projections of %s", gt_bytes_text(bytes, (char[GT_BYTES_TEXT]){ 0 }));
	return where == GT_VIEW_CACHE_SCRATCH ? open_scratch(k) : GT_OK;
}

void gt_view_cache_close(gt_view_cache *k)
{
	free(k->host);
	k->host = NULL;
	if (k->where == GT_VIEW_CACHE_SCRATCH && k->file >= 0)
		close(k->file);
	k->file = -1;
}

/* Transfers all rows; a call may transfer fewer. */
static gt_status transfer(const gt_view_cache *k, int writes, size_t view, size_t row, size_t rows, float *values)
{
	size_t bytes = rows * k->scan->columns * sizeof *values;
	off_t at = (off_t)((view * view_cells(k->scan) + row * k->scan->columns) * sizeof *values);
	for (char *p = (char *)values; bytes;) {
		const ssize_t done = writes ? pwrite(k->file, p, bytes, at) : pread(k->file, p, bytes, at);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return gt_fail(GT_ERR_IO, "--scratch=%s: view %zu cannot be %s: %s", k->folder, view, writes ? "written" : "read",
			               done ? strerror(errno) : "it ends too early");
		p += done;
		at += done;
		bytes -= (size_t)done;
	}
	return GT_OK;
}

/* Reads a whole view, caches it in the file, and returns its rows. */
static gt_status keep_view(gt_view_cache *k, size_t view, size_t row, size_t rows, float *out)
{
	gt_status st;
	GT_TRY(gt_view_reader_read(k->views, view, 1, 0, k->scan->rows, k->host));
	GT_TRY(transfer(k, 1, view, 0, k->scan->rows, k->host));
	memcpy(out, k->host + row * k->scan->columns, rows * k->scan->columns * sizeof *out);
done:
	return st;
}

gt_status gt_view_cache_read(gt_view_cache *k, int fresh, size_t first, size_t n, size_t row, size_t rows, float *out)
{
	const size_t cells = rows * k->scan->columns;
	gt_status st = GT_OK;
	if (k->where == GT_VIEW_CACHE_NOT)
		return gt_view_reader_read(k->views, first, n, row, rows, out);
	if (k->where == GT_VIEW_CACHE_HOST && fresh)
		st = gt_view_reader_read(k->views, first, n, 0, k->scan->rows, k->host + first * view_cells(k->scan));
	for (size_t v = first; v < first + n && st == GT_OK; v++, out += cells) {
		if (k->where == GT_VIEW_CACHE_SCRATCH)
			st = fresh ? keep_view(k, v, row, rows, out) : transfer(k, 0, v, row, rows, out);
		else
			memcpy(out, k->host + v * view_cells(k->scan) + row * k->scan->columns, cells * sizeof *out);
	}
	return st;
}
