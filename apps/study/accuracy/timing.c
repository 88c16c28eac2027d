/* One projection and backprojection timed: on the CPU from some of the views, on a GPU in full. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "apps/cli/try.h"
#include "apps/study/accuracy/timing.h"
#include "core/order_statistics.h"

enum { MIN_VIEWS = 24, FEWEST_VIEWS = 9 }; /* of samples: on a GPU, on the CPU */
static const double longest = 0.15;        /* s: a case of the sweeps on a GPU that is timed in full, a sample on the CPU */
static const study_seconds none = { { NAN, NAN }, { NAN, NAN }, NAN };

/* A problem on a backend. */
typedef struct {
	gt_backend *be;
	gt_linop *A;
	gt_array *x, *y;
	double copies;
} problem;

static void close_problem(problem *p)
{
	gt_array_free(p->x);
	gt_array_free(p->y);
	gt_linop_free(p->A);
	gt_backend_close(p->be);
	*p = (problem){ 0 };
}

static gt_status open_problem(study *s, const study_variant *v, const gt_scan *scan, const gt_grid *grid, problem *p)
{
	const float *random = NULL;
	gt_status st = GT_OK;
	*p = (problem){ 0 };
	GT_TRY(gt_backend_open(v->backend, &p->be));
	GT_TRY(gt_projector_new(v->projector->name, p->be, v->type, grid, scan, &p->A));
	GT_TRY(gt_array_new(p->be, v->type, gt_linop_nx(p->A), &p->x));
	GT_TRY(gt_array_new(p->be, v->type, gt_linop_ny(p->A), &p->y));
	const size_t nx = gt_linop_nx(p->A), ny = gt_linop_ny(p->A);
	GT_TRY(study_random(s, nx > ny ? nx : ny, &random));
	const double start = app_seconds();
	gt_array_put_float(random, p->x);
	gt_array_put_float(random, p->y);
	gt_backend_wait(p->be);
	p->copies = app_seconds() - start;
	GT_TRY(gt_backend_status(p->be));
done:
	if (st != GT_OK)
		close_problem(p);
	return st;
}

static double apply(const problem *p, int direction)
{
	gt_backend_wait(p->be);
	const double start = app_seconds();
	if (direction == BACK)
		gt_adjoint(p->A, p->y, p->x);
	else
		gt_forward(p->A, p->x, p->y);
	gt_backend_wait(p->be);
	return app_seconds() - start;
}

/* Median of at most `runs`, fewer where they take long. */
static double median_of_runs(const problem *p, int direction, int runs)
{
	double t[5], sum = 0;
	size_t n = 0;
	while (n < (size_t)runs && n < sizeof t / sizeof *t && (!n || sum < longest)) {
		t[n] = apply(p, direction);
		sum += t[n++];
	}
	return gt_median(t, n);
}

/* The input is brought, the operator applied, the output fetched. */
static double host_to_host(const problem *p, int direction, const float *in, float *out)
{
	gt_array *const from = direction == BACK ? p->y : p->x, *const to = direction == BACK ? p->x : p->y;
	const double start = app_seconds();
	gt_array_put_float(in, from);
	if (direction == BACK)
		gt_adjoint(p->A, from, to);
	else
		gt_forward(p->A, from, to);
	gt_array_get_float(to, out);
	return app_seconds() - start;
}

static gt_status time_totals(study *s, const problem *p, study_seconds *t)
{
	const size_t nx = gt_array_size(p->x), ny = gt_array_size(p->y), n = nx > ny ? nx : ny;
	const float *in = NULL;
	gt_status st = study_random(s, n, &in);
	if (st == GT_OK)
		st = gt_host_has_memory((double)n * sizeof(float), "the result");
	float *out = st == GT_OK ? malloc(n * sizeof *out) : NULL;
	if (st != GT_OK || !out)
		return st != GT_OK ? st : gt_fail(GT_ERR_MEMORY, "the result needs %.3g MB", (double)n * 4e-6);
	memset(out, 0, n * sizeof *out); /* memory that is there, as that of a program at work */
	for (int d = 0; d < DIRECTIONS; d++)
		t->total[d] = host_to_host(p, d, in, out);
	free(out);
	return gt_backend_status(p->be);
}

static gt_status time_all_views(study *s, const study_variant *v, const gt_scan *scan, const gt_grid *grid, int careful, study_seconds *t)
{
	problem p;
	gt_status st = open_problem(s, v, scan, grid, &p);
	if (st != GT_OK)
		return st;
	for (int d = 0; d < DIRECTIONS; d++) {
		if (careful)
			apply(&p, d);
		t->apply[d] = median_of_runs(&p, d, careful ? 5 : 3);
	}
	t->copies = p.copies;
	if (careful)
		GT_TRY(time_totals(s, &p, t));
	GT_TRY(gt_backend_status(p.be));
done:
	close_problem(&p);
	return st;
}

/* Both directions of n views spread over the scan. */
static gt_status time_some_views(study *s, const study_variant *v, const gt_scan *scan, const gt_grid *grid, size_t n, int warm, double t[])
{
	size_t *view = malloc(n * sizeof *view);
	gt_scan *part = NULL;
	problem p = { 0 };
	gt_status st = view ? GT_OK : gt_fail(GT_ERR_MEMORY, "out of memory");
	GT_TRY(st);
	for (size_t i = 0; i < n; i++)
		view[i] = i * scan->views / n;
	GT_TRY(study_pick(scan, view, n, &part));
	GT_TRY(open_problem(s, v, part, grid, &p));
	for (int d = 0; d < DIRECTIONS; d++) {
		if (warm)
			apply(&p, d);
		t[d] = apply(&p, d);
	}
	GT_TRY(gt_backend_status(p.be));
done:
	close_problem(&p);
	gt_scan_free(part);
	free(view);
	return st;
}

/* The time of one more view. Little is done once per call on the CPU: if it seems so, a sample was disturbed. */
static double each_view(const study_variant *v, double some, size_t few, double more, size_t many)
{
	const double slope = (more - some) / (double)(many - few), share = more / (double)many;
	return slope > (v->gpu ? 0 : share / 4) ? slope : share;
}

/* From two numbers of views, the larger one `many`, on a straight line to all of them: what is done once per call is not
 * multiplied. */
static gt_status time_sample(study *s, const study_variant *v, const gt_scan *scan, const gt_grid *grid, size_t many, int careful,
                             study_seconds *t)
{
	const size_t few = many / 3;
	double some[DIRECTIONS] = { 0 }, more[DIRECTIONS];
	gt_status st = GT_OK;
	if (many >= scan->views)
		many = scan->views;
	else
		GT_TRY(time_some_views(s, v, scan, grid, few, careful, some));
	GT_TRY(time_some_views(s, v, scan, grid, many, careful, more));
	for (int d = 0; d < DIRECTIONS; d++) {
		t->apply[d] = more[d];
		if (many < scan->views)
			t->apply[d] += each_view(v, some[d], few, more[d], many) * (double)(scan->views - many);
	}
done:
	return st;
}

static gt_status time_cpu(study *s, const study_variant *v, const gt_scan *scan, const gt_grid *grid, study_seconds *t)
{
	size_t many = (size_t)(v->threads < 4 ? 12 : v->threads < 16 ? 3 * v->threads : 48);
	const double each = v->update * (double)gt_grid_voxels(grid);
	if (each * (double)many > longest)
		many = (size_t)fmax(FEWEST_VIEWS, longest / each);
	const gt_status st = time_sample(s, v, scan, grid, many, 1, t);
	memcpy(t->total, t->apply, sizeof t->total);
	return st;
}

/* In full, but for long cases of the sweeps. */
static gt_status time_gpu(study *s, const study_variant *v, const gt_scan *scan, const gt_grid *grid, int full, int careful,
                          study_seconds *t)
{
	const double expected = v->update * (double)gt_grid_voxels(grid) * (double)scan->views;
	if (full || !(expected >= longest)) /* not known: in full */
		return time_all_views(s, v, scan, grid, careful, t);
	const size_t many = (size_t)((double)scan->views * longest / 2 / expected);
	return time_sample(s, v, scan, grid, many < MIN_VIEWS ? MIN_VIEWS : many, careful, t);
}

gt_status study_time(study *s, const char *part, const study_timing *c, study_seconds *t)
{
	const study_variant *v = c->variant;
	*t = none;
	study_step(s, "%s: %s", part, v->label);
	const gt_status st = v->gpu ? time_gpu(s, v, c->scan, c->grid, c->full, c->careful, t) : time_cpu(s, v, c->scan, c->grid, t);
	if (!app_left_out(st))
		return st;
	study_leave_out(s, part, v->label);
	*t = none;
	return GT_OK;
}
