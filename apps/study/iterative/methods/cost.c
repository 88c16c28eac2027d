/* What a method takes, counted: applications of operators, and what a dry run would allocate. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/subsets.h>
#include "apps/cli/try.h"
#include "apps/study/iterative/methods/methods.h"
#include "recon/modules.h"

enum { MANY = 4 };

typedef struct {
	gt_backend *be;
	gt_subsets subsets;
	gt_linop **counted;
	gt_penalty *R;
	gt_array *x;
	gt_method m;
	study_clock clock;
	double penalty; /* bytes */
	int iterations;
} work;

static void close_work(work *w)
{
	for (size_t k = 0; w->counted && k < w->subsets.subsets; k++)
		gt_linop_free(w->counted[k]);
	free(w->counted);
	gt_penalty_free(w->R);
	gt_array_free(w->x);
	if (w->subsets.subsets)
		gt_subsets_free(&w->subsets);
	gt_method_free(&w->m);
	gt_backend_close(w->be);
}

static gt_status bytes_of(const work *w, double *now, double *max)
{
	gt_counters count;
	const gt_status st = gt_backend_counters(w->be, &count);
	if (st == GT_OK) {
		*now = (double)count.bytes;
		*max = (double)count.peak_bytes;
	}
	return st;
}

static gt_status make_penalty(work *w, const gt_grid *grid, const method *m)
{
	double before, after, max;
	gt_status st = GT_OK;
	char *spec = m->of.knob && m->penalty ? cli_text("%s", m->penalty)
	             : m->penalty             ? cli_text("%s%cstrength=1", m->penalty, strchr(m->penalty, ':') ? ',' : ':')
	                                      : NULL;
	if (!m->penalty)
		return GT_OK;
	GT_TRY(spec ? GT_OK : gt_fail(GT_ERR_MEMORY, "out of memory"));
	GT_TRY(bytes_of(w, &before, &max));
	GT_TRY(gt_regularizer_new(spec, w->be, GT_F32, grid, NULL, &w->R));
	GT_TRY(bytes_of(w, &after, &max));
	w->penalty = after - before;
done:
	free(spec);
	return st;
}

static gt_status open_work(work *w, const quality_scene *scene, const method *m, const gt_grid *grid, int iterations, int dry)
{
	size_t subsets = 1;
	char *text = method_solver_text(m, iterations);
	gt_status st = GT_OK;
	GT_TRY(text ? GT_OK : gt_fail(GT_ERR_MEMORY, "out of memory"));
	GT_TRY(gt_method_parse(text, &w->m));
	GT_TRY(gt_backend_open("cpu", &w->be));
	if (dry)
		GT_TRY(gt_backend_dry_run(w->be));
	if (w->m.solver->subsets)
		GT_TRY(w->m.solver->subsets(w->m.options, scene->scan->views, &subsets));
	GT_TRY(gt_subsets_new("dd", w->be, GT_F32, grid, scene->scan, scene->lines, NULL, subsets, &w->subsets));
	if (!(w->counted = calloc(subsets, sizeof(gt_linop *))))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	for (size_t k = 0; k < subsets; k++)
		GT_TRY(study_timed_new(w->subsets.A[k], &w->clock, &w->counted[k]));
	GT_TRY(gt_array_new(w->be, GT_F32, gt_grid_voxels(grid), &w->x));
	GT_TRY(make_penalty(w, grid, m));
	gt_fill(scene->of->water, w->x);
done:
	free(text);
	return st;
}

static int each(void *self, const gt_progress *g)
{
	((work *)self)->iterations = g->iteration;
	return 0;
}

static gt_status solve(work *w, const gt_grid *grid)
{
	const gt_solver *v = w->m.solver;
	const gt_monitor monitor = { .each = each, .self = w };
	const gt_problem p = { .subsets = w->subsets.subsets,
		               .A = w->counted,
		               .b = w->subsets.b,
		               .R = w->R,
		               .n = { grid->n[0], grid->n[1], grid->n[2] },
		               .lo = v->nonneg && v->nonneg(w->m.options) ? 0 : -INFINITY,
		               .hi = INFINITY };
	return gt_solve(v, &p, w->m.options, w->x, &monitor);
}

/* Applications in so many iterations, in passes over all views. */
static gt_status count(const quality_scene *scene, const method *m, int iterations, double passes[2], int *done)
{
	work w = { .be = NULL };
	gt_status st = GT_OK;
	GT_TRY(open_work(&w, scene, m, &scene->grid, iterations, 0));
	GT_TRY(solve(&w, &scene->grid));
	passes[0] = (double)w.clock.forwards / (double)w.subsets.subsets;
	passes[1] = (double)w.clock.backs / (double)w.subsets.subsets;
	*done = w.iterations;
done:
	close_work(&w);
	return st;
}

/* Bytes of the solver and of the penalty, with so many slices. */
static gt_status room(const quality_scene *scene, const method *m, size_t slices, double bytes[2])
{
	gt_grid grid = scene->grid;
	work w = { .be = NULL };
	double before, now, max;
	gt_status st = GT_OK;
	grid.n[2] = slices;
	GT_TRY(open_work(&w, scene, m, &grid, m->iterations, 1));
	GT_TRY(bytes_of(&w, &before, &max));
	GT_TRY(solve(&w, &grid));
	GT_TRY(bytes_of(&w, &now, &max));
	bytes[0] = max - before;
	bytes[1] = w.penalty;
done:
	close_work(&w);
	return st;
}

/* As many slices as every scale of wavelets takes, and twice as many. */
enum { SLICES = 8 };

/* What grows with the slices is volumes, the rest arrays of the data. */
gt_status method_cost_of(const study *s, const quality_scene *scene, const method *m, method_cost *c)
{
	const double volume = (double)gt_grid_voxels(&scene->grid) * sizeof(float),
		     data = (double)gt_scan_size(scene->scan) * sizeof(float);
	double few[2], many[2], one[2], two[2];
	int done_few, done_many;
	gt_status st = GT_OK;
	(void)s;
	*c = (method_cost){ NAN, NAN, NAN, NAN, NAN };
	GT_TRY(count(scene, m, 1, few, &done_few));
	GT_TRY(count(scene, m, MANY, many, &done_many));
	if (done_many > done_few) {
		c->forward = (many[0] - few[0]) / (done_many - done_few);
		c->back = (many[1] - few[1]) / (done_many - done_few);
	}
	if (strstr(m->of.penalty ? m->of.penalty : "", "prior="))
		return GT_OK; /* its file has one slice */
	GT_TRY(room(scene, m, SLICES, one));
	GT_TRY(room(scene, m, 2 * SLICES, two));
	c->volumes = (two[0] - one[0]) / SLICES / volume;
	c->data = (one[0] - (two[0] - one[0])) / data;
	c->penalty = (two[1] - one[1]) / SLICES / volume;
done:
	return st;
}
