/* Checks that all ranks compute the same problem: a rank with other options or another file would cause a deadlock or
 * an inconsistent result. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/module.h>
#include "geometry/projections.h"
#include "core/try.h"
#include "recon/modules.h"
#include "recon/team/team_alike.h"

enum { METHOD, GRID, SCAN, TYPE, PROJECTOR, PENALTY, WEIGHTS, START, STOP, FILES, SPLIT, LINES, MAX_TEXT = 384, SAMPLES = 1 << 16 };

/* Digest of many numbers: a sum with alternating weights, and the sum of squares. Processors may differ by rounding. */
typedef struct {
	double sum, squares;
} digest;

typedef struct {
	char line[LINES][MAX_TEXT];
	digest views, data;
} problem;

static void add(digest *d, double x, size_t i)
{
	const unsigned sign = (unsigned)((i + 1) * 2654435761u) >> 16 & 1;
	if (!isfinite(x))
		return;
	d->sum += sign ? x : -x;
	d->squares += x * x;
}

static void add_view(digest *d, const gt_view *w, size_t v)
{
	for (size_t a = 0; a < 3; a++) {
		add(d, w->source[a], 12 * v + a);
		add(d, w->detector[a], 12 * v + 3 + a);
		add(d, 1e3 * w->column_axis[a], 12 * v + 6 + a);
		add(d, 1e3 * w->row_axis[a], 12 * v + 9 + a);
	}
}

static void add_scan(digest *d, const gt_scan *s)
{
	const double detector[] = { s->column_pitch, s->row_pitch, s->column_center, s->row_center };
	for (size_t i = 0; i < sizeof detector / sizeof *detector; i++)
		add(d, 1e3 * detector[i], i);
	for (size_t v = 0; v < s->views; v++)
		add_view(d, &s->view[v], v + 1);
}

static void add_data(digest *d, const gt_projections *p)
{
	const size_t n = gt_scan_size(p->scan), step = n / SAMPLES + 1;
	for (size_t i = 0; p->data && i < n; i += step)
		add(d, p->data[i], i / step);
}

static int same(const digest *a, const digest *b)
{
	return fabs(a->sum - b->sum) <= 1e-5 * sqrt(fmax(a->squares, b->squares)) &&
	       fabs(a->squares - b->squares) <= 1e-5 * fmax(a->squares, b->squares);
}

static const char *or_none(const char *text) { return text ? text : "none"; }

static gt_status describe(const gt_recon_job *j, const gt_recon_extent *e, const gt_split_spec *split, problem *p)
{
	static const char *const kinds[] = { "auto", "uniform", "file", "photons", "noise", "model" };
	const gt_scan *s = e->p.scan;
	const gt_weights_spec *w = &j->chosen.weights;
	const gt_penalty_spec *R = j->chosen.penalty;
	char *method = gt_method_print(&j->chosen.method), grid[256], shares[32];
	if (!method)
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	gt_grid_print(&e->grid, grid, sizeof grid);
	gt_split_print(split, shares);
	snprintf(p->line[METHOD], MAX_TEXT, "%s%s", method, j->how->compares ? ", a dry run" : "");
	snprintf(p->line[GRID], MAX_TEXT, "on %s", grid);
	snprintf(p->line[SCAN], MAX_TEXT, "%zu views of %zu x %zu", s->views, s->rows, s->columns);
	snprintf(p->line[TYPE], MAX_TEXT, "%s precision", gt_type_name(j->chosen.type));
	snprintf(p->line[PROJECTOR], MAX_TEXT, "projector %s", or_none(j->chosen.projector));
	snprintf(p->line[PENALTY], MAX_TEXT, "penalty %s noise=%g factor=%g kappa=%d auto=%s", R ? R->spec : "none", R ? R->noise : 0,
	         R ? R->factor : 0, R ? R->kappa : 0, or_none(R ? R->edges : NULL));
	snprintf(p->line[WEIGHTS], MAX_TEXT, "weights %s, count=%g electronic=%g slope=%g even=%g", kinds[w->kind], w->count, w->electronic,
	         w->slope, w->even);
	snprintf(p->line[START], MAX_TEXT, "init %s%s", or_none(j->chosen.init), j->chosen.start ? ", an array" : "");
	snprintf(p->line[STOP], MAX_TEXT, "stop change=%g gradient=%g seconds=%g, water %g", j->chosen.stop.change, j->chosen.stop.gradient,
	         j->chosen.stop.seconds, j->chosen.water);
	snprintf(p->line[FILES], MAX_TEXT, "checkpoint %s, resume %s", or_none(j->chosen.checkpoint), or_none(j->chosen.resume));
	snprintf(p->line[SPLIT], MAX_TEXT, "split %s%s, balance %d", shares, j->with.reproducible ? ", reproducible" : "", j->with.balance);
	add_scan(&p->views, s);
	add_data(&p->data, j->p);
	free(method);
	return GT_OK;
}

static gt_status compare(const gt_team *t, const problem *all, int n)
{
	for (int i = 1; i < n; i++) {
		const char *where = gt_team_where(t, i);
		for (int k = 0; k < LINES; k++)
			if (strcmp(all[0].line[k], all[i].line[k]))
				return gt_fail(GT_ERR_ARG, "rank %d of %d (%s) differs from rank 0: %s; expected %s", i, n, where,
				               all[i].line[k], all[0].line[k]);
		if (!same(&all[0].views, &all[i].views) || !same(&all[0].data, &all[i].data))
			return gt_fail(GT_ERR_ARG, "rank %d of %d (%s) differs from rank 0: other %s: expected the same file for all", i, n,
			               where, same(&all[0].views, &all[i].views) ? "projections" : "positions of source and detector");
	}
	return GT_OK;
}

gt_status gt_team_check_equal(const gt_team *t, gt_backend *be, const gt_recon_job *j, const gt_recon_extent *e, const gt_split_spec *split)
{
	const int n = gt_ranks(be);
	problem *mine = calloc(1, sizeof *mine), *all = calloc((size_t)n, sizeof *all);
	gt_status st = mine && all ? GT_OK : gt_fail(GT_ERR_MEMORY, "out of memory");
	GT_TRY(st);
	GT_TRY(describe(j, e, split, mine));
	GT_TRY(gt_team_gather(be, mine, sizeof *mine, all));
	GT_TRY(compare(t, all, n));
done:
	free(mine);
	free(all);
	return st;
}
