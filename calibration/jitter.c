/* Jitter: registers each view with the projection of the volume of all views, and shifts it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/calibrate.h>
#include <gantry/projector.h>
#include <gantry/solver.h>
#include "calibration/beads/least_squares.h"
#include "calibration/coarse_scan.h"
#include "calibration/note.h"
#include "core/arguments.h"
#include "core/basis/symmetric.h"
#include "core/module.h"
#include "core/order_statistics.h"
#include "core/try.h"

enum { MIN_VIEWS = 16, EARLY = 3, TERMS = 4, DEPTH = 5, PARTS = 4 };
const gt_jitter_options gt_jitter_defaults = { .size = sizeof(gt_jitter_options), .rounds = 30, .columns = 96 };
/* Early rounds: a smooth volume of few iterations, with which shifts converge. Last rounds: all pixels of the scan. */
static const char *const solvers[] = { "cgls:iterations=5", "cgls:iterations=12" };
static const double small = 0.005, stalled = 0.9995, max_error = 0.5, longest = 3;

typedef struct {
	const gt_jitter_options *o;
	gt_projections *coarse;
	gt_scan *scan; /* scan of coarse, moved */
	size_t by[2];
	gt_backend *be;
	gt_grid grid;
	gt_array *y, *x, *again;
	float *model;    /* projections of the volume */
	double *history; /* [2 + 2 DEPTH][2 views]: last shifts and step, earlier differences of both */
	size_t kept;
	double (*best)[2], min; /* [views]: shifts with the smallest residual so far, by the finer solver */
	gt_jitter *r;
} search;

/* Shifts the detectors of `from`; by: pixels of the whole scan per pixel of from. */
static void move_views(const gt_scan *from, double (*shift)[2], const size_t by[2], gt_scan *to)
{
	for (size_t v = 0; v < from->views; v++) {
		to->view[v] = from->view[v];
		for (int a = 0; a < 3; a++)
			to->view[v].detector[a] -= shift[v][0] / (double)by[0] * from->column_pitch * from->view[v].column_axis[a] +
			                           shift[v][1] / (double)by[1] * from->row_pitch * from->view[v].row_axis[a];
		/* Parallel rays run from source to detector: both move. */
		for (int a = 0; a < 3 && from->shape == GT_PARALLEL; a++)
			to->view[v].source[a] += to->view[v].detector[a] - from->view[v].detector[a];
	}
}

static gt_status project_volume(search *s, const char *solver)
{
	const gt_module *m;
	void *options = NULL;
	gt_linop *A = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_module_parse_kind(&gt_solver_kind, solver, &m, &options));
	GT_TRY(gt_projector_new("joseph", s->be, GT_F32, &s->grid, s->scan, &A));
	gt_linop *const ops[] = { A };
	gt_array *const data[] = { s->y };
	const gt_problem problem = { .subsets = 1, .A = ops, .b = data, .lo = -INFINITY, .hi = INFINITY };
	gt_fill(0, s->x);
	GT_TRY(gt_solve((const gt_solver *)m, &problem, options, s->x, NULL));
	/* Shifts that opposite views share would need negative values. */
	gt_clamp(0, INFINITY, s->x);
	gt_forward(A, s->x, s->again);
	gt_array_get_float(s->again, s->model);
	st = gt_backend_status(s->be);
done:
	gt_free(options);
	gt_linop_free(A);
	return st;
}

/* Returns the RMS residual of the projected volume. */
static double rms_residual(const search *s)
{
	double squares = 0;
	for (size_t i = 0; i < gt_scan_size(s->scan); i++)
		squares += pow((double)s->coarse->data[i] - s->model[i], 2);
	return sqrt(squares / (double)gt_scan_size(s->scan));
}

/* Returns the derivative of the line integrals along an axis, averaged over view and model. */
static double slope(const float *seen, const float *model, size_t i, size_t step)
{
	return (seen[i + step] - seen[i - step] + model[i + step] - model[i - step]) / 4;
}

/* Anderson acceleration (J. ACM 12 (1965) 547) of the shifts. The volume explains part of a step, mostly of shifts that
 * change slowly with the view. `was` holds the shifts before this round, s->r->shift those after it. */
static void accelerate(search *s, const double *was)
{
	const size_t n = 2 * s->scan->views, kept = s->kept < DEPTH ? s->kept : DEPTH;
	double *now = &s->r->shift[0][0], *last = s->history, *last_step = last + n, *dx = last_step + n, *df = dx + DEPTH * n;
	double m[DEPTH * DEPTH] = { 0 }, b[DEPTH] = { 0 }, gamma[DEPTH] = { 0 };
	const size_t slot = s->kept ? (s->kept - 1) % DEPTH : 0;
	for (size_t i = 0; i < n; i++) {
		const double step = now[i] - was[i];
		if (s->kept) {
			dx[slot * n + i] = was[i] - last[i];
			df[slot * n + i] = step - last_step[i];
		}
		last[i] = was[i];
		last_step[i] = step;
	}
	s->kept++;
	for (size_t p = 0; p < kept; p++)
		for (size_t i = 0; i < n; i++) {
			b[p] += df[p * n + i] * last_step[i];
			for (size_t q = 0; q < kept; q++)
				m[p * kept + q] += df[p * n + i] * df[q * n + i] * (p == q ? 1 + 1e-6 : 1);
		}
	if (!kept || !gt_symmetric_invert(kept, GT_LEAST_SQUARES_PIVOT, m))
		return;
	for (size_t p = 0; p < kept; p++)
		for (size_t q = 0; q < kept; q++)
			gamma[p] += m[p * kept + q] * b[q];
	for (size_t p = 0; p < kept; p++)
		for (size_t i = 0; i < n; i++)
			now[i] -= gamma[p] * (dx[p * n + i] + df[p * n + i]);
}

/* Linear model of a pixel: seen - model = gain model + ground - shift along columns - shift along rows. */
static double terms_of(const gt_scan *s, const float *seen, const float *model, size_t i, double a[TERMS])
{
	a[0] = -slope(seen, model, i, 1);
	a[1] = s->rows > 2 ? -slope(seen, model, i, s->columns) : 0;
	a[2] = model[i];
	a[3] = 1;
	return (double)seen[i] - model[i];
}

/* Fits x; errors of the shifts follow from the variation between PARTS x PARTS parts of the view. */
static int register_view(const gt_scan *s, const float *seen, const float *model, double x[TERMS], double error[2])
{
	const size_t line = s->columns, top = s->rows > 2, bottom = top ? s->rows - 1 : s->rows;
	double a[TERMS], b[TERMS] = { 0 }, m[TERMS * TERMS] = { 0 }, pull[PARTS * PARTS][TERMS] = { { 0 } };
	for (size_t l = top; l < bottom; l++)
		for (size_t k = 1; k + 1 < line; k++) {
			const double d = terms_of(s, seen, model, l * line + k, a);
			for (int p = 0; p < TERMS; p++) {
				b[p] += a[p] * d;
				for (int q = 0; q < TERMS; q++)
					m[TERMS * p + q] += a[p] * a[q];
			}
		}
	/* Without structure along rows the shift is 0, and its error is large. */
	const double min = 1e-6 * m[0];
	const int flat = !(m[TERMS + 1] > min);
	m[TERMS + 1] += flat ? 1e-6 + min : 0;
	if (!gt_symmetric_invert(TERMS, GT_LEAST_SQUARES_PIVOT, m))
		return 0;
	for (int p = 0; p < TERMS; p++) {
		x[p] = 0;
		for (int q = 0; q < TERMS; q++)
			x[p] += m[TERMS * p + q] * b[q];
	}
	for (size_t l = top; l < bottom; l++)
		for (size_t k = 1; k + 1 < line; k++) {
			double left = terms_of(s, seen, model, l * line + k, a);
			for (int p = 0; p < TERMS; p++)
				left -= a[p] * x[p];
			for (int p = 0; p < TERMS; p++)
				pull[l * PARTS / s->rows * PARTS + k * PARTS / line][p] += a[p] * left;
		}
	for (int e = 0; e < 2; e++) {
		double variance = 0;
		for (int part = 0; part < PARTS * PARTS; part++) {
			double sum = 0;
			for (int p = 0; p < TERMS; p++)
				sum += m[TERMS * e + p] * pull[part][p];
			variance += sum * sum;
		}
		error[e] = e && flat ? INFINITY : sqrt(variance);
	}
	return 1;
}

/* Subtracts a + b cos + c sin of the gantry angle (order 3), or the mean (1). */
static gt_status subtract_motion(const gt_scan *s, int axis, int order, double (*shift)[2])
{
	double m[9] = { 0 }, b[3] = { 0 }, c[3] = { 0 };
	for (int pass = 0; pass < 2; pass++) {
		for (size_t v = 0; v < s->views; v++) {
			const gt_view *w = &s->view[v];
			const double x = w->source[0] - w->detector[0], y = w->source[1] - w->detector[1], r = hypot(x, y);
			const double term[3] = { 1, x / r, y / r };
			for (int i = 0; i < order; i++) {
				b[i] += pass ? 0 : term[i] * shift[v][axis];
				for (int j = 0; j < order && !pass; j++)
					m[order * i + j] += term[i] * term[j];
				shift[v][axis] -= pass ? c[i] * term[i] : 0;
			}
		}
		if (!pass && !gt_symmetric_invert((size_t)order, GT_LEAST_SQUARES_PIVOT, m))
			return gt_fail(GT_ERR_UNSUPPORTED,
			               "jitter: the views have too few directions to separate it from a motion of the object");
		for (int i = 0; i < order && !pass; i++)
			for (int j = 0; j < order; j++)
				c[i] += m[order * i + j] * b[j];
	}
	return GT_OK;
}

/* One round: reconstructs the shifted views and registers every view. */
static gt_status round_of(search *s, double *left)
{
	const gt_scan *scan = s->scan;
	const size_t size = scan->rows * scan->columns;
	double change = 0, (*was)[2] = malloc(scan->views * sizeof *was);
	gt_status st = was ? GT_OK : gt_fail(GT_ERR_MEMORY, "out of memory");
	GT_TRY(st);
	memcpy(was, s->r->shift, scan->views * sizeof *was);
	GT_TRY(project_volume(s, solvers[s->r->rounds >= EARLY]));
	*left = rms_residual(s);
	if (s->r->rounds >= EARLY && *left < s->min) {
		s->min = *left;
		memcpy(s->best, was, scan->views * sizeof *was);
	}
	for (size_t v = 0; v < scan->views; v++) {
		const float *seen = s->coarse->data + v * size, *model = s->model + v * size;
		double x[TERMS] = { 0 }, error[2] = { 0 };
		if (!register_view(scan, seen, model, x, error))
			GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "jitter: view %zu has no structure to register", v));
		for (int a = 0; a < 2; a++) {
			const double by = (double)s->by[a], step = s->r->identifiable[a] ? fmax(-longest, fmin(longest, x[a])) * by : 0;
			s->r->error[v][a] = error[a] * by;
			s->r->shift[v][a] += step;
		}
	}
	GT_TRY(subtract_motion(s->coarse->scan, 0, 3, s->r->shift));
	GT_TRY(subtract_motion(s->coarse->scan, 1, 1, s->r->shift));
	if (s->r->rounds >= EARLY)
		accelerate(s, &was[0][0]);
	move_views(s->coarse->scan, s->r->shift, s->by, s->scan);
	for (size_t i = 0; i < 2 * scan->views; i++)
		change += pow(s->r->shift[i / 2][i % 2] - was[i / 2][i % 2], 2);
	s->r->change = sqrt(change / (double)scan->views);
done:
	free(was);
	return st;
}

/* Fixes the shift along an axis with too little structure. */
static gt_status fix_unidentifiable(search *s)
{
	const size_t views = s->scan->views;
	double *error = malloc(views * sizeof *error);
	if (!error)
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	for (int a = 0; a < 2; a++) {
		for (size_t v = 0; v < views; v++)
			error[v] = s->r->error[v][a];
		if (!s->r->identifiable[a] || gt_upper_median(error, views) < max_error * (double)s->by[a])
			continue;
		s->r->identifiable[a] = 0;
		gt_calibration_note(&s->o->notes, GT_INFO, "jitter along %s is not identifiable: too little structure",
		                    a ? "the rows' direction (from row to row)" : "columns");
		for (size_t v = 0; v < views; v++)
			s->r->shift[v][a] = 0;
	}
	free(error);
	move_views(s->coarse->scan, s->r->shift, s->by, s->scan);
	return s->r->identifiable[0] || s->r->identifiable[1]
	               ? GT_OK
	               : gt_fail(GT_ERR_UNSUPPORTED, "jitter: not identifiable from these projections: too little structure");
}

static gt_status judge(search *s, double (*shift)[2], double *left)
{
	move_views(s->coarse->scan, shift, s->by, s->scan);
	const gt_status st = project_volume(s, solvers[1]);
	*left = rms_residual(s);
	return st;
}

/* The last round is not always the best, and the best may not improve on zero shifts: one solver compares all. */
static gt_status keep_best(search *s, gt_jitter *r)
{
	const size_t bytes = s->scan->views * sizeof *s->best;
	gt_status st = judge(s, r->shift, &r->after);
	if (s->min < r->after) {
		r->after = s->min;
		memcpy(r->shift, s->best, bytes);
	}
	memset(s->best, 0, bytes);
	st = st == GT_OK ? judge(s, s->best, &r->before) : st;
	r->kept = st == GT_OK && !(r->after < r->before);
	if (r->kept) {
		gt_calibration_note(&s->o->notes, GT_WARNING,
		                    "jitter: RMS residual %.4g with shifted views, %.4g without: the scan is left unchanged", r->after,
		                    r->before);
		r->after = r->before;
		memset(r->shift, 0, bytes);
	}
	return st;
}

static gt_status find(search *s)
{
	double left = 0;
	gt_status st = GT_OK;
	while (s->r->rounds < s->o->rounds && !s->r->converged) {
		GT_TRY(round_of(s, &left));
		if (!s->r->rounds++)
			GT_TRY(fix_unidentifiable(s));
		s->r->converged = s->r->rounds > EARLY + 1 && (s->r->change < small || left > stalled * s->r->after);
		s->r->after = left;
		gt_calibration_note(&s->o->notes, GT_INFO,
		                    "round %d: views moved by %.4f pixels (RMS), RMS residual of the line integrals %.4g", s->r->rounds,
		                    s->r->change, left);
	}
	st = keep_best(s, s->r);
done:
	return st;
}

static gt_status prepare(search *s, const gt_projections *p)
{
	const gt_scan *scan = p->scan;
	size_t below, above;
	char name[32];
	gt_status st = GT_OK;
	if (!p->data || p->filtered)
		return p->data ? gt_projections_unfiltered(p, "jitter", "") : gt_fail(GT_ERR_ARG, "jitter: found no line integrals");
	if (s->o->rounds < 1 || s->o->columns < 16)
		return gt_fail(GT_ERR_ARG, "jitter: rounds=%d, columns=%zu: expected at least 1 and 16", s->o->rounds, s->o->columns);
	if (scan->shape == GT_ARC || gt_scan_is_helical(scan))
		return gt_fail(GT_ERR_UNSUPPORTED, "jitter: expected flat detectors or parallel rays, and a circular orbit, found %s",
		               scan->shape == GT_ARC ? "an arc detector" : "a helix");
	if (scan->views < MIN_VIEWS)
		return gt_fail(GT_ERR_UNSUPPORTED, "jitter: %zu views, expected at least %d: a volume fits the shifts of few", scan->views,
		               MIN_VIEWS);
	GT_TRY(gt_fail_in(gt_projections_finite(p), "gt_calibrate_jitter"));
	snprintf(name, sizeof name, "cpu:%d", s->o->threads);
	name[s->o->threads > 0 ? sizeof name - 1 : 3] = 0;
	GT_TRY(gt_backend_open(s->o->backend ? s->o->backend : name, &s->be));
	GT_TRY(gt_coarse_scan(p, s->o->columns, scan->views, 0, &s->coarse, s->by));
	GT_TRY(gt_scan_clone(s->coarse->scan, &s->scan));
	GT_TRY(gt_grid_default(s->scan, &s->grid));
	gt_grid_margin(&s->grid, s->scan, &below, &above);
	s->grid.center[2] += ((double)above - (double)below) / 2 * s->grid.pitch[2];
	s->grid.n[2] += below + above;
	GT_TRY(gt_array_new(s->be, GT_F32, gt_scan_size(s->scan), &s->y));
	GT_TRY(gt_array_like(s->y, &s->again));
	GT_TRY(gt_array_new(s->be, GT_F32, gt_grid_voxels(&s->grid), &s->x));
	gt_array_put_float(s->coarse->data, s->y);
	s->model = malloc(gt_scan_size(s->scan) * sizeof *s->model);
	s->r->shift = calloc(scan->views, sizeof *s->r->shift);
	s->r->error = calloc(scan->views, sizeof *s->r->error);
	s->best = calloc(scan->views, sizeof *s->best);
	s->history = calloc((2 + 2 * DEPTH) * 2 * scan->views, sizeof *s->history);
	if (!s->model || !s->best || !s->history || !s->r->shift || !s->r->error)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	s->r->views = scan->views;
	s->r->identifiable[1] = scan->rows > 2;
done:
	return st;
}

gt_status gt_calibrate_jitter(gt_projections *p, const gt_jitter_options *given, gt_jitter *r)
{
	static const size_t whole[2] = { 1, 1 };
	gt_jitter_options o = gt_jitter_defaults;
	gt_scan *old = NULL;
	gt_status st = GT_OK;
	GT_NEED(p);
	GT_NEED(r);
	*r = (gt_jitter){ .before = NAN, .identifiable = { 1 } };
	search s = { .o = &o, .r = r, .min = INFINITY };
	GT_TRY(gt_options_complete("gt_calibrate_jitter", "gt_jitter_options", given, &o, sizeof o));
	GT_TRY(prepare(&s, p));
	GT_TRY(find(&s));
	GT_TRY(gt_scan_clone(p->scan, &old));
	move_views(old, r->shift, whole, p->scan);
done:
	gt_array_free(s.y);
	gt_array_free(s.x);
	gt_array_free(s.again);
	free(s.model);
	free(s.best);
	free(s.history);
	gt_scan_free(s.scan);
	gt_scan_free(old);
	gt_projections_free(s.coarse);
	gt_backend_close(s.be);
	return st;
}

void gt_jitter_free(gt_jitter *r)
{
	if (!r)
		return;
	free(r->shift);
	free(r->error);
	*r = (gt_jitter){ 0 };
}
