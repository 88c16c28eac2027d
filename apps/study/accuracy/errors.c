/* Accuracy of the projectors against their models in double precision: ones and random numbers, forward and back. */
#include <gantry/author/constants.h>
#include "apps/study/accuracy/accuracy.h"
#include "core/random.h"

/* Ones ------------------------------------------------------------------------ */

enum { ONES_VIEWS = 24 };

/* Returns the view whose gantry angle is nearest to `angle`; `otherwise` if angles are unknown. */
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

/* Writes differences as fractions of the largest value of the reference; their window is four times their root mean
 * square. */
static gt_status write_difference(study *s, const char *name, const double *x, const double *from, size_t n, double *window)
{
	const study_error e = study_compare(x, from, n);
	double *d;
	GT_OR_RETURN(study_new(n, sizeof *d, &d));
	for (size_t i = 0; i < n; i++)
		d[i] = (x[i] - from[i]) / e.peak;
	*window = fmin(4 * e.rmse, e.largest) / e.peak;
	const gt_status st = study_floats(&s->folder, name, d, n);
	free(d);
	return st;
}

/* Writes views and slices of a variant, or of the reference: values alone. */
static gt_status write_pictures(study *s, const study_outputs *x, size_t views)
{
	study_variant *v = x->variant;
	const study_outputs *from = x->from;
	static const char *const forward[] = { "0", "45" }, *const backs[] = { "one", "all" };
	const size_t view = s->scan->rows * s->scan->columns, plane = s->grid.n[0] * s->grid.n[1];
	const char *key = v ? v->key : "reference";
	for (size_t k = 0; k < 2 && k < views; k++) {
		const char *name = FORMAT("forward-%s-%s", forward[k], key);
		const double *of = x->forward + k * view;
		GT_OR_RETURN(v ? write_difference(s, name, of, from->forward + k * view, view, &v->window[STUDY_AT_0 + k])
		               : study_floats(&s->folder, name, of, view));
	}
	for (int k = 0; k < 2; k++) {
		GT_OR_RETURN(study_floats(&s->folder, FORMAT("back-%s-%s", backs[k], key), x->back[k], plane));
		if (v)
			GT_OR_RETURN(write_difference(s, FORMAT("back-%s-difference-%s", backs[k], key), x->back[k], from->back[k], plane,
			                              &v->window[STUDY_FROM_ONE + k]));
	}
	return GT_OK;
}

static void add_profiles(study *s, const study_results *r, size_t k)
{
	const gt_scan *scan = s->scan;
	study_table *t = &s->table[k ? STUDY_FORWARD_45 : STUDY_FORWARD_0];
	const size_t row = (k * scan->rows + scan->rows / 2) * scan->columns;
	study_heads(t, "column");
	study_head(t, "%s in double [mm]", accuracy_of(s)->reference->name);
	for (const study_outputs *x = r->of; x < r->end; x++)
		study_head(t, "%s [mm]", x->variant->label);
	for (size_t c = 0; c < scan->columns; c++) {
		study_row(t, NUM(c), NUM(r->reference[0].forward[row + c]));
		for (const study_outputs *x = r->of; x < r->end; x++)
			study_number(t, x->forward[row + c]);
	}
}

static void add_error(study_table *t, const double *x, const double *from, size_t n)
{
	const study_error e = study_compare(x, from, n);
	study_row(t, NUM(e.rmse), NUM(e.relative), NUM(e.largest));
}

static gt_status add_ones(study *s, study_results *r, size_t views)
{
	const size_t rays = views * s->scan->rows * s->scan->columns, plane = s->grid.n[0] * s->grid.n[1];
	study_table *forward = &s->table[STUDY_FORWARD_ERRORS], *back = &s->table[STUDY_BACK_ERRORS];
	GT_OR_RETURN(write_pictures(s, &r->reference[0], views));
	for (study_variant *v = NULL; (v = study_next(s, v, IN_ACCURACY));)
		v->parts &= ~(unsigned)IN_ACCURACY;
	for (const study_outputs *x = r->of; x < r->end; x++) {
		x->variant->parts |= IN_ACCURACY; /* variants left out have no pictures */
		GT_OR_RETURN(write_pictures(s, x, views));
		study_row(forward, TXT(x->variant->label), TXT(x->from->model));
		add_error(forward, x->forward, x->from->forward, rays);
		study_row(back, TXT(x->variant->label), TXT(x->from->model));
		for (int k = 0; k < 2; k++)
			add_error(back, x->back[k], x->from->back[k], plane);
	}
	for (size_t k = 0; k < 2 && k < views; k++)
		add_profiles(s, r, k);
	return GT_OK;
}

gt_status study_ones(study *s)
{
	const gt_scan *scan = s->scan;
	const size_t *n = s->grid.n, voxels = gt_grid_voxels(&s->grid), rays = gt_scan_size(scan),
		     views = scan->views < ONES_VIEWS ? scan->views : ONES_VIEWS;
	const size_t ones = voxels > rays ? voxels : rays;
	const study_box slice = { { 0, 0, n[2] / 2 }, { n[0], n[1], 1 } };
	size_t view[ONES_VIEWS] = { nearest_view(scan, 0, 0), nearest_view(scan, GT_PI / 4, scan->views / 8) };
	gt_scan *some = NULL, *one = NULL;
	float *x = NULL;
	study_results r = { .of = NULL };
	gt_status st = GT_OK;
	for (size_t i = 2; i < views; i++)
		view[i] = i * scan->views / views;
	memcpy(accuracy_of(s)->shown, view, sizeof accuracy_of(s)->shown);
	GT_TRY(study_pick(scan, view, views, &some));
	GT_TRY(study_pick(scan, view, 1, &one));
	GT_TRY(study_host_floats(ones, "an array of ones", &x));
	for (size_t i = 0; i < ones; i++)
		x[i] = 1;
	const study_experiment e = {
		.part = "ones", .grid = &s->grid, .forward = some, .volume = x, .back = { one, scan }, .data = x, .box = &slice, .boxes = 1
	};
	GT_TRY(study_compute(s, &e, &r));
	GT_TRY(add_ones(s, &r, views));
done:
	study_results_free(&r);
	free(x);
	gt_scan_free(some);
	gt_scan_free(one);
	return st;
}

/* Random numbers ------------------------------------------------------------------ */

enum { VIEWS = 32, CUBE_VIEWS = 16, EIGHTHS = 8, BOXES = 9, WIDTH = 32 };
enum { SEED = 1, VOLUME = 0, DATA = 1 };

typedef struct {
	size_t view[VIEWS], views, boxes, voxels; /* voxels: of the boxes */
	study_box box[BOXES];
} choice;

static gt_status fill(size_t n, uint64_t stream, const char *what, float **x)
{
	const gt_status st = study_host_floats(n, what, x);
	for (size_t i = 0; st == GT_OK && i < n; i += 4) {
		uint32_t word[4];
		gt_philox(SEED, i, stream, word);
		for (size_t k = 0; k < 4 && i + k < n; k++)
			(*x)[i + k] = (float)(word[k] >> 8) * 0x1p-24f;
	}
	return st;
}

/* Chooses eight views at eighths of the scan, whose rays follow axes and diagonals, and others at multiples of the
 * golden ratio. */
static void choose_views(const gt_scan *scan, size_t max, choice *c)
{
	const double ratio = 0.6180339887498949, all = (double)scan->views;
	c->views = scan->views < max ? scan->views : max;
	for (size_t i = 0; i < c->views; i++) {
		double at = (double)i * ratio - floor((double)i * ratio);
		if (c->views < max)
			at = (double)i / all;
		else if (i < EIGHTHS)
			at = (double)i / EIGHTHS;
		c->view[i] = (size_t)(at * all + 1e-6);
	}
}

/* Chooses columns of all slices at the corners, the edges' centres and the centre of the grid, without overlap. */
static void choose_boxes(const gt_grid *grid, choice *c)
{
	const size_t *n = grid->n;
	size_t width[2], count[2];
	for (int a = 0; a < 2; a++) {
		count[a] = n[a] < 3 ? 1 : 3;
		width[a] = n[a] / count[a] < WIDTH ? n[a] / count[a] : WIDTH;
	}
	for (size_t y = 0; y < count[1]; y++)
		for (size_t x = 0; x < count[0]; x++)
			c->box[c->boxes++] = (study_box){ { x * (n[0] - width[0]) / 2, y * (n[1] - width[1]) / 2, 0 },
				                          { width[0], width[1], n[2] } };
	for (size_t k = 0; k < c->boxes; k++)
		c->voxels += study_box_voxels(&c->box[k]);
}

/* Adds errors in units of the root mean square of the reference, and of the errors. */
static void add_ratios(study_table *t, const study_error *e, const char *position)
{
	study_row(t, NUM(e->relative), NUM(e->largest / e->size), NUM(e->largest / e->rmse), TXT(position));
}

/* The indices x, y, z of a voxel of the boxes. */
static char *position_of(const choice *c, size_t i, char *text)
{
	const study_box *b = c->box;
	for (; i >= study_box_voxels(b); b++)
		i -= study_box_voxels(b);
	return study_format(text, STUDY_LINE, "%zu, %zu, %zu", b->first[0] + i % b->n[0], b->first[1] + i / b->n[0] % b->n[1],
	                    b->first[2] + i / b->n[0] / b->n[1]);
}

static void add_random(const study_experiment *e, const choice *c, const study_results *r, study_table *t)
{
	const size_t columns = e->forward->columns, rows = e->forward->rows;
	for (const study_outputs *x = r->of; x < r->end; x++) {
		const study_error f = study_compare(x->forward, x->from->forward, c->views * rows * columns),
				  b = study_compare(x->back[0], x->from->back[0], c->voxels);
		study_row(t, TXT(x->variant->label), TXT(x->from->model));
		add_ratios(t, &f, FORMAT("%zu, %zu, %zu", f.at / columns % rows, f.at % columns, c->view[f.at / columns / rows]));
		add_ratios(t, &b, position_of(c, b.at, (char[STUDY_LINE]){ "" }));
	}
}

static gt_status random_errors(study *s, const char *part, const gt_scan *scan, const gt_grid *grid, int table)
{
	choice c = { .views = 0 };
	gt_scan *some = NULL;
	float *volume = NULL, *data = NULL;
	study_results r = { .of = NULL };
	gt_status st = GT_OK;
	choose_views(scan, table == STUDY_RANDOM ? VIEWS : CUBE_VIEWS, &c);
	choose_boxes(grid, &c);
	GT_TRY(study_pick(scan, c.view, c.views, &some));
	GT_TRY(fill(gt_grid_voxels(grid), VOLUME, "a random volume", &volume));
	GT_TRY(fill(gt_scan_size(scan), DATA, "random projections", &data));
	const study_experiment e = { .part = part,
		                     .grid = grid,
		                     .forward = some,
		                     .volume = volume,
		                     .back = { scan, NULL },
		                     .data = data,
		                     .box = c.box,
		                     .boxes = c.boxes,
		                     .gpu_alone = table != STUDY_RANDOM && s->gpu[0] };
	GT_TRY(study_compute(s, &e, &r));
	add_random(&e, &c, &r, &s->table[table]);
done:
	study_results_free(&r);
	gt_scan_free(some);
	free(volume);
	free(data);
	return st;
}

gt_status study_random_errors(study *s) { return random_errors(s, "random", s->scan, &s->grid, STUDY_RANDOM); }

gt_status study_cube_errors(study *s)
{
	gt_scan *scan = NULL;
	gt_grid grid;
	gt_status st = GT_OK;
	GT_TRY(app_workload_make(study_cube(s), 1, &scan, &grid));
	GT_TRY(random_errors(s, "random, cube", scan, &grid, STUDY_RANDOM_CUBE));
done:
	gt_scan_free(scan);
	return st;
}
