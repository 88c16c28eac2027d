/* Cost of a method: counted applications of operators, and allocations of a dry run. */
#include "apps/study/iterative/methods/methods.h"

enum { MANY = 4 };

typedef struct {
	study_run run;
	double penalty; /* bytes */
	int iterations;
} work;

static gt_status bytes_of(const work *w, double *now, double *max)
{
	gt_counters count;
	const gt_status st = gt_backend_counters(w->run.be, &count);
	if (st == GT_OK) {
		*now = (double)count.bytes;
		*max = (double)count.peak_bytes;
	}
	return st;
}

static gt_status make_penalty(work *w, const gt_grid *grid, const method *m)
{
	double before, after, max;
	if (!*m->penalty)
		return GT_OK;
	GT_OR_RETURN(bytes_of(w, &before, &max));
	GT_OR_RETURN(study_run_penalty(&w->run, m->of.knob ? m->penalty : SPEC(m->penalty, "strength=1"), GT_F32, grid));
	GT_OR_RETURN(bytes_of(w, &after, &max));
	w->penalty = after - before;
	return GT_OK;
}

static gt_status open_work(work *w, const quality_scene *scene, const method *m, const gt_grid *grid, int iterations, int dry)
{
	const char *text = SPEC(m->solver, "iterations=%d", iterations);
	GT_OR_RETURN(study_run_open(&w->run, &(study_run_options){ .backend = "cpu",
	                                                           .solver = text,
	                                                           .type = GT_F32,
	                                                           .dry = dry,
	                                                           .scan = scene->scan,
	                                                           .grid = grid,
	                                                           .data = scene->lines }));
	GT_OR_RETURN(make_penalty(w, grid, m));
	gt_fill(scene->of->water, w->run.x);
	return GT_OK;
}

static int each(void *self, const gt_progress *g)
{
	((work *)self)->iterations = g->iteration;
	return 0;
}

static gt_status solve(work *w, const gt_grid *grid)
{
	const gt_monitor monitor = { .each = each, .self = w };
	return study_run_solve(&w->run, w->run.timed, grid, &monitor);
}

/* Counts applications in these iterations, in passes over all views. */
static gt_status count(const quality_scene *scene, const method *m, int iterations, double passes[2], int *done)
{
	work w = { .iterations = 0 };
	gt_status st = GT_OK;
	GT_TRY(open_work(&w, scene, m, &scene->grid, iterations, 0));
	GT_TRY(solve(&w, &scene->grid));
	passes[0] = (double)w.run.clock.forwards / (double)w.run.subsets.subsets;
	passes[1] = (double)w.run.clock.backs / (double)w.run.subsets.subsets;
	*done = w.iterations;
done:
	study_run_close(&w.run);
	return st;
}

/* Bytes of the solver and of the penalty, with this number of slices. */
static gt_status memory(const quality_scene *scene, const method *m, size_t slices, double bytes[2])
{
	gt_grid grid = scene->grid;
	work w = { .iterations = 0 };
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
	study_run_close(&w.run);
	return st;
}

/* Every scale of wavelets takes this number of slices, and twice the number. */
enum { SLICES = 8 };

/* Memory that grows with the slices is volumes, the rest arrays of the data. */
gt_status method_cost_of(const study *s, const quality_scene *scene, const method *m, method_cost *c)
{
	const double volume = (double)gt_grid_voxels(&scene->grid) * sizeof(float),
		     data = (double)gt_scan_size(scene->scan) * sizeof(float);
	double few[2], many[2], one[2], two[2];
	int done_few, done_many;
	(void)s;
	*c = (method_cost){ NAN, NAN, NAN, NAN, NAN };
	GT_OR_RETURN(count(scene, m, 1, few, &done_few));
	GT_OR_RETURN(count(scene, m, MANY, many, &done_many));
	if (done_many > done_few) {
		c->forward = (many[0] - few[0]) / (done_many - done_few);
		c->back = (many[1] - few[1]) / (done_many - done_few);
	}
	if (strstr(m->of.penalty ? m->of.penalty : "", "prior="))
		return GT_OK; /* its file has one slice */
	GT_OR_RETURN(memory(scene, m, SLICES, one));
	GT_OR_RETURN(memory(scene, m, 2 * SLICES, two));
	c->volumes = (two[0] - one[0]) / SLICES / volume;
	c->data = (one[0] - (two[0] - one[0])) / data;
	c->penalty = (two[1] - one[1]) / SLICES / volume;
	return GT_OK;
}
