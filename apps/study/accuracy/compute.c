/* Applies projectors to floats: whole projections, parts of backprojections, and the references of all of them. */
#include <gantry/author/scan_math.h>
#include "apps/cli/apply.h"
#include "apps/study/accuracy/accuracy.h"

const app_workload *study_cube(const study *s)
{
	const app_workload *w = app_workloads;
	while (strcmp(w->name, s->quick ? "quick-flat" : "cube512"))
		w++;
	return w;
}

typedef struct {
	const char *backend, *projector;
	gt_type type;
	int gpu;
} operator_on;

static gt_status fetch(const gt_array *a, double *out)
{
	const size_t n = gt_array_size(a);
	if (gt_array_type(a) == GT_F64) {
		gt_array_get(a, out);
	} else {
		/* The floats go to the upper half and are widened from below. */
		float *single = (float *)(void *)out + n;
		gt_array_get(a, single);
		for (size_t i = 0; i < n; i++) {
			float value;
			memcpy(&value, single + i, sizeof value);
			memcpy(out + i, &(double){ value }, sizeof *out);
		}
	}
	return gt_backend_status(gt_array_backend(a));
}

/* out = A in or A' in; the arrays are double for any type of the operator. */
static gt_status apply(const operator_on *w, int adjoint, const gt_grid *grid, const gt_scan *scan, const float *in, double *out)
{
	app_operator o;
	gt_status st = GT_OK;
	GT_TRY(app_operator_open(&o, w->backend, w->projector, w->type, grid, scan));
	gt_array_put_float(in, app_operator_in(&o, adjoint));
	app_operator_run(&o, adjoint);
	GT_TRY(fetch(app_operator_out(&o, adjoint), out));
done:
	app_operator_close(&o);
	return st;
}

study_error study_compare(const double *x, const double *reference, size_t n)
{
	double squares = 0, all = 0;
	study_error e = { 0 };
	for (size_t i = 0; i < n; i++) {
		const double d = fabs(x[i] - reference[i]);
		squares += d * d;
		all += reference[i] * reference[i];
		if (d > e.largest || isnan(d)) {
			e.largest = d;
			e.at = i;
		}
		e.peak = fmax(e.peak, fabs(reference[i]));
	}
	e.rmse = sqrt(squares / (double)n);
	e.size = sqrt(all / (double)n);
	e.relative = e.rmse / e.size;
	return e;
}

size_t study_box_voxels(const study_box *b) { return b->n[0] * b->n[1] * b->n[2]; }

static gt_grid grid_of(const gt_grid *grid, const study_box *b)
{
	gt_grid g = *grid;
	for (int a = 0; a < 3; a++) {
		g.n[a] = b->n[a];
		g.center[a] = gt_grid_first(grid, a) + ((double)b->first[a] + ((double)b->n[a] - 1) / 2) * grid->pitch[a];
	}
	return g;
}

enum { SAMPLES = 17, MARGIN = 2 };

/* Rows that some view sees the grid in, from a sample of its upper and lower face; low and high grow to hold them. */
static void rows_of(const gt_scan *scan, const gt_grid *g, double *low, double *high)
{
	const gt_detector d = gt_scan_detector(scan);
	const double height = (double)g->n[2] * g->pitch[2];
	double column, row;
	for (size_t v = 0; v < scan->views; v++)
		for (int i = 0; i < SAMPLES * SAMPLES * 2; i++) {
			const int at[2] = { i / 2 % SAMPLES, i / 2 / SAMPLES };
			double p[3] = { 0, 0, g->center[2] + (i % 2 - 0.5) * height };
			for (int a = 0; a < 2; a++)
				p[a] = g->center[a] + (at[a] / (SAMPLES - 1.0) - 0.5) * (double)g->n[a] * g->pitch[a];
			if (gt_point_pixel(&d, &scan->view[v], p, &column, &row)) {
				*low = fmin(*low, row);
				*high = fmax(*high, row);
			}
		}
}

/* The rows from low to high of the scan and of its data; the rest of the detector adds nothing. */
static gt_status cut_rows(const gt_scan *scan, const float *data, double low, double high, gt_scan **part, float **some)
{
	const double last = (double)scan->rows - 1, from = fmin(fmax(floor(low) - MARGIN, 0), last);
	const size_t first = (size_t)from, count = (size_t)(fmin(fmax(ceil(high) + MARGIN, from), last) - from) + 1;
	const size_t view = scan->rows * scan->columns, less = count * scan->columns;
	GT_OR_RETURN(study_host_floats(scan->views * less, "rows of the projections", some));
	GT_OR_RETURN(gt_scan_clone(scan, part));
	(*part)->rows = count;
	(*part)->row_center -= (double)first;
	for (size_t v = 0; v < scan->views; v++)
		memcpy(*some + v * less, data + v * view + first * scan->columns, less * sizeof **some);
	return GT_OK;
}

static gt_status boxes_alone(const operator_on *w, const study_experiment *e, const gt_scan *scan, double *out)
{
	gt_scan *part = NULL;
	float *some = NULL;
	double low = INFINITY, high = -INFINITY;
	gt_status st = GT_OK;
	for (size_t k = 0; k < e->boxes; k++) {
		const gt_grid g = grid_of(e->grid, &e->box[k]);
		rows_of(scan, &g, &low, &high);
	}
	GT_TRY(cut_rows(scan, e->data, low, high, &part, &some));
	for (size_t k = 0; k < e->boxes; out += study_box_voxels(&e->box[k++])) {
		const gt_grid g = grid_of(e->grid, &e->box[k]);
		GT_TRY(apply(w, 1, &g, part, some, out));
	}
done:
	gt_scan_free(part);
	free(some);
	return st;
}

static double *copy_box(const gt_grid *grid, const double *all, const study_box *b, double *out)
{
	for (size_t z = 0; z < b->n[2]; z++)
		for (size_t y = 0; y < b->n[1]; y++, out += b->n[0])
			memcpy(out, all + ((b->first[2] + z) * grid->n[1] + b->first[1] + y) * grid->n[0] + b->first[0],
			       b->n[0] * sizeof *out);
	return out;
}

/* On a GPU sums run over the whole grid. */
static gt_status boxes_of_all(const operator_on *w, const study_experiment *e, const gt_scan *scan, double *out)
{
	const size_t voxels = gt_grid_voxels(e->grid);
	double *all = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_host_has_memory((double)voxels * sizeof *out, "the volume in double"));
	GT_TRY(study_new(voxels, sizeof *all, &all));
	GT_TRY(apply(w, 1, e->grid, scan, e->data, all));
	for (size_t k = 0; k < e->boxes; k++)
		out = copy_box(e->grid, all, &e->box[k], out);
done:
	free(all);
	return st;
}

/* All variants ---------------------------------------------------------------- */

static void free_outputs(study_outputs *o)
{
	free(o->forward);
	free(o->back[0]);
	free(o->back[1]);
	*o = (study_outputs){ .variant = NULL };
}

static gt_status compute(const study_experiment *e, const operator_on *w, study_outputs *o)
{
	size_t voxels = 0;
	gt_status st = GT_OK;
	for (size_t k = 0; k < e->boxes; k++)
		voxels += study_box_voxels(&e->box[k]);
	*o = (study_outputs){ .model = w->projector };
	GT_TRY(study_new(gt_scan_size(e->forward), sizeof *o->forward, &o->forward));
	GT_TRY(apply(w, 0, e->grid, e->forward, e->volume, o->forward));
	for (int k = 0; k < 2 && e->back[k]; k++) {
		GT_TRY(study_new(voxels, sizeof *o->back[k], &o->back[k]));
		GT_TRY((w->gpu ? boxes_of_all : boxes_alone)(w, e, e->back[k], o->back[k]));
	}
done:
	if (st != GT_OK)
		free_outputs(o);
	return st;
}

/* Finds or computes the reference of that model. */
static gt_status reference_of(study *s, const study_experiment *e, const char *model, study_results *r, const study_outputs **out)
{
	const operator_on w = { .backend = s->cpu, .projector = model, .type = GT_F64 };
	study_outputs *o = r->reference;
	while (o < r->reference + r->references && strcmp(o->model, model))
		o++;
	*out = o;
	if (o < r->reference + r->references)
		return GT_OK;
	study_step(s, "%s: reference in double: %s", e->part, model);
	GT_OR_RETURN(compute(e, &w, o));
	r->references++;
	return GT_OK;
}

static gt_status add_variant(study *s, const study_experiment *e, study_variant *v, study_results *r)
{
	const operator_on w = { v->backend, v->spec, v->type, v->gpu };
	const study_outputs *from = NULL;
	gt_status st = e->no_reference ? GT_OK : reference_of(s, e, study_model(v), r, &from);
	study_step(s, "%s: %s", e->part, v->label);
	if (st == GT_OK)
		st = compute(e, &w, r->end);
	if (st != GT_OK)
		return study_or_left_out(s, st, e->part, v->label);
	r->end->variant = v;
	r->end++->from = from;
	return GT_OK;
}

gt_status study_compute(study *s, const study_experiment *e, study_results *r)
{
	const size_t variants = accuracy_of(s)->variants;
	const study_outputs *first;
	GT_OR_RETURN(study_new(variants, sizeof *r->of, &r->of));
	r->end = r->of;
	GT_OR_RETURN(study_new(variants + 1, sizeof *r->reference, &r->reference));
	if (!e->no_reference)
		GT_OR_RETURN(reference_of(s, e, accuracy_of(s)->reference->name, r, &first));
	for (study_variant *v = NULL; (v = study_next(s, v, IN_ACCURACY));)
		if (v->gpu || !e->gpu_alone)
			GT_OR_RETURN(add_variant(s, e, v, r));
	return GT_OK;
}

void study_results_free(study_results *r)
{
	while (r->end > r->of)
		free_outputs(--r->end);
	for (size_t i = 0; i < r->references; i++)
		free_outputs(&r->reference[i]);
	free(r->of);
	free(r->reference);
}
