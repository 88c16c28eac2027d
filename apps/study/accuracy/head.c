/* The error against exact line integrals: the FORBILD head in voxels, projected, and its solids. */
#include <math.h>
#include <stdlib.h>
#include <gantry/phantom.h>
#include "apps/cli/try.h"
#include "apps/study/accuracy/accuracy.h"
#include "geometry/grid.h"

enum { VIEWS = 24, RAYS = 4, POINTS = 4 };

typedef struct {
	study *s;
	gt_scan *scan;
	gt_grid grid;
	float *volume, *lines;
	double *exact, *of;
	size_t cells;
} work;

/* The head, made smaller where the field of view is; on the study's voxels, as many as hold it and what the cone meets. */
static gt_status make_body(work *w, gt_phantom **head)
{
	double low, high;
	const double radius = gt_scan_field_of_view(w->scan, &low, &high);
	gt_phantom_options o = gt_phantom_defaults;
	size_t below, above;
	gt_status st = gt_phantom_new("forbild-head", &o, head);
	if (st != GT_OK)
		return st;
	const double size = gt_phantom_radius(*head);
	gt_phantom_free(*head);
	*head = NULL;
	for (int a = 0; a < 3; a++)
		o.shift[a] = w->grid.center[a];
	o.scale = radius > 0 && size > 0.95 * radius ? 0.95 * radius / size : 1;
	GT_TRY(gt_phantom_new("forbild-head", &o, head));
	for (int a = 0; a < 2; a++)
		w->grid.n[a] = (size_t)ceil(2 * o.scale * size / w->grid.pitch[a]);
	gt_grid_margin(&w->grid, w->scan, &below, &above);
	w->grid.n[2] += below + above;
	w->grid.center[2] += ((double)above - (double)below) / 2 * w->grid.pitch[2];
done:
	return st;
}

static gt_status allocate(work *w)
{
	const size_t voxels = gt_grid_voxels(&w->grid);
	const gt_status st = gt_host_has_memory((double)voxels * sizeof *w->volume, "the head in voxels");
	if (st != GT_OK)
		return st;
	w->cells = gt_scan_size(w->scan);
	w->volume = malloc(voxels * sizeof *w->volume);
	w->lines = malloc(w->cells * sizeof *w->lines);
	w->exact = malloc(w->cells * sizeof *w->exact);
	w->of = malloc(w->cells * sizeof *w->of);
	return w->volume && w->lines && w->exact && w->of ? GT_OK : gt_fail(GT_ERR_MEMORY, "no memory for the head");
}

static gt_status prepare(work *w)
{
	const gt_scan *all = w->s->scan;
	const size_t views = all->views < VIEWS ? all->views : VIEWS;
	size_t view[VIEWS];
	gt_phantom *head = NULL;
	gt_pool *pool = NULL;
	gt_status st = GT_OK;
	for (size_t i = 0; i < views; i++)
		view[i] = i * all->views / views;
	w->grid = w->s->grid;
	study_step(w->s, "head: voxels and exact lines");
	GT_TRY(study_pick(all, view, views, &w->scan));
	GT_TRY(make_body(w, &head));
	GT_TRY(allocate(w));
	GT_TRY(gt_pool_new(w->s->threads, &pool));
	GT_TRY(gt_phantom_voxelise(head, &w->grid, POINTS, pool, NULL, NULL, w->volume));
	GT_TRY(gt_phantom_project(head, w->scan, RAYS, pool, NULL, NULL, w->lines));
	for (size_t i = 0; i < w->cells; i++)
		w->exact[i] = w->lines[i];
done:
	gt_pool_free(pool);
	gt_phantom_free(head);
	return st;
}

static double mean_difference(const double *x, const double *from, size_t n)
{
	double sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += x[i] - from[i];
	return sum / (double)n;
}

size_t study_head_steps(const study *s) { return 1 + study_bar_steps(s); }

gt_status study_head_error(study *s)
{
	static const char *const head[] = { "projector", "RMSE of line integrals", "relative", "largest", "mean difference" };
	study_table *t = &s->table[STUDY_HEAD];
	work w = { .s = s };
	gt_status st = GT_OK;
	for (size_t i = 0; i < sizeof head / sizeof *head; i++)
		study_head(t, "%s", head[i]);
	GT_TRY(prepare(&w));
	for (size_t i = 0; i < accuracy_of(s)->variants; i++) {
		const study_variant *v = &accuracy_of(s)->variant[i];
		if (!v->accuracy)
			continue;
		const study_way way = study_way_of(v);
		study_step(s, "head: %s", v->label);
		st = study_apply(&way, 0, &w.grid, w.scan, w.volume, w.of);
		if (st == GT_ERR_UNSUPPORTED || st == GT_ERR_MEMORY) {
			study_leave_out(s, "head", v->label);
			st = GT_OK;
			continue;
		}
		GT_TRY(st);
		const study_error e = study_compare(w.of, w.exact, w.cells);
		study_text(t, "%s", v->label);
		study_number(t, e.rmse);
		study_number(t, e.relative);
		study_number(t, e.largest);
		study_number(t, mean_difference(w.of, w.exact, w.cells));
	}
done:
	gt_scan_free(w.scan);
	free(w.volume);
	free(w.lines);
	free(w.exact);
	free(w.of);
	return st;
}
