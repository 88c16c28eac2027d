/* Compares conjugate rays before a reconstruction: warns if they disagree, and corrects an assumed axis. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/consistency.h>
#include "analytic/consistency/conjugate.h"
#include "core/log.h"
#include "core/text.h"
#include "core/try.h"
#include "geometry/projections.h"

/* Returns "; try: COMMAND, or: COMMAND" if there is a file that the command could read; malloc'ed, NULL without
 * memory. */
static char *commands_for(const char *file, const gt_scan *s, const gt_conjugate_report *r)
{
	char first[GT_CONJUGATE_TEXT], second[GT_CONJUGATE_TEXT] = "";
	if (!file || !r->faults)
		return gt_text("%s", "");
	gt_conjugate_remedy(file, s, r, r->faults, first, sizeof first);
	if (r->instead)
		gt_conjugate_remedy(file, s, r, r->instead, second, sizeof second);
	return gt_text("; try: %s%s%s", first, r->instead ? ", or: " : "", second);
}

/* Columns added by gantry prepare --extend were not measured and need not agree. Their weight 0 is not always read, but
 * the record of the steps lists the extension. */
static int is_extended(const gt_projections *p) { return p->from.parameters && strstr(p->from.parameters, "prepare=extend"); }

int gt_conjugate_move_axis(gt_projections *p, const gt_listener *log, const char *file, int threads)
{
	gt_conjugate_report r;
	gt_pool *pool = NULL;
	if (!p || !p->data || gt_pool_new(threads, &pool) != GT_OK)
		return 0;
	const gt_status st = gt_conjugate_quick_check(p->scan, p->data, pool, &r);
	gt_pool_free(pool);
	if (st != GT_OK || r.faults != GT_CONJUGATE_CENTER || r.instead || !r.explained || r.hidden & GT_CONJUGATE_CENTER)
		return 0;
	gt_notify(log, GT_INFO, GT_ABOUT_GEOMETRY,
	          "%s: rotation axis found at column %.2f +- %.2g by conjugate rays: used in place of the centre, %.6g (--axis sets it)",
	          file ? file : "the projections", r.center, fmax(0.01, r.error), p->scan->column_center);
	p->scan->column_center = r.center;
	return 1;
}

/* Sample of a file: at most this many views, evenly, and rows next to the central one, whose rays have two ends. */
enum { SAMPLE_VIEWS = 720, SAMPLE_ROWS = 8 };

static gt_status read_sample(gt_view_reader *from, const gt_scan *s, size_t step, size_t row, gt_projections *to)
{
	gt_status st = GT_OK;
	for (size_t v = 0; v < to->scan->views && st == GT_OK; v++) {
		to->scan->view[v] = s->view[v * step];
		st = gt_view_reader_read(from, v * step, 1, row, to->scan->rows, to->data + v * to->scan->rows * s->columns);
	}
	return st;
}

/* The views and rows as projections of their own. */
static gt_status sample_of(const char *file, const gt_read_options *o, const gt_scan *s, gt_projections **sample)
{
	const size_t step = 1 + (s->views - 1) / SAMPLE_VIEWS, rows = s->rows < SAMPLE_ROWS ? s->rows : SAMPLE_ROWS;
	const double first = floor(s->row_center) - ((double)rows - 1) / 2, last = (double)(s->rows - rows);
	const size_t row = (size_t)fmin(fmax(first, 0), last);
	gt_read_options quiet = *o;
	gt_view_reader *from = NULL;
	gt_scan part = *s;
	gt_status st = GT_OK;
	quiet.notes = (gt_listener){ NULL, NULL };
	part.views = 1 + (s->views - 1) / step;
	part.rows = rows;
	part.row_center -= (double)row;
	GT_TRY(gt_projections_new(&part, sample));
	GT_TRY(gt_view_reader_open(file, &quiet, s, &from));
	st = read_sample(from, s, step, row, *sample);
done:
	gt_view_reader_close(from);
	return st;
}

static int is_assumed(const gt_read_options *o)
{
	const gt_frames_options *f = o ? o->frames : NULL;
	return f && f->source_to_axis > 0 && isnan(o->axis) && !f->geometry;
}

int gt_conjugate_move_assumed_axis(gt_projections *p, const gt_read_options *o, const gt_listener *log, const char *file, int threads)
{
	gt_projections *sample = NULL;
	int is_moved = 0;
	if (!p || !is_assumed(o))
		return 0;
	if (p->data)
		return gt_conjugate_move_axis(p, log, file, threads);
	if (file && sample_of(file, o, p->scan, &sample) == GT_OK)
		is_moved = gt_conjugate_move_axis(sample, log, file, threads);
	if (is_moved)
		p->scan->column_center = sample->scan->column_center;
	gt_projections_free(sample);
	return is_moved;
}

void gt_conjugate_warn(const gt_projections *p, const gt_listener *log, const char *file, int threads)
{
	char verdict[GT_CONJUGATE_TEXT];
	gt_conjugate_report r;
	gt_pool *pool = NULL;
	if (!p->data || !log || !log->say || is_extended(p) || gt_pool_new(threads, &pool) != GT_OK)
		return;
	/* A scan without conjugate rays cannot disagree; without memory the run itself fails. */
	const gt_status st = gt_conjugate_quick_check(p->scan, p->data, pool, &r);
	gt_pool_free(pool);
	if (st != GT_OK || (!r.faults && r.explained))
		return;
	gt_conjugate_verdict(p->scan, &r, verdict, sizeof verdict);
	char *commands = commands_for(file, p->scan, &r);
	gt_notify(log, GT_WARNING, GT_ABOUT_GEOMETRY, "%s: conjugate rays disagree: %s%s (--no-check leaves this comparison out)",
	          file ? file : "the projections", verdict, commands ? commands : "");
	free(commands);
}
