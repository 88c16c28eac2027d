/* One reconstruction on one device, with its times. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/regularizer.h>
#include "apps/cli/try.h"
#include "apps/study/iterative/iterative.h"
#include "recon/modules.h"
#include <gantry/subsets.h>

enum { SPLIT_ITERATIONS = 4 };

/* What a run needs on its device. */
typedef struct {
	study *s;
	const study_case *c;
	const study_scene *scene;
	const study_device *d;
	gt_backend *be;
	gt_array *x, *part, *truth; /* part: of x, the slices shown */
	gt_subsets subsets;
	gt_linop **timed;
	gt_penalty *R;
	study_clock clock;
} work;

static void close_work(work *w)
{
	for (size_t k = 0; w->timed && k < w->subsets.subsets; k++)
		gt_linop_free(w->timed[k]);
	free(w->timed);
	if (w->subsets.subsets)
		gt_subsets_free(&w->subsets);
	gt_penalty_free(w->R);
	gt_array_free(w->part);
	gt_array_free(w->truth);
	gt_array_free(w->x);
	gt_backend_close(w->be);
}

static gt_status parse(const study_case *c, int iterations, gt_method *m)
{
	char spec[128];
	snprintf(spec, sizeof spec, "%s%citerations=%d", c->solver, strchr(c->solver, ':') ? ',' : ':', iterations);
	return gt_method_parse(spec, m);
}

static size_t shown_first(const study_scene *c) { return c->below * c->grid.n[0] * c->grid.n[1]; }

static gt_status make_operators(work *w, const float *data, const float *weights, size_t subsets)
{
	gt_status st = GT_OK;
	GT_TRY(gt_subsets_new("dd", w->be, w->d->type, &w->scene->grid, w->scene->scan, data, weights, subsets, &w->subsets));
	w->timed = calloc(subsets, sizeof(gt_linop *));
	if (!w->timed)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	for (size_t k = 0; k < subsets; k++)
		GT_TRY(study_timed_new(w->subsets.A[k], &w->clock, &w->timed[k]));
	if (w->c->strength > 0) {
		char *spec = study_penalty_spec(w->c->strength, w->scene, w->scene->scan->views);
		st = spec ? gt_regularizer_new(spec, w->be, w->d->type, &w->scene->grid, NULL, &w->R)
		          : gt_fail(GT_ERR_MEMORY, "out of memory");
		free(spec);
	}
done:
	return st;
}

static gt_status open_work(work *w, const gt_method *m, const float *data, const float *weights)
{
	const size_t n = gt_grid_voxels(&w->scene->shown);
	size_t subsets = 1;
	gt_status st = GT_OK;
	GT_TRY(gt_backend_open(w->d->backend, &w->be));
	GT_TRY(gt_array_new(w->be, w->d->type, gt_grid_voxels(&w->scene->grid), &w->x));
	GT_TRY(gt_array_part(w->x, shown_first(w->scene), n, &w->part));
	if (m->solver->subsets)
		GT_TRY(m->solver->subsets(m->options, w->scene->scan->views, &subsets));
	GT_TRY(gt_array_new(w->be, w->d->type, n, &w->truth));
	gt_array_put_float(w->scene->truth, w->truth);
	GT_TRY(make_operators(w, data, weights, subsets));
	GT_TRY(gt_backend_status(w->be));
done:
	return st;
}

static gt_status get_shown(const work *w, float **out)
{
	const size_t n = gt_grid_voxels(&w->scene->shown);
	if (!(*out = malloc(n * sizeof **out)))
		return gt_fail(GT_ERR_MEMORY, "a volume needs %.3g MB", (double)n * 4e-6);
	gt_array_get_float(w->part, *out);
	return gt_backend_status(w->be);
}

/* The direct method, shown beside or where iterations start; else they start from 0. */
static gt_status start(work *w, const float *data, float **fdk)
{
	gt_array *all = NULL;
	gt_status st = GT_OK;
	if (w->c->start_fdk || w->c->show_fdk) {
		GT_TRY(gt_array_new(w->be, w->d->type, gt_scan_size(w->scene->scan), &all));
		gt_array_put_float(data, all);
		GT_TRY(gt_analytic_run(gt_analytic_for(w->scene->scan), w->be, &w->scene->grid, w->scene->scan, NULL, all, w->x));
		GT_TRY(get_shown(w, fdk));
	}
	if (!w->c->start_fdk)
		gt_fill(0, w->x);
done:
	gt_array_free(all);
	return st;
}

/* Times of iterations, without what is done between them. */
typedef struct {
	work *w;
	double *rmse; /* NULL: not wanted */
	double begun, seconds;
	int timed;
} watch;

static int each(void *self, const gt_progress *g)
{
	watch *t = self;
	const work *w = t->w;
	const double now = app_seconds();
	if (g->iteration > 1) {
		t->seconds += now - t->begun;
		t->timed++;
	} else {
		t->w->clock = (study_clock){ 0 };
	}
	if (t->rmse) {
		const size_t n = gt_array_size(w->truth);
		gt_array *part = NULL;
		if (gt_array_part(g->x, shown_first(w->scene), n, &part) == GT_OK)
			t->rmse[g->iteration - 1] = 1000 / GT_WATER_DEFAULT * sqrt(gt_distance2(part, w->truth) / (double)n);
		gt_array_free(part);
	}
	snprintf(w->s->doing, sizeof w->s->doing, "%s: %s %d/%d on %s", w->c->key, w->c->solver, g->iteration, g->iterations, w->d->name);
	app_progress_fraction(&w->s->progress, (double)w->s->done / (double)w->s->steps);
	gt_backend_wait(w->be);
	t->begun = app_seconds();
	return 0;
}

static gt_status solve(work *w, int iterations, gt_linop *const *A, watch *t)
{
	gt_method m = { 0 };
	const gt_monitor monitor = { .each = each, .self = t };
	gt_status st = GT_OK;
	GT_TRY(parse(w->c, iterations, &m));
	const gt_problem problem = { .subsets = w->subsets.subsets,
		                     .A = A,
		                     .b = w->subsets.b,
		                     .w = w->subsets.w,
		                     .R = w->R,
		                     .n = { w->scene->grid.n[0], w->scene->grid.n[1], w->scene->grid.n[2] },
		                     .lo = m.solver->nonneg && m.solver->nonneg(m.options) ? 0 : -INFINITY,
		                     .hi = INFINITY };
	GT_TRY(gt_solve(m.solver, &problem, m.options, w->x, &monitor));
done:
	gt_method_free(&m);
	return st;
}

static void take_split(const work *w, const watch *t, study_outcome *out)
{
	out->forward = w->clock.forward / t->timed;
	out->back = w->clock.back / t->timed;
	out->split = t->seconds / t->timed;
}

/* On the CPU every operator waits in any case: one run does for both. */
static gt_status run(work *w, study_outcome *out)
{
	watch t = { .w = w, .rmse = out->rmse }, again = { .w = w };
	gt_status st = GT_OK;
	GT_TRY(solve(w, out->iterations, w->d->gpu ? w->subsets.A : w->timed, &t));
	GT_TRY(get_shown(w, &out->x));
	out->seconds = t.timed ? t.seconds / t.timed : NAN;
	if (!w->d->gpu && t.timed)
		take_split(w, &t, out);
	if (!w->d->gpu)
		return GT_OK;
	gt_fill(0, w->x);
	GT_TRY(solve(w, SPLIT_ITERATIONS, w->timed, &again));
	take_split(w, &again, out);
done:
	return st;
}

gt_status study_iterate(study *s, const study_case *c, const study_scene *scene, const float *data, const float *weights,
                        const study_device *d, int iterations, study_outcome *out)
{
	work w = { .s = s, .c = c, .scene = scene, .d = d };
	gt_method m = { 0 };
	gt_status st = GT_OK;
	*out = (study_outcome){ .iterations = iterations, .seconds = NAN, .forward = NAN, .back = NAN, .split = NAN };
	study_step(s, "%s: %s on %s", c->key, c->solver, d->name);
	GT_TRY(parse(c, iterations, &m));
	if (!(out->rmse = malloc((size_t)iterations * sizeof *out->rmse)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	for (int k = 0; k < iterations; k++)
		out->rmse[k] = NAN;
	GT_TRY(open_work(&w, &m, data, weights));
	GT_TRY(start(&w, data, &out->fdk));
	GT_TRY(run(&w, out));
done:
	close_work(&w);
	gt_method_free(&m);
	if (st != GT_OK)
		study_outcome_free(out);
	return st;
}

void study_outcome_free(study_outcome *o)
{
	free(o->x);
	free(o->fdk);
	free(o->rmse);
	*o = (study_outcome){ 0 };
}
