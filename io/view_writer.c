/* View-wise writing of projections: code shared by the formats. */
#include "core/arguments.h"
#include "core/try.h"
#include "geometry/not_finite.h"
#include "geometry/projections.h"
#include "io/dispatch.h"
#include "io/file_access.h"
#include "io/file_lock.h"
#include "io/view_writer.h"

static gt_status format_of_views(const char *path, const gt_format **f)
{
	const gt_status st = gt_format_to_write(path, 1, f);
	return st != GT_OK || (*f)->create_views
	               ? st
	               : gt_fail(GT_ERR_UNSUPPORTED, "%s: projections in chunks: expected a name in .nc, found the format %s", path,
	                         (*f)->about);
}

gt_status gt_can_write_views(const char *path)
{
	GT_NEED(path);
	const gt_format *f;
	return format_of_views(path, &f);
}

static gt_status view_writer_create(const char *path, const gt_projections *head, int weighted, gt_view_writer **w)
{
	const gt_format *f;
	gt_status st = GT_OK;
	GT_TRY(gt_projections_are("gt_view_writer_create", head));
	GT_TRY(gt_fail_in(gt_scan_check(head->scan), "%s", path));
	GT_TRY(format_of_views(path, &f));
	st = f->create_views(path, head, weighted, w);
done:
	return st;
}

gt_status gt_view_writer_create(const char *path, const gt_projections *head, int weighted, gt_view_writer **w)
{
	GT_NEED(path);
	GT_NEED(w);
	GT_FILE_LOCKED(view_writer_create(path, head, weighted, w));
}

typedef struct {
	gt_view_writer *w;
	int weights, reads;
	size_t first, row, rows;
	float *data;
	gt_failure failure;
} moved_piece;

static gt_status move_one(const moved_piece *m, size_t i)
{
	gt_view_writer *w = m->w;
	const size_t n = m->rows * w->size[2], view = m->first + i;
	float *data = m->data + i * n;
	if (m->reads)
		return w->read(w, m->weights, view, m->row, m->rows, data);
	const size_t bad = gt_first_bad(data, n);
	if (bad < n)
		return gt_fail(GT_ERR_FORMAT, "%s: view %zu, row %zu, column %zu is %g: expected a finite number", w->path, view,
		               m->row + bad / w->size[2], bad % w->size[2], (double)data[bad]);
	return w->write(w, m->weights, view, m->row, m->rows, data);
}

static void move_some(void *self, size_t i, size_t end, int worker)
{
	moved_piece *m = self;
	(void)worker;
	for (; i < end && !gt_failure_at(&m->failure, i); i++)
		gt_failure_note(&m->failure, i, move_one(m, i));
}

static gt_status move_piece(moved_piece *m, size_t n)
{
	const gt_view_writer *w = m->w;
	if (m->first + n > w->size[0] || m->row + m->rows > w->size[1] || (m->weights && !w->weighted))
		return gt_fail(GT_ERR_ARG, "%s: views %zu to %zu, rows %zu to %zu of the %s: expected %zu views of %zu rows%s", w->path,
		               m->first, m->first + n, m->row, m->row + m->rows, m->weights ? "weights" : "line integrals", w->size[0],
		               w->size[1], w->weighted ? "" : ", without weights");
	gt_parallel(w->pool, n, 1, move_some, m);
	return gt_failure_status(&m->failure);
}

gt_status gt_view_writer_write(gt_view_writer *w, const gt_view_chunk *p, const float *data)
{
	GT_NEED(w);
	GT_NEED(p);
	GT_NEED(data);
	moved_piece m = { w, p->weights, 0, p->first, p->row, p->rows, (float *)(size_t)data, GT_NO_FAILURE };
	return move_piece(&m, p->views);
}

gt_status gt_view_writer_read(gt_view_writer *w, const gt_view_chunk *p, float *data)
{
	GT_NEED(w);
	GT_NEED(p);
	GT_NEED(data);
	moved_piece m = { w, p->weights, 1, p->first, p->row, p->rows, data, GT_NO_FAILURE };
	return move_piece(&m, p->views);
}

void gt_view_writer_settle(gt_view_writer *w)
{
	if (w)
		w->settled = 1;
}

static gt_status view_writer_commit(gt_view_writer *w) { return w->commit(w); }

gt_status gt_view_writer_commit(gt_view_writer *w)
{
	GT_NEED(w);
	GT_FILE_LOCKED(view_writer_commit(w));
}

void gt_view_writer_drop(gt_view_writer *w)
{
	gt_file_lock();
	if (w)
		w->drop(w);
	gt_file_unlock();
}
