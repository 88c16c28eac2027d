/* How near the projectors are to their models in double precision: ones forward, and back from one view and from all. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/constants.h>
#include "apps/cli/try.h"
#include "apps/study/accuracy/accuracy.h"

/* What is computed with a projector: ones forward, and back onto the slice in the middle. A reference does it in double on the CPU. */
enum { VIEWS = 24 };
typedef struct {
	double *forward; /* [VIEWS][rows][columns] */
	double *back[2]; /* from one view, from all: [y][x] */
} results;
typedef struct {
	const char *model;
	results r;
} reference;

typedef struct {
	study *s;
	size_t view[VIEWS], views;
	study_box slice;
	size_t cells, plane;  /* of all forward views; of a slice */
	gt_scan *some, *one;  /* the views above; the first of them */
	float *ones;          /* as many as voxels, or cells of the scan */
	reference *reference; /* [references] */
	size_t references;
} work;

static void free_results(results *r)
{
	free(r->forward);
	free(r->back[0]);
	free(r->back[1]);
	*r = (results){ 0 };
}

static gt_status new_results(const work *w, results *r)
{
	*r = (results){ .forward = malloc(w->cells * sizeof(double)) };
	for (int k = 0; k < 2; k++)
		r->back[k] = malloc(w->plane * sizeof(double));
	if (r->forward && r->back[0] && r->back[1])
		return GT_OK;
	free_results(r);
	return gt_fail(GT_ERR_MEMORY, "out of memory");
}

/* The view that looks from nearest to that gantry angle; `otherwise` where angles are not known. */
static size_t nearest_view(const gt_scan *scan, double angle, size_t otherwise)
{
	size_t best = otherwise;
	double min = INFINITY;
	for (size_t v = 0; v < scan->views; v++) {
		const double away = fabs(remainder(scan->view[v].angle - angle, 2 * GT_PI));
		if (away < min - 1e-9) {
			min = away;
			best = v;
		}
	}
	return best;
}

static gt_status prepare(study *s, work *w)
{
	const gt_scan *scan = s->scan;
	const size_t *n = s->grid.n, voxels = gt_grid_voxels(&s->grid);
	gt_status st = GT_OK;
	w->s = s;
	w->views = scan->views < VIEWS ? scan->views : VIEWS;
	w->view[0] = nearest_view(scan, 0, 0);
	if (w->views > 1)
		w->view[1] = nearest_view(scan, GT_PI / 4, scan->views / 8);
	for (size_t i = 2; i < w->views; i++)
		w->view[i] = i * scan->views / w->views;
	w->slice = (study_box){ { 0, 0, n[2] / 2 }, { n[0], n[1], 1 } };
	w->cells = w->views * scan->rows * scan->columns;
	w->plane = s->grid.n[0] * s->grid.n[1];
	GT_TRY(study_pick(scan, w->view, w->views, &w->some));
	GT_TRY(study_pick(scan, w->view, 1, &w->one));
	GT_TRY(study_ones(voxels > gt_scan_size(scan) ? voxels : gt_scan_size(scan), &w->ones));
done:
	return st;
}

static void finish(work *w)
{
	for (size_t i = 0; i < w->references; i++)
		free_results(&w->reference[i].r);
	free(w->reference);
	free(w->ones);
	gt_scan_free(w->some);
	gt_scan_free(w->one);
}

static gt_status compute(const work *w, const study_way *way, results *r)
{
	const gt_grid *grid = &w->s->grid;
	gt_status st = GT_OK;
	GT_TRY(new_results(w, r));
	GT_TRY(study_apply(way, 0, grid, w->some, w->ones, r->forward));
	GT_TRY(study_back(way, grid, w->one, w->ones, &w->slice, 1, r->back[0]));
	GT_TRY(study_back(way, grid, w->s->scan, w->ones, &w->slice, 1, r->back[1]));
done:
	if (st != GT_OK)
		free_results(r);
	return st;
}

static const results *find_reference(const work *w, const char *model)
{
	for (size_t i = 0; i < w->references; i++)
		if (!strcmp(w->reference[i].model, model))
			return &w->reference[i].r;
	return NULL;
}

static gt_status add_reference(work *w, const char *model)
{
	reference *more = realloc(w->reference, (w->references + 1) * sizeof *more);
	if (!more)
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	w->reference = more;
	study_step(w->s, "reference in double: %s", model);
	const study_way way = { .backend = w->s->cpu, .projector = model, .type = GT_F64 };
	const gt_status st = compute(w, &way, &w->reference[w->references].r);
	if (st == GT_OK)
		w->reference[w->references++].model = model;
	return st;
}

/* Pictures and tables ---------------------------------------------------------------- */

/* Differences as shares of the largest value of the reference; they are shown within four times their root mean square. */
static gt_status write_difference(const study_folder *f, const char *name, const double *x, const double *from, size_t n, double *window)
{
	const study_error e = study_compare(x, from, n);
	double *d = malloc(n * sizeof *d);
	if (!d)
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	for (size_t i = 0; i < n; i++)
		d[i] = (x[i] - from[i]) / e.peak;
	*window = fmin(4 * e.rmse, e.largest) / e.peak;
	const gt_status st = study_floats(f, name, d, n);
	free(d);
	return st;
}

static gt_status write_pictures(const work *w, study_variant *v, const results *r, const results *from)
{
	static const char *const forward[2] = { "0", "45" }, *const backs[2] = { "one", "all" };
	const study_folder *f = &w->s->folder;
	const size_t view = w->s->scan->rows * w->s->scan->columns;
	char name[96];
	gt_status st = GT_OK;
	for (size_t k = 0; k < 2 && k < w->views; k++) {
		snprintf(name, sizeof name, "forward-%s-%s.f32", forward[k], v->key);
		GT_TRY(write_difference(f, name, r->forward + k * view, from->forward + k * view, view, &v->window[STUDY_AT_0 + k]));
	}
	for (int k = 0; k < 2; k++) {
		snprintf(name, sizeof name, "back-%s-%s.f32", backs[k], v->key);
		GT_TRY(study_floats(f, name, r->back[k], w->plane));
		snprintf(name, sizeof name, "back-%s-difference-%s.f32", backs[k], v->key);
		GT_TRY(write_difference(f, name, r->back[k], from->back[k], w->plane, &v->window[STUDY_FROM_ONE + k]));
	}
done:
	return st;
}

static gt_status write_reference(const work *w, const results *r)
{
	const study_folder *f = &w->s->folder;
	const size_t view = w->s->scan->rows * w->s->scan->columns;
	gt_status st = GT_OK;
	GT_TRY(study_floats(f, "forward-0-reference.f32", r->forward, view));
	if (w->views > 1)
		GT_TRY(study_floats(f, "forward-45-reference.f32", r->forward + view, view));
	GT_TRY(study_floats(f, "back-one-reference.f32", r->back[0], w->plane));
	GT_TRY(study_floats(f, "back-all-reference.f32", r->back[1], w->plane));
done:
	return st;
}

/* The middle row of the views at 0 and 45 degrees: one column per variant. */
static void add_profiles(const work *w, const results *of[])
{
	const gt_scan *scan = w->s->scan;
	for (size_t k = 0; k < 2 && k < w->views; k++) {
		study_table *t = &w->s->table[k ? STUDY_FORWARD_45 : STUDY_FORWARD_0];
		const size_t row = (k * scan->rows + scan->rows / 2) * scan->columns;
		study_head(t, "column");
		study_head(t, "%s in double [mm]", accuracy_of(w->s)->reference->name);
		for (size_t i = 0; i < accuracy_of(w->s)->variants; i++)
			if (of[i])
				study_head(t, "%s [mm]", accuracy_of(w->s)->variant[i].label);
		for (size_t c = 0; c < scan->columns; c++) {
			study_number(t, (double)c);
			study_number(t, w->reference[0].r.forward[row + c]);
			for (size_t i = 0; i < accuracy_of(w->s)->variants; i++)
				if (of[i])
					study_number(t, of[i]->forward[row + c]);
		}
	}
}

static void add_errors(study_table *t, const double *x, const double *from, size_t n)
{
	const study_error e = study_compare(x, from, n);
	study_number(t, e.rmse);
	study_number(t, e.relative);
	study_number(t, e.largest);
}

static void heads(study_table *t, int directions, const char *const *what)
{
	study_head(t, "projector");
	study_head(t, "reference");
	for (int k = 0; k < directions; k++) {
		study_head(t, "%sRMSE [mm]", what[k]);
		study_head(t, "%srelative", what[k]);
		study_head(t, "%slargest [mm]", what[k]);
	}
}

static void start_tables(study *s)
{
	static const char *const forward[] = { "" }, *const backs[] = { "one view: ", "all views: " };
	heads(&s->table[STUDY_FORWARD_ERRORS], 1, forward);
	heads(&s->table[STUDY_BACK_ERRORS], 2, backs);
}

static gt_status judge(work *w, study_variant *v, results *r)
{
	study *s = w->s;
	const char *model = study_model(v);
	const study_way way = study_way_of(v);
	gt_status st = GT_OK;
	if (!find_reference(w, model))
		GT_TRY(add_reference(w, model));
	study_step(s, "ones: %s", v->label);
	GT_TRY(compute(w, &way, r));
	const results *from = find_reference(w, model);
	GT_TRY(write_pictures(w, v, r, from));
	study_text(&s->table[STUDY_FORWARD_ERRORS], "%s", v->label);
	study_text(&s->table[STUDY_FORWARD_ERRORS], "%s", model);
	add_errors(&s->table[STUDY_FORWARD_ERRORS], r->forward, from->forward, w->cells);
	study_text(&s->table[STUDY_BACK_ERRORS], "%s", v->label);
	study_text(&s->table[STUDY_BACK_ERRORS], "%s", model);
	for (int k = 0; k < 2; k++)
		add_errors(&s->table[STUDY_BACK_ERRORS], r->back[k], from->back[k], w->plane);
done:
	return st;
}

size_t study_accuracy_steps(const study *s)
{
	size_t steps = 0;
	for (size_t i = 0; i < accuracy_of(s)->variants; i++)
		steps += (size_t)accuracy_of(s)->variant[i].accuracy +
		         (accuracy_of(s)->variant[i].accuracy && !accuracy_of(s)->variant[i].gpu);
	return steps;
}

gt_status study_accuracy(study *s)
{
	work w = { 0 };
	results *r = calloc(accuracy_of(s)->variants, sizeof *r);
	const results **of = calloc(accuracy_of(s)->variants, sizeof *of);
	gt_status st = r && of ? GT_OK : gt_fail(GT_ERR_MEMORY, "out of memory");
	GT_TRY(st);
	start_tables(s);
	GT_TRY(prepare(s, &w));
	GT_TRY(add_reference(&w, accuracy_of(s)->reference->name));
	GT_TRY(write_reference(&w, &w.reference[0].r));
	for (size_t i = 0; i < accuracy_of(s)->variants; i++) {
		if (!accuracy_of(s)->variant[i].accuracy)
			continue;
		st = judge(&w, &accuracy_of(s)->variant[i], &r[i]);
		if (st != GT_OK && !app_left_out(st))
			goto done;
		if (st == GT_OK)
			of[i] = &r[i];
		else
			study_leave_out(s, "ones", accuracy_of(s)->variant[i].label);
		accuracy_of(s)->variant[i].accuracy = st == GT_OK;
		st = GT_OK;
	}
	add_profiles(&w, of);
	memcpy(accuracy_of(s)->shown, w.view, sizeof accuracy_of(s)->shown);
done:
	for (size_t i = 0; r && i < accuracy_of(s)->variants; i++)
		free_results(&r[i]);
	free(r);
	free(of);
	finish(&w);
	return st;
}
