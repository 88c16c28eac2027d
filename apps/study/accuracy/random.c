/* How near projectors are to their models in double precision on random numbers, and where the largest error is. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "apps/cli/try.h"
#include "apps/study/accuracy/accuracy.h"
#include "core/random.h"

enum { VIEWS = 32, CUBE_VIEWS = 16, EIGHTHS = 8, BOXES = 9, WIDTH = 32 };
enum { SEED = 1, VOLUME = 0, DATA = 1 };

/* Of a projector: views forward, [views][rows][columns], and columns of voxels back, box by box. */
typedef struct {
	const char *model; /* of a reference */
	double *forward, *back;
} results;

typedef struct {
	study *s;
	const char *part;
	study_table *table;
	const gt_scan *scan;
	gt_grid grid;
	size_t max_views;
	int gpu_alone;
	size_t view[VIEWS], views, boxes, cells, voxels; /* cells: of those views; voxels: of those boxes */
	study_box box[BOXES];
	gt_scan *some; /* those views */
	float *volume, *data;
	results *reference;
	size_t references;
} work;

static gt_status fill(size_t n, uint64_t stream, const char *what, float **x)
{
	gt_status st = gt_host_has_memory((double)n * sizeof **x, what);
	if (st == GT_OK && !(*x = malloc(n * sizeof **x)))
		st = gt_fail(GT_ERR_MEMORY, "%s needs %.3g MB", what, (double)n * 4e-6);
	for (size_t i = 0; st == GT_OK && i < n; i += 4) {
		uint32_t word[4];
		gt_philox(SEED, i, stream, word);
		for (size_t k = 0; k < 4 && i + k < n; k++)
			(*x)[i + k] = (float)(word[k] >> 8) * 0x1p-24f;
	}
	return st;
}

/* A quarter at eighths of the table, where beams run along axes and diagonals; the others as even as they come, at no such place. */
static void choose_views(work *w)
{
	const double turn = 0.6180339887498949, all = (double)w->scan->views;
	w->views = w->scan->views < w->max_views ? w->scan->views : w->max_views;
	for (size_t i = 0; i < w->views; i++) {
		double at = (double)i * turn - floor((double)i * turn);
		if (w->views < w->max_views)
			at = (double)i / all;
		else if (i < EIGHTHS)
			at = (double)i / EIGHTHS;
		w->view[i] = (size_t)(at * all + 1e-6);
	}
}

/* Columns of all slices at the corners, in the middle of the edges and in the middle of the grid, that do not overlap. */
static void choose_boxes(work *w)
{
	const size_t *n = w->grid.n;
	size_t width[2], count[2];
	for (int a = 0; a < 2; a++) {
		count[a] = n[a] < 3 ? 1 : 3;
		width[a] = n[a] / count[a] < WIDTH ? n[a] / count[a] : WIDTH;
	}
	for (size_t y = 0; y < count[1]; y++)
		for (size_t x = 0; x < count[0]; x++)
			w->box[w->boxes++] = (study_box){ { x * (n[0] - width[0]) / 2, y * (n[1] - width[1]) / 2, 0 },
				                          { width[0], width[1], n[2] } };
}

static gt_status prepare(work *w)
{
	gt_status st = GT_OK;
	choose_views(w);
	choose_boxes(w);
	w->cells = w->views * w->scan->rows * w->scan->columns;
	for (size_t k = 0; k < w->boxes; k++)
		w->voxels += study_box_voxels(&w->box[k]);
	GT_TRY(study_pick(w->scan, w->view, w->views, &w->some));
	GT_TRY(fill(gt_grid_voxels(&w->grid), VOLUME, "a random volume", &w->volume));
	GT_TRY(fill(gt_scan_size(w->scan), DATA, "random projections", &w->data));
done:
	return st;
}

static void free_results(results *r)
{
	free(r->forward);
	free(r->back);
}

static void finish(work *w)
{
	for (size_t i = 0; i < w->references; i++)
		free_results(&w->reference[i]);
	free(w->reference);
	free(w->volume);
	free(w->data);
	gt_scan_free(w->some);
}

static gt_status compute(const work *w, const study_way *way, results *r)
{
	gt_status st = GT_OK;
	*r = (results){ .model = way->projector, .forward = malloc(w->cells * sizeof(double)), .back = malloc(w->voxels * sizeof(double)) };
	if (!r->forward || !r->back)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "no memory for the results of random numbers"));
	GT_TRY(study_apply(way, 0, &w->grid, w->some, w->volume, r->forward));
	GT_TRY(study_back(way, &w->grid, w->scan, w->data, w->box, w->boxes, r->back));
done:
	return st;
}

static gt_status find_reference(work *w, const char *model, const results **r)
{
	const study_way way = { .backend = w->s->cpu, .projector = model, .type = GT_F64 };
	gt_status st = GT_OK;
	size_t i = 0;
	while (i < w->references && strcmp(w->reference[i].model, model))
		i++;
	if (i == w->references) {
		results *more = realloc(w->reference, (i + 1) * sizeof *more);
		if (!more)
			return gt_fail(GT_ERR_MEMORY, "out of memory");
		w->reference = more;
		study_step(w->s, "%s: reference in double: %s", w->part, model);
		st = compute(w, &way, &w->reference[i]);
		if (st == GT_OK)
			w->references++;
		else
			free_results(&w->reference[i]);
	}
	*r = &w->reference[i];
	return st;
}

/* In units of the root mean square of the reference, and of that of the errors. */
static void add_error(study_table *t, const study_error *e)
{
	study_number(t, e->relative);
	study_number(t, e->largest / e->size);
	study_number(t, e->largest / e->rmse);
}

static void add_place(const work *w, size_t i)
{
	const study_box *b = w->box;
	for (; i >= study_box_voxels(b); b++)
		i -= study_box_voxels(b);
	study_text(w->table, "%zu, %zu, %zu", b->first[0] + i % b->n[0], b->first[1] + i / b->n[0] % b->n[1],
	           b->first[2] + i / b->n[0] / b->n[1]);
}

static void add_errors(const work *w, const char *label, const char *model, const results *r, const results *from)
{
	study_table *t = w->table;
	const size_t columns = w->scan->columns, rows = w->scan->rows;
	const study_error f = study_compare(r->forward, from->forward, w->cells), b = study_compare(r->back, from->back, w->voxels);
	study_text(t, "%s", label);
	study_text(t, "%s", model);
	add_error(t, &f);
	study_text(t, "%zu, %zu, %zu", f.at / columns % rows, f.at % columns, w->view[f.at / columns / rows]);
	add_error(t, &b);
	add_place(w, b.at);
}

static gt_status judge(work *w, const study_variant *v)
{
	const char *model = study_model(v);
	const study_way way = study_way_of(v);
	const results *from = NULL;
	results r = { 0 };
	gt_status st = GT_OK;
	GT_TRY(find_reference(w, model, &from));
	study_step(w->s, "%s: %s", w->part, v->label);
	GT_TRY(compute(w, &way, &r));
	add_errors(w, v->label, model, &r, from);
done:
	free_results(&r);
	return st;
}

static gt_status random_errors(work *w)
{
	static const char *const head[] = { "projector",
		                            "reference",
		                            "forward: relative RMS",
		                            "largest / RMS of the values",
		                            "largest / RMS of the errors",
		                            "largest at row, column, view",
		                            "back: relative RMS",
		                            "largest / RMS of the values",
		                            "largest / RMS of the errors",
		                            "largest at x, y, z" };
	gt_status st = GT_OK;
	for (size_t i = 0; i < sizeof head / sizeof *head; i++)
		study_head(w->table, "%s", head[i]);
	GT_TRY(prepare(w));
	for (size_t i = 0; i < accuracy_of(w->s)->variants; i++) {
		if (!accuracy_of(w->s)->variant[i].accuracy || (w->gpu_alone && !accuracy_of(w->s)->variant[i].gpu))
			continue;
		st = judge(w, &accuracy_of(w->s)->variant[i]);
		if (!app_left_out(st))
			GT_TRY(st);
		else
			study_leave_out(w->s, w->part, accuracy_of(w->s)->variant[i].label);
		st = GT_OK;
	}
done:
	finish(w);
	return st;
}

size_t study_random_steps(const study *s)
{
	size_t steps = 2 * study_accuracy_steps(s);
	for (size_t i = 0; i < accuracy_of(s)->variants && s->gpu[0]; i++)
		steps -= accuracy_of(s)->variant[i].accuracy && !accuracy_of(s)->variant[i].gpu;
	return steps;
}

gt_status study_random_errors(study *s)
{
	work own = { .s = s, .part = "random", .table = &s->table[STUDY_RANDOM], .scan = s->scan, .grid = s->grid, .max_views = VIEWS };
	work cube = { .s = s, .part = "random, cube", .table = &s->table[STUDY_RANDOM_CUBE], .max_views = CUBE_VIEWS };
	gt_scan *scan = NULL;
	gt_status st = GT_OK;
	GT_TRY(random_errors(&own));
	GT_TRY(app_workload_make(study_cube(s), 1, &scan, &cube.grid));
	cube.scan = scan;
	cube.gpu_alone = s->gpu[0] != 0;
	GT_TRY(random_errors(&cube));
done:
	gt_scan_free(scan);
	return st;
}
