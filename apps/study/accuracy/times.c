/* Times of projection and backprojection: tables II and III, figures 7 to 10 of the paper. The CPU's are estimated
 * from some of the views. */
#include "apps/cli/apply.h"
#include "apps/study/accuracy/accuracy.h"
#include "core/order_statistics.h"

enum { FORWARD, BACK, DIRECTIONS }; /* as the argument of app_operator_run() */
/* Seconds of the operator on resident data, and from host memory to host memory; NAN: not measured. */
typedef struct {
	double apply[DIRECTIONS], total[DIRECTIONS], copies;
} seconds;

/* A case, timed after a warm-up. */
typedef struct {
	study_variant *variant;
	const gt_scan *scan;
	const gt_grid *grid;
	int full, careful; /* on a GPU all views even if they take long; more runs, and times from host to host */
} timing;

enum { MIN_VIEWS = 24, FEWEST_VIEWS = 9 }; /* sample sizes: on a GPU, on the CPU */
static const double longest = 0.15;        /* s: a case of the sweeps on a GPU that is timed in full, a sample on the CPU */
static const seconds none = { { NAN, NAN }, { NAN, NAN }, NAN };

/* An operator on random numbers, and the seconds of their copies to its device. */
typedef struct {
	app_operator on;
	double copies;
} problem;

static gt_status open_problem(study *s, const timing *c, const gt_scan *scan, problem *p)
{
	const study_variant *v = c->variant;
	const float *random = NULL;
	gt_status st = GT_OK;
	GT_TRY(app_operator_open(&p->on, v->backend, v->spec, v->type, c->grid, scan));
	const size_t nx = gt_linop_nx(p->on.A), ny = gt_linop_ny(p->on.A);
	GT_TRY(study_random(s, nx > ny ? nx : ny, &random));
	const double start = app_seconds();
	gt_array_put_float(random, p->on.x);
	gt_array_put_float(random, p->on.y);
	gt_backend_wait(p->on.be);
	p->copies = app_seconds() - start;
	GT_TRY(gt_backend_status(p->on.be));
done:
	if (st != GT_OK)
		app_operator_close(&p->on);
	return st;
}

static double apply(const problem *p, int direction)
{
	gt_backend_wait(p->on.be);
	const double start = app_seconds();
	app_operator_run(&p->on, direction);
	gt_backend_wait(p->on.be);
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
	const double start = app_seconds();
	gt_array_put_float(in, app_operator_in(&p->on, direction));
	app_operator_run(&p->on, direction);
	gt_array_get_float(app_operator_out(&p->on, direction), out);
	return app_seconds() - start;
}

static gt_status time_totals(study *s, const problem *p, seconds *t)
{
	const size_t nx = gt_array_size(p->on.x), ny = gt_array_size(p->on.y), n = nx > ny ? nx : ny;
	const float *in = NULL;
	float *out = NULL;
	gt_status st = GT_OK;
	GT_TRY(study_random(s, n, &in));
	GT_TRY(study_host_floats(n, "the result", &out));
	memset(out, 0, n * sizeof *out); /* touches the memory, as a program at work has */
	for (int d = 0; d < DIRECTIONS; d++)
		t->total[d] = host_to_host(p, d, in, out);
	st = gt_backend_status(p->on.be);
done:
	free(out);
	return st;
}

static gt_status time_all_views(study *s, const timing *c, seconds *t)
{
	problem p;
	gt_status st = GT_OK;
	GT_OR_RETURN(open_problem(s, c, c->scan, &p));
	for (int d = 0; d < DIRECTIONS; d++) {
		apply(&p, d); /* the first run is slower */
		t->apply[d] = median_of_runs(&p, d, c->careful ? 5 : 3);
	}
	t->copies = p.copies;
	if (c->careful)
		GT_TRY(time_totals(s, &p, t));
	GT_TRY(gt_backend_status(p.on.be));
done:
	app_operator_close(&p.on);
	return st;
}

static gt_status time_some_views(study *s, const timing *c, size_t n, double t[])
{
	gt_scan *part = NULL;
	problem p = { 0 };
	gt_status st = GT_OK;
	GT_TRY(study_spread(c->scan, n, &part));
	GT_TRY(open_problem(s, c, part, &p));
	for (int d = 0; d < DIRECTIONS; d++) {
		apply(&p, d);
		t[d] = apply(&p, d);
	}
	GT_TRY(gt_backend_status(p.on.be));
done:
	app_operator_close(&p.on);
	gt_scan_free(part);
	return st;
}

/* The time of one more view. Little is done once per call on the CPU: if it seems so, a sample was disturbed. */
static double each_view(const study_variant *v, double some, size_t few, double more, size_t many)
{
	const double slope = (more - some) / (double)(many - few), share = more / (double)many;
	return slope > (v->gpu ? 0 : share / 4) ? slope : share;
}

/* Extrapolates linearly from two numbers of views, the larger one `many`, so that the work per call counts once. */
static gt_status time_sample(study *s, const timing *c, size_t many, seconds *t)
{
	const size_t few = many / 3, views = c->scan->views;
	double some[DIRECTIONS] = { 0 }, more[DIRECTIONS];
	if (many >= views)
		many = views;
	else
		GT_OR_RETURN(time_some_views(s, c, few, some));
	GT_OR_RETURN(time_some_views(s, c, many, more));
	for (int d = 0; d < DIRECTIONS; d++) {
		t->apply[d] = more[d];
		if (many < views)
			t->apply[d] += each_view(c->variant, some[d], few, more[d], many) * (double)(views - many);
	}
	return GT_OK;
}

static gt_status time_cpu(study *s, const timing *c, seconds *t)
{
	const int threads = c->variant->threads;
	size_t many = (size_t)(threads < 4 ? 12 : threads < 16 ? 3 * threads : 48);
	const double each = c->variant->update * (double)gt_grid_voxels(c->grid);
	if (each * (double)many > longest)
		many = (size_t)fmax(FEWEST_VIEWS, longest / each);
	const gt_status st = time_sample(s, c, many, t);
	memcpy(t->total, t->apply, sizeof t->total);
	return st;
}

/* Times all views, but a sample of long cases of the sweeps. */
static gt_status time_gpu(study *s, const timing *c, seconds *t)
{
	const double views = (double)c->scan->views, expected = c->variant->update * (double)gt_grid_voxels(c->grid) * views;
	if (c->full || !(expected >= longest)) /* also if it is unknown */
		return time_all_views(s, c, t);
	const size_t many = (size_t)(views * longest / 2 / expected);
	return time_sample(s, c, many < MIN_VIEWS ? MIN_VIEWS : many, t);
}

/* Counts one step, and notes the time of an update for the next case. An impossible case is left out: t is NAN. `part`
 * names it. */
static gt_status time_case(study *s, const char *part, const timing *c, seconds *t)
{
	study_variant *v = c->variant;
	*t = none;
	study_step(s, "%s: %s", part, v->label);
	const gt_status st = v->gpu ? time_gpu(s, c, t) : time_cpu(s, c, t);
	if (st != GT_OK)
		*t = none;
	else
		v->update = fmax(t->apply[FORWARD], t->apply[BACK]) / ((double)gt_grid_voxels(c->grid) * (double)c->scan->views);
	return study_or_left_out(s, st, part, v->label);
}

/* Tables II and III ------------------------------------------------------------ */

static double gups(const gt_scan *scan, const gt_grid *grid, double time)
{
	return (double)gt_grid_voxels(grid) * (double)scan->views / 1073741824 / time;
}

gt_status study_times(study *s)
{
	study_table *table = &s->table[STUDY_TIMES];
	seconds one = none;
	for (study_variant *v = NULL; (v = study_next(s, v, IN_TIMES));) {
		seconds t;
		GT_OR_RETURN(time_case(s, "times", &(timing){ v, s->scan, &s->grid, 1, 1 }, &t));
		if (v == accuracy_of(s)->variant)
			one = t;
		study_row(table, TXT(v->label));
		for (int d = 0; d < DIRECTIONS; d++)
			study_row(table, NUM(t.total[d]), NUM(one.total[d] / t.total[d]), NUM(t.apply[d]), NUM(one.apply[d] / t.apply[d]),
			          NUM(gups(s->scan, &s->grid, t.apply[d])));
	}
	return GT_OK;
}

gt_status study_gups(study *s)
{
	gt_scan *scan = NULL;
	gt_grid grid;
	gt_status st = GT_OK;
	GT_TRY(app_workload_make(study_cube(s), 1, &scan, &grid));
	for (study_variant *v = NULL; (v = study_next(s, v, IN_GUPS));) {
		seconds t;
		GT_TRY(time_case(s, "GUPS", &(timing){ v, scan, &grid, 1, 1 }, &t));
		study_row(&s->table[STUDY_GUPS], TXT(v->label), NUM(gups(scan, &grid, t.apply[FORWARD])),
		          NUM(gups(scan, &grid, t.apply[BACK])), NUM(t.apply[FORWARD]), NUM(t.apply[BACK]));
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
	return study_spread(s->scan, n, scan);
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

enum { MAX_VALUES = 16 };
typedef struct {
	const char *part;
	size_t value[MAX_VALUES], quick[MAX_VALUES];
	gt_status (*make)(const study *s, size_t n, gt_scan **scan, gt_grid *grid);
	int table;     /* forward; back is the next */
	unsigned with; /* the variants */
} sweep;

enum { FEW, VIEWS, SIZE, SLICES, SWEEPS };
static const sweep sweeps[SWEEPS] = {
	[FEW] = { "few rows and slices", { 1, 4, 8, 16, 17, 24, 32, 33, 48, 64 }, { 1, 2, 5 }, with_slices, STUDY_FEW_FORWARD, IN_FEW },
	[VIEWS] = { "number of views", { 100, 500, 1000, 2500, 5000, 11000 }, { 20, 40, 80 }, with_views, STUDY_VIEWS_FORWARD, IN_SWEEPS },
	[SIZE] = { "size in plane", { 256, 384, 512, 768, 1024, 1408 }, { 32, 48, 64 }, with_size, STUDY_SIZE_FORWARD, IN_SWEEPS },
	[SLICES] = { "rows and slices", { 64, 96, 128, 192, 320, 480 }, { 8, 12, 16 }, with_slices, STUDY_SLICES_FORWARD, IN_SWEEPS },
};

static const size_t *values(const study *s, const sweep *w) { return s->quick ? w->quick : w->value; }

static gt_status sweep_case(study *s, const sweep *w, size_t n)
{
	study_table *table = &s->table[w->table]; /* both directions */
	gt_scan *scan = NULL;
	gt_grid grid;
	double copies = NAN;
	gt_status st = GT_OK;
	GT_TRY(w->make(s, n, &scan, &grid));
	for (int d = 0; d < DIRECTIONS; d++)
		study_number(&table[d], (double)n);
	for (study_variant *v = NULL; (v = study_next(s, v, w->with));) {
		seconds t;
		GT_TRY(time_case(s, FORMAT("%s: %zu", w->part, n), &(timing){ v, scan, &grid, 0, n == values(s, w)[0] }, &t));
		copies = fmin(copies, t.copies); /* ignores NAN */
		for (int d = 0; d < DIRECTIONS; d++)
			study_number(&table[d], t.apply[d]);
	}
	for (int d = 0; d < DIRECTIONS && s->gpu[0]; d++)
		study_number(&table[d], copies);
done:
	gt_scan_free(scan);
	return st;
}

static gt_status run_sweep(study *s, const sweep *w)
{
	const size_t *value = values(s, w);
	for (int d = 0; d < DIRECTIONS; d++) {
		for (const study_variant *v = NULL; (v = study_next(s, v, w->with));)
			study_head(&s->table[w->table + d], "%s [s]", v->label);
		if (s->gpu[0])
			study_head(&s->table[w->table + d], "copies to the GPU [s]");
	}
	for (size_t i = 0; i < MAX_VALUES && value[i]; i++)
		if (study_is_late(s))
			study_leave_out_as(s, w->part, FORMAT("%zu", value[i]), FORMAT("the %.0f s of --seconds were over", s->seconds));
		else
			GT_OR_RETURN(sweep_case(s, w, value[i]));
	return GT_OK;
}

size_t study_times_steps(const study *s)
{
	size_t steps = study_count(s, IN_TIMES) + study_count(s, IN_GUPS);
	for (int k = 0; k < SWEEPS; k++)
		for (size_t n = 0; n < MAX_VALUES && values(s, &sweeps[k])[n]; n++)
			steps += study_count(s, sweeps[k].with);
	return steps;
}

gt_status study_few_slices(study *s) { return run_sweep(s, &sweeps[FEW]); }

gt_status study_views(study *s) { return run_sweep(s, &sweeps[VIEWS]); }

gt_status study_size(study *s) { return run_sweep(s, &sweeps[SIZE]); }

gt_status study_slices(study *s) { return run_sweep(s, &sweeps[SLICES]); }
