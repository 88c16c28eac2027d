/* Manual corrections of a scan: offsets, roll, pitches, distances, angles, and order of columns, rows and rotation. */
#include <math.h>
#include <gantry/author/constants.h>
#include <gantry/scan.h>
#include <gantry/author/vec3.h>

const gt_scan_correction gt_scan_correction_none = { .size = sizeof(gt_scan_correction),
	                                             .column_offset = NAN,
	                                             .row_offset = NAN,
	                                             .roll = 0,
	                                             .column_pitch = NAN,
	                                             .row_pitch = NAN,
	                                             .source_to_axis = NAN,
	                                             .source_to_detector = NAN,
	                                             .start_angle = NAN,
	                                             .turn = NAN };

static int given(double x) { return !isnan(x); }

static void rotate_vector(double x[3], double c, double s)
{
	const double was = x[0];
	x[0] = c * was - s * x[1];
	x[1] = s * was + c * x[1];
}

static void rotate_view(gt_view *w, double by)
{
	const double c = cos(by), s = sin(by);
	rotate_vector(w->source, c, s);
	rotate_vector(w->detector, c, s);
	rotate_vector(w->column_axis, c, s);
	rotate_vector(w->row_axis, c, s);
	rotate_vector(w->arc_center, c, s);
	w->angle += by;
}

static void roll_view(const gt_scan *s, double roll, gt_view *w)
{
	const double along = (((double)s->columns - 1) / 2 - s->column_center) * s->column_pitch;
	const double up = (((double)s->rows - 1) / 2 - s->row_center) * s->row_pitch;
	for (int a = 0; a < 3; a++) {
		const double column = w->column_axis[a], row = w->row_axis[a];
		w->column_axis[a] = cos(roll) * column + sin(roll) * row;
		w->row_axis[a] = cos(roll) * row - sin(roll) * column;
		w->detector[a] += along * (column - w->column_axis[a]) + up * (row - w->row_axis[a]);
	}
}

/* Moves source and detector along the normal of the panel, or along the central ray if the axis is tilted. */
static void move_view(gt_view *w, int plate, double source_back, double detector_on)
{
	double n[3], ray[3], away = 0;
	gt_cross3(w->column_axis, w->row_axis, n);
	for (int a = 0; a < 3; a++)
		ray[a] = w->detector[a] - w->source[a];
	const double length = sqrt(gt_dot3(ray, ray));
	for (int a = 0; a < 3; a++) {
		n[a] = plate ? ray[a] / length : n[a];
		away += n[a] * ray[a];
	}
	for (int a = 0; a < 3; a++) {
		const double way = away < 0 ? -n[a] : n[a];
		w->source[a] -= source_back * way;
		w->arc_center[a] -= source_back * way;
		w->detector[a] += detector_on * way;
	}
}

static gt_status check(const gt_scan *s, const gt_scan_correction *c)
{
	const int turns = given(c->start_angle) || given(c->turn) || c->reverse_direction;
	if (s->shape == GT_PARALLEL && (given(c->source_to_axis) || given(c->source_to_detector)))
		return gt_fail(GT_ERR_UNSUPPORTED, "distances: found parallel rays: expected a cone or fan beam");
	if (s->shape == GT_ARC && c->roll != 0)
		return gt_fail(GT_ERR_UNSUPPORTED, "roll: found an arc detector: expected a flat one");
	for (size_t v = 0; v < s->views && turns; v++)
		if (isnan(s->view[v].angle))
			return gt_fail(GT_ERR_UNSUPPORTED, "view %zu has no gantry angle: the rotation cannot be changed", v);
	if ((given(c->source_to_axis) || given(c->source_to_detector)) && !(s->source_to_axis > 0 && s->source_to_detector > 0))
		return gt_fail(GT_ERR_UNSUPPORTED, "distances: the scan states none to change");
	return GT_OK;
}

static void correct_rotation(gt_scan *s, const gt_scan_correction *c)
{
	const double first = s->view[0].angle, last = s->view[s->views - 1].angle;
	const double range = s->views > 1 ? (last - first) * (double)s->views / (double)(s->views - 1) : 0;
	const double factor = given(c->turn) && range != 0 ? c->turn / range : 1;
	const double begin = given(c->start_angle) ? c->start_angle : first;
	for (size_t v = 0; v < s->views; v++) {
		gt_view *w = &s->view[v];
		const double wanted = begin + (w->angle - first) * factor * (c->reverse_direction ? -1 : 1);
		rotate_view(w, wanted - w->angle);
	}
	s->pitch_per_turn /= fabs(factor);
}

static void correct(gt_scan *s, const gt_scan_correction *c)
{
	const double axis = given(c->source_to_axis) ? c->source_to_axis : s->source_to_axis;
	const double detector = given(c->source_to_detector) ? c->source_to_detector : s->source_to_detector;
	if (given(c->column_pitch))
		s->column_pitch = c->column_pitch;
	if (given(c->row_pitch))
		s->row_pitch = c->row_pitch;
	const int plate = gt_scan_is_laminography(s);
	for (size_t v = 0; v < s->views && s->shape != GT_PARALLEL; v++)
		move_view(&s->view[v], plate, axis - s->source_to_axis, detector - axis - (s->source_to_detector - s->source_to_axis));
	s->source_to_axis = axis;
	s->source_to_detector = detector;
	if (given(c->column_offset))
		s->column_center = ((double)s->columns - 1) / 2 + c->column_offset;
	if (given(c->row_offset))
		s->row_center = ((double)s->rows - 1) / 2 + c->row_offset;
	for (size_t v = 0; v < s->views && c->roll != 0; v++)
		roll_view(s, c->roll, &s->view[v]);
	if (given(c->start_angle) || given(c->turn) || c->reverse_direction)
		correct_rotation(s, c);
	if (c->reverse_columns)
		s->column_center = (double)s->columns - 1 - s->column_center;
	if (c->reverse_rows)
		s->row_center = (double)s->rows - 1 - s->row_center;
	for (size_t v = 0; v < s->views; v++)
		for (int a = 0; a < 3; a++) {
			gt_view *w = &s->view[v];
			w->column_axis[a] *= c->reverse_columns ? -1 : 1;
			w->row_axis[a] *= c->reverse_rows ? -1 : 1;
		}
}

gt_status gt_scan_correct(gt_scan *scan, const gt_scan_correction *what)
{
	gt_scan *copy = NULL;
	if (!scan || !what || what->size != sizeof *what)
		return gt_fail(GT_ERR_ARG, "gt_scan_correct: %s",
		               !scan   ? "scan is NULL"
		               : !what ? "what is NULL"
		                       : "what has another size");
	gt_status st = check(scan, what);
	if (st == GT_OK)
		st = gt_scan_clone(scan, &copy);
	if (st != GT_OK)
		return st;
	correct(copy, what);
	if ((st = gt_scan_check(copy)) == GT_OK) {
		const gt_scan was = *scan;
		*scan = *copy;
		*copy = was;
	}
	gt_scan_free(copy);
	return st;
}
