/* Times between the iterations of a solver, measured by its monitor. */
#include <gantry/regularizer.h>
#include "apps/bench/bench.h"
#include "apps/cli/cli.h"
#include "apps/cli/progress.h"
#include "recon/modules.h"
#include <gantry/recon.h>

typedef struct {
	gt_backend *be;
	app_timing *t;
	int repeat, done;
	double last;
} stopwatch;

/* The first iteration warms up and includes the preparation; the times between the following ones count. */
static int each_iteration(void *self, const gt_progress *p)
{
	stopwatch *w = self;
	(void)p;
	gt_backend_wait(w->be);
	const double now = app_seconds();
	if (w->done++)
		w->t->ms[w->t->runs++] = 1e3 * (now - w->last);
	w->last = now;
	return w->t->runs >= w->repeat;
}

/* Parses the solver and sets the timed iterations plus one warm-up. */
static gt_status parse_solver(const char *solver, int repeat, gt_method *m)
{
	char iterations[32];
	snprintf(iterations, sizeof iterations, "iterations=%d", repeat + 1);
	GT_OR_RETURN(gt_method_parse(solver, m));
	if (!m->solver)
		return gt_fail(GT_ERR_ARG, "--solver=%s: expected an iterative method", solver);
	GT_OR_RETURN(gt_fail_in(gt_params_parse(m->solver->params, iterations, m->options), "%s", m->solver->name));
	return GT_OK;
}

gt_status app_iteration_check(const char *solver)
{
	gt_method m = { 0 };
	const gt_status st = parse_solver(solver, 1, &m);
	gt_method_free(&m);
	return st;
}

static gt_status penalty_of(const char *list, gt_backend *be, gt_type type, const gt_grid *grid, gt_penalty **R)
{
	char *spec = strndup(list, app_spec_length(list));
	const gt_status st = spec ? gt_regularizer_new(spec, be, type, grid, NULL, R) : gt_fail(GT_ERR_MEMORY, "out of memory");
	free(spec);
	return st;
}

gt_status app_time_iteration(const char *backend, gt_type type, const gt_grid *grid, const gt_scan *scan, const float *data,
                             const char *solver, const char *penalty, int repeat, app_timing *t)
{
	gt_method m = { 0 };
	gt_subsets s = { 0 };
	gt_backend *be = NULL;
	gt_array *x = NULL;
	gt_penalty *R = NULL;
	size_t subsets = 1;
	gt_status st = GT_OK;
	t->runs = 0;
	t->why[0] = 0;
	GT_TRY(gt_backend_open(backend, &be));
	GT_TRY(parse_solver(solver, repeat, &m));
	if (m.solver->subsets)
		GT_TRY(m.solver->subsets(m.options, scan->views, &subsets));
	const int weighted = penalty && m.solver->traits & GT_SUPPORTS_WEIGHTS;
	GT_TRY(gt_subsets_new(t->projector, be, type, grid, scan, data, weighted ? data : NULL, subsets, &s));
	GT_TRY(gt_array_new(be, type, gt_grid_voxels(grid), &x));
	gt_fill(0, x);
	if (penalty)
		GT_TRY(penalty_of(penalty, be, type, grid, &R));
	stopwatch w = { .be = be, .t = t, .repeat = repeat };
	const gt_monitor monitor = { .each = each_iteration, .self = &w };
	const gt_problem problem = { .subsets = subsets,
		                     .A = s.A,
		                     .b = s.b,
		                     .lo = -INFINITY,
		                     .hi = INFINITY,
		                     .w = weighted ? s.w : NULL,
		                     .R = R,
		                     .n = { grid->n[0], grid->n[1], grid->n[2] } };
	st = gt_solve(m.solver, &problem, m.options, x, &monitor);
	if (st == GT_STOPPED)
		st = GT_OK;
done:
	t->peak_bytes = bench_peak_bytes(be);
	gt_penalty_free(R);
	gt_array_free(x);
	gt_subsets_free(&s);
	gt_method_free(&m);
	gt_backend_close(be);
	return st;
}
