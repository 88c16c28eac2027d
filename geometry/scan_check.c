/* Checks a scan before computations. */
#include <math.h>
#include <gantry/author/constants.h>
#include <gantry/scan.h>
#include <gantry/author/scan_math.h>
#include "core/arguments.h"

#define TOLERANCE 1e-6

static const double *vector_of(const gt_view *w, int which, const char **name)
{
	static const char *const names[] = { "source", "detector", "column_axis", "row_axis", "arc_center" };
	*name = names[which];
	switch (which) {
	case 0:
		return w->source;
	case 1:
		return w->detector;
	case 2:
		return w->column_axis;
	case 3:
		return w->row_axis;
	default:
		return w->arc_center;
	}
}

static gt_status check_sizes(const gt_scan *s)
{
	const struct {
		const char *name;
		size_t n;
	} size[] = { { "views", s->views }, { "rows", s->rows }, { "columns", s->columns } };
	size_t room = PTRDIFF_MAX / sizeof(double);
	if ((unsigned)s->shape >= GT_NSHAPES)
		return gt_fail(GT_ERR_FORMAT, "detector shape number %u: expected less than %d", (unsigned)s->shape, (int)GT_NSHAPES);
	for (int i = 0; i < 3; i++)
		if (!size[i].n)
			return gt_fail(GT_ERR_FORMAT, "%s=0: expected at least 1", size[i].name);
	for (int i = 0; i < 3; i++)
		room /= size[i].n;
	if (!room)
		return gt_fail(GT_ERR_FORMAT, "%zu views x %zu rows x %zu columns: more pixels than this machine can address", s->views,
		               s->rows, s->columns);
	if (!s->view)
		return gt_fail(GT_ERR_FORMAT, "no table of views: expected %zu records", s->views);
	return GT_OK;
}

static gt_status check_numbers(const gt_scan *s)
{
	const struct {
		const char *name;
		double value, min;
		int open;
	} number[] = {
		{ "column_pitch", s->column_pitch, 0, 1 },
		{ "row_pitch", s->row_pitch, 0, 1 },
		{ "column_center", s->column_center, -INFINITY, 0 },
		{ "row_center", s->row_center, -INFINITY, 0 },
		{ "source_to_detector", s->source_to_detector, 0, s->shape == GT_ARC },
		{ "source_to_axis", s->source_to_axis, 0, 0 },
		{ "pitch_per_turn", s->pitch_per_turn, 0, 0 },
		{ "thickness", s->thickness, 0, 0 },
	};
	for (size_t i = 0; i < sizeof number / sizeof *number; i++) {
		const double x = number[i].value;
		if (!isfinite(x))
			return gt_fail(GT_ERR_FORMAT, "%s=%g: expected a finite number", number[i].name, x);
		if (x < number[i].min || (number[i].open && x == number[i].min))
			return gt_fail(GT_ERR_FORMAT, "%s=%g: expected a number %s", number[i].name, x,
			               number[i].open ? "greater than 0" : "of at least 0");
	}
	if (s->shape == GT_ARC && (double)s->columns * s->column_pitch >= 2 * GT_PI * s->source_to_detector)
		return gt_fail(GT_ERR_FORMAT, "%zu columns of %g mm on an arc of radius source_to_detector=%g: longer than its circle",
		               s->columns, s->column_pitch, s->source_to_detector);
	return GT_OK;
}

static gt_status check_axes(const gt_view *w, size_t v)
{
	for (int which = 2; which < 4; which++) {
		const char *name;
		const double *a = vector_of(w, which, &name), length = sqrt(gt_dot3(a, a));
		if (fabs(length - 1) > TOLERANCE)
			return gt_fail(GT_ERR_FORMAT, "%s of view %zu has length %.9g: expected 1", name, v, length);
	}
	const double cosine = gt_dot3(w->column_axis, w->row_axis);
	if (fabs(cosine) > TOLERANCE)
		return gt_fail(GT_ERR_FORMAT,
		               "column_axis and row_axis of view %zu are not perpendicular: their product is %.9g, expected 0", v, cosine);
	return GT_OK;
}

static gt_status check_plane(const gt_view *w, size_t v)
{
	const double *c = w->column_axis, *r = w->row_axis;
	const double normal[3] = { c[1] * r[2] - c[2] * r[1], c[2] * r[0] - c[0] * r[2], c[0] * r[1] - c[1] * r[0] };
	double ray[3];
	for (int a = 0; a < 3; a++)
		ray[a] = w->detector[a] - w->source[a];
	if (fabs(gt_dot3(normal, ray)) <= TOLERANCE * sqrt(gt_dot3(ray, ray)))
		return gt_fail(GT_ERR_FORMAT, "source of view %zu lies in the plane of its detector: expected a distance greater than 0",
		               v);
	return GT_OK;
}

static gt_status check_arc(const gt_scan *s, size_t v)
{
	const gt_view *w = &s->view[v];
	double arm[3], off[3], along = 0;
	gt_arc_arm(w, arm);
	const double radius = sqrt(gt_dot3(arm, arm)), expected = s->source_to_detector;
	if (fabs(radius - expected) > TOLERANCE * expected)
		return gt_fail(
			GT_ERR_FORMAT,
			"detector of view %zu is %.9g mm from the axis of its arc (arc_center): expected the radius source_to_detector=%.9g",
			v, radius, expected);
	if (fabs(gt_dot3(arm, w->column_axis)) > TOLERANCE * radius)
		return gt_fail(
			GT_ERR_FORMAT,
			"column_axis of view %zu is not tangent to its arc at detector: the product with its radius is %.9g mm, expected 0",
			v, gt_dot3(arm, w->column_axis));
	for (int a = 0; a < 3; a++) {
		off[a] = w->source[a] - w->arc_center[a];
		along += off[a] * w->row_axis[a];
	}
	for (int a = 0; a < 3; a++)
		off[a] -= along * w->row_axis[a];
	if (gt_dot3(off, off) >= radius * radius)
		return gt_fail(GT_ERR_FORMAT,
		               "source of view %zu is %.9g mm from the axis of its arc (arc_center): expected less than its radius %.9g", v,
		               sqrt(gt_dot3(off, off)), radius);
	return GT_OK;
}

static gt_status check_view(const gt_scan *s, size_t v)
{
	const gt_view *w = &s->view[v];
	const char *name;
	double distance = 0;
	for (int which = 0; which < (s->shape == GT_ARC ? 5 : 4); which++) {
		const double *x = vector_of(w, which, &name);
		if (!isfinite(x[0]) || !isfinite(x[1]) || !isfinite(x[2]))
			return gt_fail(GT_ERR_FORMAT, "%s of view %zu is (%g, %g, %g): expected finite numbers", name, v, x[0], x[1], x[2]);
	}
	if (isinf(w->angle))
		return gt_fail(GT_ERR_FORMAT, "angle of view %zu is %g: expected a finite number, or NAN if unknown", v, w->angle);
	gt_status st = check_axes(w, v);
	if (st != GT_OK)
		return st;
	for (int a = 0; a < 3; a++)
		distance = fmax(distance, fabs(w->detector[a] - w->source[a]));
	if (distance <= TOLERANCE * s->column_pitch)
		return gt_fail(GT_ERR_FORMAT, "detector of view %zu is at its source (%g, %g, %g): expected a distance greater than 0", v,
		               w->source[0], w->source[1], w->source[2]);
	return s->shape == GT_ARC ? check_arc(s, v) : check_plane(w, v);
}

gt_status gt_scan_check(const gt_scan *scan)
{
	GT_NEED(scan);
	gt_status st = check_sizes(scan);
	if (st == GT_OK)
		st = check_numbers(scan);
	for (size_t v = 0; st == GT_OK && v < scan->views; v++)
		st = check_view(scan, v);
	return st;
}
