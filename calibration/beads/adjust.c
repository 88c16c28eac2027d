/* Bundle adjustment: fits geometry and bead positions to the centres of all bead projections. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/calibrate.h>
#include <gantry/author/vec3.h>
#include "calibration/beads/beads.h"
#include "calibration/correct.h"
#include "core/try.h"

enum { N = GT_BEADS_PARAMETERS, MAX_BEADS = GT_BEADS_MAX, POSE = 6 };
const char *const gt_beads_names[] = { "center", "row", "roll", "slant", "tilt", "distance", "axis", NULL };
static const double steps[N] = { 1e-2, 1e-2, 1e-4, 1e-4, 1e-4, 1e-2, 1e-2 }, place_step = 1e-3, turn_step = 1e-5;

void gt_beads_apply(const gt_scan *given, const double value[N], gt_scan *scan)
{
	const double shared[GT_CALIBRATE_PARAMETERS] = { value[GT_BEADS_CENTER], value[GT_BEADS_ROLL], value[GT_BEADS_SLANT],
		                                         value[GT_BEADS_TILT], value[GT_BEADS_DISTANCE] };
	gt_view *view = scan->view;
	memcpy(view, given->view, given->views * sizeof *view);
	*scan = *given;
	scan->view = view;
	for (size_t v = 0; v < scan->views; v++) {
		gt_view *w = &view[v];
		const double far = hypot(w->source[0], w->source[1]);
		for (int a = 0; a < 2 && far > 0; a++) {
			const double move = value[GT_BEADS_AXIS] * w->source[a] / far;
			w->source[a] += move;
			w->detector[a] += move;
			w->arc_center[a] += move;
		}
	}
	gt_calibrate_apply(shared, scan);
	scan->row_center += value[GT_BEADS_ROW];
	if (scan->source_to_axis > 0)
		scan->source_to_axis += value[GT_BEADS_AXIS];
}

typedef struct {
	gt_bead_search *s;
	size_t index[N], n; /* free values */
	const double (*shape)[3];
	double (*base)[3];  /* shape in its initial pose; rotations are about its first bead */
	size_t (*sight)[2]; /* view, bead */
	size_t sights;
} adjustment;

void gt_beads_turn(const double w[3], double x[3])
{
	const double angle = sqrt(gt_dot3(w, w)), c = cos(angle), s = angle > 0 ? sin(angle) / angle : 1;
	const double k = angle > 0 ? (1 - c) / (angle * angle) : 0.5, along = gt_dot3(w, x);
	double cross[3];
	gt_cross3(w, x, cross);
	for (int a = 0; a < 3; a++)
		x[a] = c * x[a] + s * cross[a] + k * along * w[a];
}

static void spread(const adjustment *t, const double *x)
{
	gt_bead_search *s = t->s;
	for (size_t i = 0; i < t->n; i++)
		s->value[t->index[i]] = x[i];
	x += t->n;
	for (size_t k = 0; k < s->beads; k++)
		if (t->shape) {
			double arm[3];
			for (int a = 0; a < 3; a++)
				arm[a] = t->base[k][a] - t->base[0][a];
			gt_beads_turn(x, arm);
			for (int a = 0; a < 3; a++)
				s->place[k][a] = t->base[0][a] + arm[a] + x[3 + a];
		} else {
			memcpy(s->place[k], x + 3 * k, sizeof s->place[k]);
		}
	gt_beads_apply(s->given, s->value, s->scan);
}

static void residual(const void *self, const double *x, double *r)
{
	const adjustment *t = self;
	spread(t, x);
	for (size_t i = 0; i < t->sights; i++) {
		const size_t v = t->sight[i][0], k = t->sight[i][1];
		gt_beads_off(t->s->scan, v, t->s->place[k], &t->s->blobs.blob[t->s->sight[v * MAX_BEADS + k]], r + 2 * i);
	}
}

static gt_status begin(adjustment *t, unsigned fixed)
{
	const gt_bead_search *s = t->s;
	t->sight = malloc(s->given->views * s->beads * sizeof *t->sight);
	t->base = malloc(s->beads * sizeof *t->base);
	if (!t->sight || !t->base)
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	for (size_t j = 0; j < N; j++)
		if (!(fixed >> j & 1))
			t->index[t->n++] = j;
	for (size_t v = 0; v < s->given->views; v++)
		for (size_t k = 0; k < s->beads; k++)
			if (s->sight[v * MAX_BEADS + k] != GT_BEADS_NONE) {
				t->sight[t->sights][0] = v;
				t->sight[t->sights++][1] = k;
			}
	if (t->shape)
		gt_beads_superpose(s->beads, t->shape, (const double(*)[3])s->place, NULL, t->base);
	return GT_OK;
}

gt_status gt_beads_adjust(gt_bead_search *s, unsigned fixed, const double (*shape)[3], gt_beads_fit *fit)
{
	adjustment t = { .s = s, .shape = shape };
	gt_status st = GT_OK;
	double *x = NULL, *step = NULL;
	*fit = (gt_beads_fit){ 0 };
	GT_TRY(begin(&t, fixed));
	fit->unknowns = t.n + (shape ? (size_t)POSE : 3 * s->beads);
	fit->sights = t.sights;
	x = calloc(fit->unknowns, sizeof *x);
	step = calloc(fit->unknowns, sizeof *step);
	fit->inverse = malloc(fit->unknowns * fit->unknowns * sizeof *fit->inverse);
	if (!x || !step || !fit->inverse)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	for (size_t i = 0; i < fit->unknowns; i++) {
		x[i] = i < t.n ? s->value[t.index[i]] : shape ? 0 : s->place[(i - t.n) / 3][(i - t.n) % 3];
		step[i] = i < t.n ? steps[t.index[i]] : shape && i < t.n + 3 ? turn_step : place_step;
	}
	const gt_least_squares problem = { fit->unknowns, 2 * t.sights, residual, &t, step };
	GT_TRY(gt_least_squares_fit(&problem, x, fit->inverse, &fit->squares));
	spread(&t, x);
done:
	free(x);
	free(step);
	free(t.sight);
	free(t.base);
	return st;
}
