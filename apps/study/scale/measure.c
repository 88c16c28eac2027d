/* One time of `gantry study scale`: iterations of a method on some members. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "apps/cli/try.h"
#include "apps/study/scale/scale.h"
#include "core/order_statistics.h"

enum { TIMES = 3 };

gt_status scale_problem_new(const char *workload, size_t by, size_t views, scale_problem *p)
{
	const app_workload *w = app_workloads;
	gt_status st = GT_OK;
	*p = (scale_problem){ .scan = NULL };
	while (strcmp(w->name, workload))
		w++;
	gt_orbit orbit = w->orbit;
	orbit.views *= views;
	gt_orbit_reduce(&orbit, by);
	snprintf(p->name, sizeof p->name, by > 1 ? "%s / %zu" : "%s", workload, by);
	p->grid = (gt_grid){ .center = { 0, 0, 0 } };
	for (int a = 0; a < 3; a++) {
		p->grid.n[a] = w->n[a] / by;
		p->grid.pitch[a] = w->voxel[a] * (double)by;
	}
	GT_TRY(gt_scan_orbit(&orbit, &p->scan));
	const size_t n = gt_scan_size(p->scan);
	GT_TRY(study_host_floats(n, "projections", &p->data));
	app_fill_random(p->data, n);
	GT_TRY(gt_projections_wrap(p->scan, p->data, NULL, NULL, &p->p));
done:
	if (st != GT_OK)
		scale_problem_free(p);
	return st;
}

void scale_problem_free(scale_problem *p)
{
	gt_projections_free(p->p);
	gt_scan_free(p->scan);
	free(p->data);
	*p = (scale_problem){ .scan = NULL };
}

typedef struct {
	double last, seconds[TIMES];
	int n;
} clock_of_iterations;

/* The first one warms up, with what the solver prepares. */
static int iteration(void *self, const gt_recon_progress *p)
{
	clock_of_iterations *c = self;
	const double now = p->seconds;
	if (p->phase == GT_RECON_ITERATION && c->n < TIMES) {
		if (p->iteration > 1)
			c->seconds[c->n++] = now - c->last;
		c->last = now;
	}
	return p->phase == GT_RECON_ITERATION && c->n == TIMES;
}

static void name_backend(const study *s, int ranks, char name[48])
{
	if (s->gpu[0])
		snprintf(name, 48, ranks > 1 ? "cuda:0-%d" : "cuda:0", ranks - 1);
	else
		snprintf(name, 48, ranks > 1 ? "cpu:%dx%d" : "cpu:%d", scale_found(s)->threads, ranks);
}

gt_status scale_measure(const study *s, const scale_problem *p, const scale_method *m, int ranks, scale_time *t)
{
	clock_of_iterations clock = { .n = 0 };
	gt_recon *r = NULL;
	gt_volume *v = NULL;
	gt_status st = GT_OK;
	char backend[48];
	name_backend(s, ranks, backend);
	const char *const settings[][2] = { { "solver", m->solver }, { "penalty", m->penalty }, { "backend", backend },
		                            { "init", "zero" },      { "weights", "uniform" },  { "padding", "no" },
		                            { "check", "no" },       { "force", "yes" },        { "balance", "no" } };
	GT_TRY(gt_recon_new(p->p, &r));
	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
		if (settings[i][1] && !(ranks == 1 && !strcmp(settings[i][0], "balance")))
			GT_TRY(gt_recon_set(r, settings[i][0], settings[i][1]));
	GT_TRY(gt_recon_grid(r, &p->grid));
	GT_TRY(gt_volume_new(&p->grid, &v));
	gt_recon_on_progress(r, iteration, &clock);
	GT_TRY(gt_recon_run(r, v));
	if (clock.n < TIMES)
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "%s ended after %d iterations: expected %d to time", m->solver, clock.n + 1, TIMES + 1));
	t->seconds = gt_median(clock.seconds, TIMES);
	const char *model = gt_recon_text(r, "model");
	t->model = model ? strtod(model, NULL) : NAN;
	const char *split = gt_recon_text(r, "split");
	snprintf(t->split, sizeof t->split, "%s", split ? split : "one");
done:
	gt_volume_free(v);
	gt_recon_free(r);
	return st;
}
