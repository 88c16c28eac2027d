/* Source and detector of each view: fits nine numbers to the bead projections, with fixed bead positions. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/author/vec3.h>
#include "calibration/beads/beads.h"
#include "core/try.h"

enum { MAX_BEADS = GT_BEADS_MAX, UNKNOWNS = 9 };
/* Largest usable standard error, relative to the distance between source and detector. */
static const double max_error = 0.1;

typedef struct {
	const gt_bead_search *s;
	size_t view;
	gt_view start;
	size_t bead[MAX_BEADS], n;
} one_view;

static void move(const one_view *o, const double *x)
{
	gt_view *w = &o->s->scan->view[o->view];
	*w = o->start;
	for (int a = 0; a < 3; a++) {
		w->source[a] += x[a];
		w->detector[a] += x[3 + a];
	}
	gt_beads_turn(x + 6, w->column_axis);
	gt_beads_turn(x + 6, w->row_axis);
	memcpy(w->arc_center, w->source, sizeof w->arc_center);
}

static void residual(const void *self, const double *x, double *r)
{
	const one_view *o = self;
	move(o, x);
	for (size_t i = 0; i < o->n; i++) {
		const size_t k = o->bead[i];
		gt_beads_off(o->s->scan, o->view, o->s->place[k], &o->s->blobs.blob[o->s->sight[o->view * MAX_BEADS + k]], r + 2 * i);
	}
}

/* Fits the view's nine numbers; *squares: sum of squared residuals; error: of source and detector if bead projections
 * have an error of 1 pixel. */
static int fit(one_view *o, double *squares, double error[2])
{
	static const double step[UNKNOWNS] = { 1e-2, 1e-2, 1e-2, 1e-2, 1e-2, 1e-2, 1e-5, 1e-5, 1e-5 };
	const gt_least_squares problem = { UNKNOWNS, 2 * o->n, residual, o, step };
	double x[UNKNOWNS] = { 0 }, inverse[UNKNOWNS * UNKNOWNS];
	const int identifiable = o->n >= GT_BEADS_MIN_EACH_VIEW && gt_least_squares_fit(&problem, x, inverse, squares) == GT_OK;
	for (int e = 0; identifiable && e < 2; e++) {
		double sum = 0;
		for (int a = 3 * e; a < 3 * e + 3; a++)
			sum += inverse[a * UNKNOWNS + a];
		error[e] = sqrt(sum);
	}
	if (identifiable)
		move(o, x);
	else
		o->s->scan->view[o->view] = o->start;
	return identifiable;
}

static one_view view_of(const gt_bead_search *s, size_t v)
{
	one_view o = { .s = s, .view = v, .start = s->scan->view[v] };
	for (size_t k = 0; k < s->beads; k++)
		if (s->sight[v * MAX_BEADS + k] != GT_BEADS_NONE)
			o.bead[o.n++] = k;
	return o;
}

gt_status gt_beads_each_view(gt_bead_search *s, gt_beads_report *r)
{
	double squares = 0, free_numbers = 0, far;
	if (s->beads < GT_BEADS_MIN_EACH_VIEW)
		return gt_fail(GT_ERR_UNSUPPORTED, "%zu beads: expected at least %d for a separate geometry of each view", s->beads,
		               GT_BEADS_MIN_EACH_VIEW);
	/* The error of bead projections is estimated from all views, because one view has few residuals beyond its
	 * unknowns. */
	gt_view *shared = malloc(s->given->views * sizeof *shared);
	if (!shared)
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	memcpy(shared, s->scan->view, s->given->views * sizeof *shared);
	for (size_t v = 0; v < s->given->views; v++) {
		one_view o = view_of(s, v);
		double own;
		if (!fit(&o, &own, r->view_error[v])) {
			r->view_error[v][0] = r->view_error[v][1] = NAN;
			continue;
		}
		squares += own;
		free_numbers += (double)(2 * o.n - UNKNOWNS);
	}
	for (size_t v = 0; v < s->given->views; v++) {
		const gt_view *w = &shared[v];
		far = sqrt(pow(w->detector[0] - w->source[0], 2) + pow(w->detector[1] - w->source[1], 2) +
		           pow(w->detector[2] - w->source[2], 2));
		for (int e = 0; e < 2; e++)
			r->view_error[v][e] *= sqrt(squares / free_numbers);
		if (fmax(r->view_error[v][0], r->view_error[v][1]) < max_error * far) {
			r->views_alone++;
			continue;
		}
		s->scan->view[v] = *w;
		r->view_error[v][0] = r->view_error[v][1] = NAN;
	}
	free(shared);
	return r->views_alone ? GT_OK
	                      : gt_fail(GT_ERR_UNSUPPORTED,
	                                "no view shows %d separate beads that determine its source and detector: use more "
	                                "beads, not in one plane",
	                                GT_BEADS_MIN_EACH_VIEW);
}
