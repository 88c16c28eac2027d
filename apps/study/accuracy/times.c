/* What projection and backprojection cost: tables II and III, figures 7 to 10 of the paper. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "apps/cli/try.h"
#include "apps/study/accuracy/timing.h"

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
	study_seconds one = { { NAN, NAN }, { NAN, NAN }, NAN };
	gt_status st = GT_OK;
	for (size_t i = 0; i < sizeof head / sizeof *head; i++)
		study_head(table, "%s", head[i]);
	for (size_t i = 0; i < accuracy_of(s)->variants; i++) {
		study_variant *v = &accuracy_of(s)->variant[i];
		study_seconds t;
		if (!v->times)
			continue;
		GT_TRY(study_time(s, "times", &(study_timing){ v, s->scan, &s->grid, 1, 1 }, &t));
		if (i == 0)
			one = t;
		v->update = fmax(t.apply[FORWARD], t.apply[BACK]) / ((double)gt_grid_voxels(&s->grid) * (double)s->scan->views);
		study_text(table, "%s", v->label);
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
	for (size_t i = 0; i < accuracy_of(s)->variants; i++) {
		const study_variant *v = &accuracy_of(s)->variant[i];
		study_seconds t;
		if (!v->gups)
			continue;
		GT_TRY(study_time(s, "GUPS", &(study_timing){ v, scan, &grid, 1, 1 }, &t));
		study_text(table, "%s", v->label);
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

enum { MAX_VALUES = 16 };
typedef struct {
	const char *part, *head;
	size_t value[MAX_VALUES], quick[MAX_VALUES];
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
	for (size_t i = 0; i < accuracy_of(s)->variants; i++) {
		const study_variant *v = &accuracy_of(s)->variant[i];
		study_seconds t;
		if (!v->sweeps)
			continue;
		GT_TRY(study_time(s, part, &(study_timing){ v, scan, &grid, 0, n == values(s, w)[0] }, &t));
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
		for (size_t i = 0; i < accuracy_of(s)->variants; i++)
			if (accuracy_of(s)->variant[i].sweeps)
				study_head(&s->table[w->table + d], "%s [s]", accuracy_of(s)->variant[i].label);
		if (s->gpu[0])
			study_head(&s->table[w->table + d], "copies to the GPU [s]");
	}
	for (size_t i = 0; i < MAX_VALUES && value[i]; i++)
		GT_TRY(sweep_case(s, w, value[i]));
done:
	return st;
}

size_t study_times_steps(const study *s)
{
	size_t steps = 0;
	for (size_t i = 0; i < accuracy_of(s)->variants; i++) {
		const study_variant *v = &accuracy_of(s)->variant[i];
		steps += (size_t)v->times + (size_t)v->gups;
		for (int k = 0; k < SWEEPS && v->sweeps; k++)
			for (size_t n = 0; n < MAX_VALUES && values(s, &sweeps[k])[n]; n++)
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
