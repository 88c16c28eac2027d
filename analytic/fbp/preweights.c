/* Weights of pixels: gain and slope. Memory: two numbers in double per column; per view if views differ. */
#include <math.h>
#include <gantry/author/constants.h>
#include "analytic/fbp/preweights.h"

/* Tolerances within which views share their weights: positions, relative to the distance from the axis; angular
 * weights. */
#define SAME_PLACE 1e-14
#define SAME_WEIGHT 1e-12

double gt_preweights_foot(const gt_view *w, const double axis[3], double center, double pitch)
{
	double from[3];
	for (int a = 0; a < 3; a++)
		from[a] = w->source[a] - w->detector[a];
	return center + gt_dot3(from, axis) / pitch;
}

double gt_preweights_plane2(const gt_view *w, double n[2])
{
	n[0] = w->column_axis[1];
	n[1] = -w->column_axis[0];
	return n[0] * (w->detector[0] - w->source[0]) + n[1] * (w->detector[1] - w->source[1]);
}

double gt_preweights_plane3(const gt_view *w, double n[3])
{
	const double *c = w->column_axis, *r = w->row_axis;
	double to[3];
	for (int a = 0; a < 3; a++) {
		n[a] = c[(a + 1) % 3] * r[(a + 2) % 3] - c[(a + 2) % 3] * r[(a + 1) % 3];
		to[a] = w->detector[a] - w->source[a];
	}
	return gt_dot3(n, to);
}

/* Equal views ---------------------------------------------------------------- */

/* Vectors of a view in a frame that rotates with it. */
enum { SOURCE, DETECTOR, ARC, COLUMN_AXIS, ROW_AXIS, VECTORS };
struct turned {
	double v[VECTORS][3];
	double scale[VECTORS]; /* magnitude of the numbers that each vector is computed from */
};

static void turn(const double frame[2], const double x[3], const double from[3], double scale, struct turned *t, int k)
{
	const double d[3] = { x[0] - from[0], x[1] - from[1], x[2] - from[2] };
	t->v[k][0] = frame[0] * d[0] + frame[1] * d[1];
	t->v[k][1] = frame[0] * d[1] - frame[1] * d[0];
	t->v[k][2] = d[2];
	t->scale[k] = scale;
}

/* Positions relative to the axis, at the height of the source. */
static struct turned turn_view(const gt_angular_coverage *s, size_t view)
{
	static const double zero[3] = { 0, 0, 0 };
	const gt_view *w = &s->scan->view[view];
	const double from[3] = { s->center[0], s->center[1], w->source[2] };
	const double *behind = s->scan->shape == GT_PARALLEL ? w->detector : from;
	const double e[2] = { w->source[0] - behind[0], w->source[1] - behind[1] }, length = hypot(e[0], e[1]);
	const double frame[2] = { e[0] / length, e[1] / length };
	struct turned t = { .scale = { 0 } };
	turn(frame, w->source, from, length, &t, SOURCE);
	turn(frame, w->detector, from, length, &t, DETECTOR);
	if (s->scan->shape == GT_ARC)
		turn(frame, w->arc_center, from, length, &t, ARC);
	turn(frame, w->column_axis, zero, 1, &t, COLUMN_AXIS);
	turn(frame, w->row_axis, zero, 1, &t, ROW_AXIS);
	return t;
}

static int same_view(const struct turned *a, const struct turned *b)
{
	int same = 1;
	for (int k = 0; k < VECTORS; k++)
		for (int i = 0; i < 3; i++)
			same &= fabs(a->v[k][i] - b->v[k][i]) <= SAME_PLACE * a->scale[k];
	return same;
}

int gt_preweights_equal(const gt_preweights *c)
{
	const gt_angular_coverage *s = c->coverage;
	/* Weights of short scans depend on the direction of the view. */
	if (c->redundancy == GT_SHORT_SCAN)
		return 0;
	const struct turned first = turn_view(s, 0);
	for (size_t v = 1; v < s->scan->views; v++) {
		const struct turned t = turn_view(s, v);
		if (!same_view(&first, &t) || !(fabs(s->weight[v] - s->weight[0]) <= SAME_WEIGHT * s->weight[0]))
			return 0;
	}
	return 1;
}

/* One view ------------------------------------------------------------------ */

static double redundancy(const gt_preweights *c, size_t view, double fan)
{
	const gt_angular_coverage *s = c->coverage;
	if (c->redundancy == GT_OFFSET_DETECTOR)
		return gt_offset_weight(fan * s->long_side, s->shorter);
	if (c->redundancy == GT_SHORT_SCAN) {
		const double t = fmod(s->direction[view] - s->cover.first, 2 * GT_PI);
		return gt_parker_weight(t < 0 ? t + 2 * GT_PI : t, fan, s->cover.range);
	}
	return 1;
}

/* Laminography on a panel that holds the tangent t: gain R / ray, which is sin(phi) for parallel rays. In the plane of
 * source, voxel and t the fan formula has dtheta R = (in-plane radius) dtheta', and all lengths of the panel cancel.
 * Columns c not quite along t: fans of level panels, R cos(fan) / plane, give R (t.c - u t.n / plane) / reach. */
static void set_plate(const gt_preweights *c, size_t view, double *gain, double *slope)
{
	const gt_angular_coverage *s = c->coverage;
	const gt_scan *scan = s->scan;
	const gt_view *w = &scan->view[view];
	double n[3], tangent[3], ray[3];
	const double plane = gt_preweights_plane3(w, n), radius = gt_angular_coverage_distance(s, view), counts = c->norm * s->weight[view],
		     middle = gt_preweights_foot(w, w->column_axis, scan->column_center, scan->column_pitch);
	gt_angular_coverage_tangent(s, view, tangent);
	const double along = gt_dot3(tangent, w->column_axis), across = gt_dot3(tangent, n) / plane;
	for (int a = 0; a < 3; a++)
		ray[a] = w->detector[a] - w->source[a];
	const double sine = hypot(ray[0], ray[1]) / sqrt(gt_dot3(ray, ray));
	for (size_t k = 0; k < scan->columns; k++) {
		const double fan = gt_angular_coverage_fan(s, view, (double)k, NULL), pixel = counts * redundancy(c, view, fan),
			     u = ((double)k - middle) * scan->column_pitch, reach = hypot(plane, u);
		gain[k] = scan->shape == GT_PARALLEL ? pixel * sine / fabs(along) : pixel * radius * fabs(along - u * across) / reach;
		slope[k] = scan->shape == GT_PARALLEL ? 0 : 1 / reach;
	}
}

void gt_preweights_set(const gt_preweights *c, size_t view, double *gain, double *slope)
{
	if (c->coverage->laminography && c->tilted) {
		set_plate(c, view, gain, slope);
		return;
	}
	const gt_scan *scan = c->coverage->scan;
	const gt_view *w = &scan->view[view];
	double n[3];
	const double middle = gt_preweights_foot(w, w->column_axis, scan->column_center, scan->column_pitch);
	const double plane = fabs(c->tilted ? gt_preweights_plane3(w, n) : gt_preweights_plane2(w, n)),
		     distance = gt_angular_coverage_distance(c->coverage, view), counts = c->norm * c->coverage->weight[view];
	for (size_t k = 0; k < scan->columns; k++) {
		double reach;
		const double fan = gt_angular_coverage_fan(c->coverage, view, (double)k, &reach), pixel = counts * redundancy(c, view, fan);
		if (c->tilted)
			reach = hypot(plane, ((double)k - middle) * scan->column_pitch);
		switch (scan->shape) {
		case GT_FLAT:
			gain[k] = pixel * distance * cos(fan) / plane;
			break;
		case GT_ARC:
			gain[k] = pixel * distance * cos(fan) / (reach * reach);
			break;
		/* Pixels of an inclined detector are closer than their pitch. */
		default:
			gain[k] = pixel * reach / plane;
			break;
		}
		slope[k] = scan->shape == GT_PARALLEL ? 0 : 1 / reach;
	}
}
