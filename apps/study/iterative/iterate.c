/* One reconstruction on one device: its operators with clocks, and its times. */
#include "apps/study/iterative/iterative.h"

typedef struct {
	gt_linop *A;
	study_clock *clock;
} timed;

static double now(const timed *t)
{
	gt_backend_wait(gt_linop_backend(t->A));
	return app_seconds();
}

static void forward(void *self, const gt_array *x, gt_array *y)
{
	const timed *t = self;
	const double start = now(t);
	gt_forward(t->A, x, y);
	t->clock->forward += now(t) - start;
	t->clock->forwards++;
}

static void adjoint(void *self, const gt_array *y, gt_array *x)
{
	const timed *t = self;
	const double start = now(t);
	gt_adjoint(t->A, y, x);
	t->clock->back += now(t) - start;
	t->clock->backs++;
}

static gt_status new_timed(gt_linop *A, study_clock *clock, gt_linop **out)
{
	static const struct gt_linop_ops ops = { .name = "timed", .forward = forward, .adjoint = adjoint, .free = free };
	timed *t = malloc(sizeof *t);
	if (!t)
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	*t = (timed){ A, clock };
	return gt_linop_new(&ops, t, gt_linop_backend(A), gt_linop_type(A), gt_linop_nx(A), gt_linop_ny(A), out);
}

gt_status study_run_open(study_run *w, const study_run_options *o)
{
	size_t subsets = 1;
	GT_OR_RETURN(gt_method_parse(o->solver, &w->m));
	GT_OR_RETURN(gt_backend_open(o->backend, &w->be));
	if (o->dry)
		GT_OR_RETURN(gt_backend_dry_run(w->be));
	if (w->m.solver->subsets)
		GT_OR_RETURN(w->m.solver->subsets(w->m.options, o->scan->views, &subsets));
	GT_OR_RETURN(gt_subsets_new("dd", w->be, o->type, o->grid, o->scan, o->data, o->weights, subsets, &w->subsets));
	GT_OR_RETURN(study_new(subsets, sizeof *w->timed, &w->timed));
	for (size_t k = 0; k < subsets; k++)
		GT_OR_RETURN(new_timed(w->subsets.A[k], &w->clock, &w->timed[k]));
	GT_OR_RETURN(gt_array_new(w->be, o->type, gt_grid_voxels(o->grid), &w->x));
	return GT_OK;
}

gt_status study_run_penalty(study_run *w, const char *spec, gt_type type, const gt_grid *grid)
{
	return gt_regularizer_new(spec, w->be, type, grid, NULL, &w->R);
}

gt_status study_run_solve(study_run *w, gt_linop *const *A, const gt_grid *grid, const gt_monitor *monitor)
{
	const gt_solver *v = w->m.solver;
	const gt_problem problem = { .subsets = w->subsets.subsets,
		                     .A = A,
		                     .b = w->subsets.b,
		                     .w = w->subsets.w,
		                     .R = w->R,
		                     .n = { grid->n[0], grid->n[1], grid->n[2] },
		                     .lo = v->nonneg && v->nonneg(w->m.options) ? 0 : -INFINITY,
		                     .hi = INFINITY };
	return gt_solve(v, &problem, w->m.options, w->x, monitor);
}

void study_run_close(study_run *w)
{
	for (size_t k = 0; w->timed && k < w->subsets.subsets; k++)
		gt_linop_free(w->timed[k]);
	free(w->timed);
	if (w->subsets.subsets)
		gt_subsets_free(&w->subsets);
	gt_penalty_free(w->R);
	gt_array_free(w->x);
	gt_method_free(&w->m);
	gt_backend_close(w->be);
}

/* One job ---------------------------------------------------------------------- */

enum { SPLIT_ITERATIONS = 4 };

typedef struct {
	study *s;
	const study_job *job;
	study_run run;
	gt_array *part, *truth; /* part: of run.x, the slices shown */
} work;

static size_t shown_first(const study_scene *c) { return c->below * c->grid.n[0] * c->grid.n[1]; }

static gt_status open_work(work *w)
{
	const study_job *job = w->job;
	const study_scene *scene = job->scene;
	const size_t n = gt_grid_voxels(&scene->shown);
	GT_OR_RETURN(study_run_open(&w->run, &(study_run_options){ .backend = job->d.backend,
	                                                           .solver = SPEC(job->c->solver, "iterations=%d", job->iterations),
	                                                           .type = job->d.type,
	                                                           .scan = scene->scan,
	                                                           .grid = &scene->grid,
	                                                           .data = job->data,
	                                                           .weights = job->weights }));
	GT_OR_RETURN(gt_array_part(w->run.x, shown_first(scene), n, &w->part));
	GT_OR_RETURN(gt_array_new(w->run.be, job->d.type, n, &w->truth));
	gt_array_put_float(scene->truth, w->truth);
	if (job->c->strength > 0) {
		const double strength = job->c->strength * (double)scene->scan->views * scene->grid.pitch[0] * scene->grid.pitch[1];
		GT_OR_RETURN(study_run_penalty(&w->run, FORMAT("qggmrf:strength=%.9g,c=10HU", strength), job->d.type, &scene->grid));
	}
	return gt_backend_status(w->run.be);
}

static gt_status get_shown(const work *w, float **out)
{
	GT_OR_RETURN(study_host_floats(gt_grid_voxels(&w->job->scene->shown), "a volume", out));
	gt_array_get_float(w->part, *out);
	return gt_backend_status(w->run.be);
}

/* Runs the direct method if it is shown or starts the iterations; else they start from 0. */
static gt_status start(work *w, float **fdk)
{
	const study_job *job = w->job;
	const study_scene *scene = job->scene;
	gt_array *all = NULL;
	gt_status st = GT_OK;
	if (job->c->start_fdk || job->c->show_fdk) {
		GT_TRY(gt_array_new(w->run.be, job->d.type, gt_scan_size(scene->scan), &all));
		gt_array_put_float(job->data, all);
		GT_TRY(gt_analytic_run(gt_analytic_for(scene->scan), w->run.be, &scene->grid, scene->scan, NULL, all, w->run.x));
		GT_TRY(get_shown(w, fdk));
	}
	if (!job->c->start_fdk)
		gt_fill(0, w->run.x);
done:
	gt_array_free(all);
	return st;
}

/* Times of iterations, without the work between them. */
typedef struct {
	work *w;
	double *rmse; /* NULL: not wanted */
	double begun, seconds;
	int timed;
} watch;

static int each(void *self, const gt_progress *g)
{
	watch *t = self;
	work *w = t->w;
	const study_job *job = w->job;
	const double now = app_seconds();
	if (g->iteration > 1) {
		t->seconds += now - t->begun;
		t->timed++;
	} else {
		w->run.clock = (study_clock){ 0 };
	}
	if (t->rmse) {
		const size_t n = gt_array_size(w->truth);
		gt_array *part = NULL;
		if (gt_array_part(g->x, shown_first(job->scene), n, &part) == GT_OK)
			t->rmse[g->iteration - 1] = 1000 / GT_WATER_DEFAULT * sqrt(gt_distance2(part, w->truth) / (double)n);
		gt_array_free(part);
	}
	snprintf(w->s->doing, sizeof w->s->doing, "%s: %s %d/%d on %s", job->c->key, job->c->solver, g->iteration, g->iterations,
	         job->d.name);
	app_progress_fraction(&w->s->progress, (double)w->s->done / (double)w->s->steps);
	gt_backend_wait(w->run.be);
	t->begun = app_seconds();
	return 0;
}

static gt_status solve(work *w, gt_linop *const *A, watch *t)
{
	const gt_monitor monitor = { .each = each, .self = t };
	return study_run_solve(&w->run, A, &w->job->scene->grid, &monitor);
}

static void take_split(const work *w, const watch *t, study_outcome *out)
{
	out->forward = w->run.clock.forward / t->timed;
	out->back = w->run.clock.back / t->timed;
	out->split = t->seconds / t->timed;
}

/* On the CPU every operator waits in any case: one run gives both times. */
static gt_status run(work *w, study_outcome *out)
{
	const int gpu = w->job->d.gpu;
	watch t = { .w = w, .rmse = out->rmse }, again = { .w = w };
	GT_OR_RETURN(solve(w, gpu ? w->run.subsets.A : w->run.timed, &t));
	GT_OR_RETURN(get_shown(w, &out->x));
	out->seconds = t.timed ? t.seconds / t.timed : NAN;
	if (!gpu && t.timed)
		take_split(w, &t, out);
	if (!gpu)
		return GT_OK;
	gt_fill(0, w->run.x);
	gt_method_free(&w->run.m);
	GT_OR_RETURN(gt_method_parse(SPEC(w->job->c->solver, "iterations=%d", SPLIT_ITERATIONS), &w->run.m));
	GT_OR_RETURN(solve(w, w->run.timed, &again));
	take_split(w, &again, out);
	return GT_OK;
}

gt_status study_iterate(study *s, const study_job *job, study_outcome *out)
{
	work w = { .s = s, .job = job };
	gt_status st = GT_OK;
	*out = (study_outcome){ .iterations = job->iterations, .seconds = NAN, .forward = NAN, .back = NAN, .split = NAN };
	study_step(s, "%s: %s on %s", job->c->key, job->c->solver, job->d.name);
	GT_TRY(study_new((size_t)job->iterations, sizeof *out->rmse, &out->rmse));
	for (int k = 0; k < job->iterations; k++)
		out->rmse[k] = NAN;
	GT_TRY(open_work(&w));
	GT_TRY(start(&w, &out->fdk));
	GT_TRY(run(&w, out));
done:
	gt_array_free(w.part);
	gt_array_free(w.truth);
	study_run_close(&w.run);
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
