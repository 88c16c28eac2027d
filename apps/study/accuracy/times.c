/* What projection and backprojection cost: on the CPU from some of the views, on a GPU in full. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/order_statistics.h>
#include "apps/cli/try.h"
#include "apps/study/study.h"

enum { FORWARD, BACK, DIRECTIONS };
enum { LEAST_VIEWS = 24, FEWEST_VIEWS = 9 }; /* of samples: on a GPU, on the CPU */
static const double longest = 0.15;          /* s: a case of the sweeps on a GPU that is timed in full, a sample on the CPU */
/* Seconds of the operator on resident data, and from host memory to host memory; NAN where it was not measured. */
typedef struct {
	double apply[DIRECTIONS], total[DIRECTIONS], copies;
} seconds;
static const seconds none = { { NAN, NAN }, { NAN, NAN }, NAN };

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

static gt_status time_totals(study *s, const problem *p, seconds *t)
{
	const size_t nx = gt_array_size(p->x), ny = gt_array_size(p->y), n = nx > ny ? nx : ny;
	const float *in = NULL;
	gt_status st = study_random(s, n, &in);
	if (st == GT_OK)
		st = gt_host_room((double)n * sizeof(float), "the result");
	float *out = st == GT_OK ? malloc(n * sizeof *out) : NULL;
	if (st != GT_OK || !out)
		return st != GT_OK ? st : gt_fail(GT_ERR_MEMORY, "the result needs %.3g MB", (double)n * 4e-6);
	memset(out, 0, n * sizeof *out); /* memory that is there, as that of a program at work */
	for (int d = 0; d < DIRECTIONS; d++)
		t->total[d] = host_to_host(p, d, in, out);
	free(out);
	return gt_backend_status(p->be);
}

static gt_status time_all_views(study *s, const study_variant *v, const gt_scan *scan, const gt_grid *grid, int careful, seconds *t)
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
                             seconds *t)
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

static gt_status time_cpu(study *s, const study_variant *v, const gt_scan *scan, const gt_grid *grid, seconds *t)
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
static gt_status time_gpu(study *s, const study_variant *v, const gt_scan *scan, const gt_grid *grid, int full, int careful, seconds *t)
{
	const double expected = v->update * (double)gt_grid_voxels(grid) * (double)scan->views;
	if (full || !(expected >= longest)) /* not known: in full */
		return time_all_views(s, v, scan, grid, careful, t);
	const size_t many = (size_t)((double)scan->views * longest / 2 / expected);
	return time_sample(s, v, scan, grid, many < LEAST_VIEWS ? LEAST_VIEWS : many, careful, t);
}

/* A case that cannot be done, or has no room, is told and left out. */
static gt_status time_case(study *s, const char *part, const study_variant *v, const gt_scan *scan, const gt_grid *grid, int full,
                           int careful, seconds *t)
{
	*t = none;
	study_step(s, "%s: %s", part, v->label);
	const gt_status st = v->gpu ? time_gpu(s, v, scan, grid, full, careful, t) : time_cpu(s, v, scan, grid, t);
	if (!app_left_out(st))
		return st;
	study_leave_out(s, part, v->label);
	*t = none;
	return GT_OK;
}

/* Tables II and III ------------------------------------------------------------ */

static double gups(const gt_scan *scan, const gt_grid *grid, double time)
{
	return (double)gt_grid_voxels(grid) * (double)scan->views / 1073741824 / time;
}

static gt_status table_of_times(study *s)
{
	static const char *const head[] = { "projector",        "forward total [s]", "speed-up",       "forward kernels [s]",
		                            "speed-up",         "forward [GUPS]",    "back total [s]", "speed-up",
		                            "back kernels [s]", "speed-up",          "back [GUPS]" };
	study_table *table = &s->table[STUDY_TIMES];
	seconds one = none;
	gt_status st = GT_OK;
	for (size_t i = 0; i < sizeof head / sizeof *head; i++)
		study_head(table, "%s", head[i]);
	for (size_t i = 0; i < s->variants; i++) {
		seconds t;
		if (!s->variant[i].times)
			continue;
		GT_TRY(time_case(s, "times", &s->variant[i], s->scan, &s->grid, 1, 1, &t));
		if (i == 0)
			one = t;
		s->variant[i].update = fmax(t.apply[FORWARD], t.apply[BACK]) / ((double)gt_grid_voxels(&s->grid) * (double)s->scan->views);
		study_text(table, "%s", s->variant[i].label);
		for (int d = 0; d < DIRECTIONS; d++) {
			study_number(table, t.total[d]);
			study_number(table, one.total[d] / t.total[d]);
			study_number(table, t.apply[d]);
			study_number(table, one.apply[d] / t.apply[d]);
			study_number(table, gups(s->scan, &s->grid, t.apply[d]));
		}
	}
done:
	return st;
}

static gt_status table_of_gups(study *s)
{
	static const char *const head[] = { "projector", "forward [GUPS]", "back [GUPS]", "forward [s]", "back [s]" };
	study_table *table = &s->table[STUDY_GUPS];
	gt_scan *scan = NULL;
	gt_grid grid;
	gt_status st = GT_OK;
	for (size_t i = 0; i < sizeof head / sizeof *head; i++)
		study_head(table, "%s", head[i]);
	GT_TRY(app_workload_make(study_cube(s), 1, &scan, &grid));
	for (size_t i = 0; i < s->variants; i++) {
		seconds t;
		if (!s->variant[i].gups)
			continue;
		GT_TRY(time_case(s, "GUPS", &s->variant[i], scan, &grid, 1, 1, &t));
		study_text(table, "%s", s->variant[i].label);
		for (int d = 0; d < DIRECTIONS; d++)
			study_number(table, gups(scan, &grid, t.apply[d]));
		for (int d = 0; d < DIRECTIONS; d++)
			study_number(table, t.apply[d]);
	}
done:
	gt_scan_free(scan);
	return st;
}

/* Figures 7 to 10 ---------------------------------------------------------------- */

/* A scan file has no orbit: its views are repeated. */
static gt_status with_views(const study *s, size_t n, gt_scan **scan, gt_grid *grid)
{
	*grid = s->grid;
	if (s->orbit.views) {
		gt_orbit o = s->orbit;
		o.views = n;
		return gt_scan_orbit(&o, scan);
	}
	size_t *view = malloc(n * sizeof *view);
	if (!view)
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	for (size_t i = 0; i < n; i++)
		view[i] = (size_t)((double)i * (double)s->scan->views / (double)n);
	const gt_status st = study_pick(s->scan, view, n, scan);
	free(view);
	return st;
}

static gt_status with_size(const study *s, size_t n, gt_scan **scan, gt_grid *grid)
{
	*grid = s->grid;
	for (int a = 0; a < 2; a++) {
		grid->pitch[a] *= (double)grid->n[a] / (double)n;
		grid->n[a] = n;
	}
	return gt_scan_clone(s->scan, scan);
}

static gt_status with_slices(const study *s, size_t n, gt_scan **scan, gt_grid *grid)
{
	const gt_status st = gt_scan_clone(s->scan, scan);
	*grid = s->grid;
	grid->n[2] = n;
	if (st != GT_OK)
		return st;
	(*scan)->row_center += ((double)n - (double)(*scan)->rows) / 2;
	(*scan)->rows = n;
	return GT_OK;
}

enum { MOST_VALUES = 16 };
typedef struct {
	const char *part, *head;
	size_t value[MOST_VALUES], quick[MOST_VALUES];
	gt_status (*make)(const study *s, size_t n, gt_scan **scan, gt_grid *grid);
	int table; /* forward; back is the next */
} sweep;

static const sweep sweeps[] = {
	{ "number of views", "views", { 100, 500, 1000, 2500, 5000, 11000 }, { 20, 40, 80 }, with_views, STUDY_VIEWS_FORWARD },
	{ "size in plane", "voxels along x and y", { 256, 384, 512, 768, 1024, 1408 }, { 32, 48, 64 }, with_size, STUDY_SIZE_FORWARD },
	{ "rows and slices", "rows and slices", { 64, 96, 128, 192, 320, 480 }, { 8, 12, 16 }, with_slices, STUDY_SLICES_FORWARD },
	{ "few rows and slices", "rows and slices", { 1, 4, 8, 16, 17, 24, 32, 33, 48, 64 }, { 1, 2, 5 }, with_slices, STUDY_FEW_FORWARD },
};
enum { SWEEPS = sizeof sweeps / sizeof *sweeps };

static const size_t *values(const study *s, const sweep *w) { return s->quick ? w->quick : w->value; }

static gt_status sweep_case(study *s, const sweep *w, size_t n)
{
	study_table *table[DIRECTIONS] = { &s->table[w->table], &s->table[w->table + 1] };
	char part[80];
	gt_scan *scan = NULL;
	gt_grid grid;
	double copies = NAN;
	gt_status st = GT_OK;
	GT_TRY(w->make(s, n, &scan, &grid));
	snprintf(part, sizeof part, "%s: %zu", w->part, n);
	for (int d = 0; d < DIRECTIONS; d++)
		study_number(table[d], (double)n);
	for (size_t i = 0; i < s->variants; i++) {
		seconds t;
		if (!s->variant[i].sweeps)
			continue;
		GT_TRY(time_case(s, part, &s->variant[i], scan, &grid, 0, n == values(s, w)[0], &t));
		copies = fmin(copies, t.copies); /* of the two, what is a number */
		for (int d = 0; d < DIRECTIONS; d++)
			study_number(table[d], t.apply[d]);
	}
	for (int d = 0; d < DIRECTIONS && s->gpu[0]; d++)
		study_number(table[d], copies);
done:
	gt_scan_free(scan);
	return st;
}

static gt_status run_sweep(study *s, const sweep *w)
{
	const size_t *value = values(s, w);
	gt_status st = GT_OK;
	for (int d = 0; d < DIRECTIONS; d++) {
		study_head(&s->table[w->table + d], "%s", w->head);
		for (size_t i = 0; i < s->variants; i++)
			if (s->variant[i].sweeps)
				study_head(&s->table[w->table + d], "%s [s]", s->variant[i].label);
		if (s->gpu[0])
			study_head(&s->table[w->table + d], "copies to the GPU [s]");
	}
	for (size_t i = 0; i < MOST_VALUES && value[i]; i++)
		GT_TRY(sweep_case(s, w, value[i]));
done:
	return st;
}

size_t study_times_steps(const study *s)
{
	size_t steps = 0;
	for (size_t i = 0; i < s->variants; i++) {
		const study_variant *v = &s->variant[i];
		steps += (size_t)v->times + (size_t)v->gups;
		for (int k = 0; k < SWEEPS && v->sweeps; k++)
			for (size_t n = 0; n < MOST_VALUES && values(s, &sweeps[k])[n]; n++)
				steps++;
	}
	return steps;
}

gt_status study_times(study *s)
{
	gt_status st = GT_OK;
	GT_TRY(table_of_times(s));
	GT_TRY(table_of_gups(s));
	for (int k = 0; k < SWEEPS; k++)
		GT_TRY(run_sweep(s, &sweeps[k]));
done:
	return st;
}
