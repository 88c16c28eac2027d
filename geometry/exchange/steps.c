/* Scans from views given as source, panel and step vectors. */
#include <math.h>
#include <gantry/author/constants.h>
#include <gantry/author/scan_math.h>
#include "geometry/exchange/exchange.h"
#include "geometry/scan.h"

#define TOLERANCE 1e-6

void gt_mat3_apply(const double m[9], const double y[3], double x[3])
{
	for (int r = 0; r < 3; r++)
		x[r] = gt_dot3(m + 3 * r, y);
}

void gt_mat3_product(const double a[9], const double b[9], double m[9])
{
	for (int r = 0; r < 3; r++)
		for (int c = 0; c < 3; c++)
			m[3 * r + c] = a[3 * r] * b[c] + a[3 * r + 1] * b[3 + c] + a[3 * r + 2] * b[6 + c];
}

void gt_mat3_turn(int axis, double angle, double m[9])
{
	const int a = (axis + 1) % 3, b = (axis + 2) % 3;
	for (int i = 0; i < 9; i++)
		m[i] = i % 4 == 0;
	m[4 * a] = m[4 * b] = cos(angle);
	m[3 * a + b] = -sin(angle);
	m[3 * b + a] = sin(angle);
}

/* Rodrigues' formula with the axis from x z and the angle between `from` and z. */
void gt_mat3_to_z(const double from[3], double m[9])
{
	const double cosine = from[2], k[3] = { from[1], -from[0], 0 };
	if (cosine < -1 + 1e-12) {
		gt_mat3_turn(0, GT_PI, m);
		return;
	}
	const double cross[9] = { 0, -k[2], k[1], k[2], 0, -k[0], -k[1], k[0], 0 };
	double square[9];
	gt_mat3_product(cross, cross, square);
	for (int i = 0; i < 9; i++)
		m[i] = (i % 4 == 0) + cross[i] + square[i] / (1 + cosine);
}

void gt_step_view_turn(const gt_step_view *from, double angle, gt_step_view *to)
{
	double turn[9];
	gt_mat3_turn(2, angle, turn);
	gt_mat3_apply(turn, from->source, to->source);
	gt_mat3_apply(turn, from->panel, to->panel);
	gt_mat3_apply(turn, from->column_step, to->column_step);
	gt_mat3_apply(turn, from->row_step, to->row_step);
}

/* Returns the table feed per rotation if z is linear in the angle to a thousandth of a row, else 0. */
static double pitch_of(const gt_scan *s)
{
	const gt_view *first = &s->view[0], *last = &s->view[s->views - 1];
	const double turn = last->angle - first->angle, rise = last->source[2] - first->source[2];
	if (s->shape == GT_PARALLEL || !(fabs(turn) > 0) || fabs(rise) <= s->row_pitch)
		return 0;
	for (size_t v = 0; v < s->views; v++)
		if (!(fabs(s->view[v].source[2] - first->source[2] - rise * (s->view[v].angle - first->angle) / turn) <=
		      1e-3 * s->row_pitch))
			return 0;
	return fabs(rise / turn) * 2 * GT_PI;
}

gt_status gt_scan_complete(gt_scan *s)
{
	const double share = 1 / (double)s->views;
	const int plate = gt_scan_is_laminography(s);
	s->source_to_axis = s->source_to_detector = 0;
	for (size_t v = 0; v < s->views && s->shape != GT_PARALLEL; v++) {
		const gt_view *w = &s->view[v];
		double normal[3], ray[3];
		gt_cross3(w->column_axis, w->row_axis, normal);
		for (int a = 0; a < 3; a++)
			ray[a] = w->detector[a] - w->source[a];
		/* A tilted orbit has both distances along the ray. */
		s->source_to_axis += share * (plate ? gt_scan_axis_distance(s, v) : hypot(w->source[0], w->source[1]));
		s->source_to_detector += share * (plate ? sqrt(gt_dot3(ray, ray)) : fabs(gt_dot3(normal, ray)));
	}
	gt_scan_derive_angles(s);
	s->pitch_per_turn = pitch_of(s);
	return gt_scan_check(s);
}

static gt_status take_step(const double step[3], const char *what, size_t v, double *pitch, double axis[3])
{
	const double length = sqrt(gt_dot3(step, step));
	if (!(length > 0) || !isfinite(length))
		return gt_fail(GT_ERR_FORMAT, "view %zu: %s step (%g, %g, %g): expected a length above 0", v, what, step[0], step[1],
		               step[2]);
	if (v == 0)
		*pitch = length;
	if (fabs(length - *pitch) > TOLERANCE * *pitch)
		return gt_fail(GT_ERR_UNSUPPORTED, "view %zu: %s pitch %.9g mm: expected %.9g mm as in view 0", v, what, length, *pitch);
	for (int a = 0; a < 3; a++)
		axis[a] = step[a] / length;
	return GT_OK;
}

static gt_status take_view(const gt_step_view *from, size_t v, gt_scan *s)
{
	gt_view *w = &s->view[v];
	gt_status st = take_step(from->column_step, "column", v, &s->column_pitch, w->column_axis);
	if (st == GT_OK)
		st = take_step(from->row_step, "row", v, &s->row_pitch, w->row_axis);
	if (st != GT_OK)
		return st;
	const double skew = gt_dot3(w->column_axis, w->row_axis);
	if (fabs(skew) > TOLERANCE)
		return gt_fail(GT_ERR_UNSUPPORTED,
		               "view %zu: columns and rows are not at a right angle: the product of their directions is %.3g, expected at "
		               "most %g",
		               v, skew, TOLERANCE);
	for (int a = 0; a < 3; a++) {
		w->source[a] = w->arc_center[a] = from->source[a];
		w->detector[a] = from->panel[a];
	}
	return GT_OK;
}

gt_status gt_scan_of_steps(gt_shape shape, const gt_scan_size3 *size, const double center[2], const gt_step_view *view, gt_scan **out)
{
	gt_scan *s = NULL;
	*out = NULL;
	gt_status st = gt_scan_new(shape, size->views, size->rows, size->columns, &s);
	if (st != GT_OK)
		return st;
	s->column_center = center[0];
	s->row_center = center[1];
	for (size_t v = 0; v < s->views && st == GT_OK; v++)
		st = take_view(&view[v], v, s);
	if (st == GT_OK)
		st = gt_scan_complete(s);
	if (st != GT_OK) {
		gt_scan_free(s);
		return st;
	}
	*out = s;
	return GT_OK;
}
