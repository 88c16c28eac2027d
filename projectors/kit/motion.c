/* Rigid motions of views and their derivatives. Rotations by a vector: Rodrigues' formula. Their derivative: the left
 * Jacobian of the rotation group (Barfoot, State Estimation for Robotics, Cambridge 2017, eq. 7.77). */
#include <math.h>
#include <string.h>
#include <gantry/author/vec3.h>
#include "core/arguments.h"
#include "core/try.h"
#include "projectors/kit/motion.h"

const char *const gt_motion_names[] = {
	"shift_u", "shift_v", "distance", "tilt", "slant", "roll", "source_x", "source_y", "source_z", NULL
};

/* Axes of shifts and of rotations of a view. */
struct axes {
	double shift[3][3], turn[3][3];
};

static struct axes axes_of(const gt_view *w)
{
	struct axes x;
	double cross[3], away[3];
	gt_cross3(w->column_axis, w->row_axis, cross);
	for (int a = 0; a < 3; a++)
		away[a] = w->detector[a] - w->source[a];
	const double sign = gt_dot3(cross, away) < 0 ? -1 : 1;
	for (int a = 0; a < 3; a++) {
		x.shift[0][a] = w->column_axis[a];
		x.shift[1][a] = w->row_axis[a];
		x.shift[2][a] = sign * cross[a];
		x.turn[0][a] = sign * w->column_axis[a];
		x.turn[1][a] = -sign * w->row_axis[a];
		x.turn[2][a] = cross[a];
	}
	return x;
}

/* sum of three parameters times their axes */
static void combine(const double axis[3][3], const double *parameter, double out[3])
{
	for (int a = 0; a < 3; a++)
		out[a] = axis[0][a] * parameter[0] + axis[1][a] * parameter[1] + axis[2][a] * parameter[2];
}

/* v + f (w x v) + g (w x (w x v)) */
static void series(const double w[3], double f, double g, const double v[3], double out[3])
{
	double once[3], twice[3];
	gt_cross3(w, v, once);
	gt_cross3(w, once, twice);
	for (int a = 0; a < 3; a++)
		out[a] = v[a] + f * once[a] + g * twice[a];
}

/* sin(t)/t, (1 - cos(t))/t^2 and (t - sin(t))/t^3 */
static void factors(const double w[3], double *sine, double *cosine, double *third)
{
	const double t2 = gt_dot3(w, w), t = sqrt(t2);
	if (t < 1e-3) {
		*sine = 1 - t2 / 6 * (1 - t2 / 20);
		*cosine = 0.5 - t2 / 24 * (1 - t2 / 30);
		*third = 1. / 6 - t2 / 120 * (1 - t2 / 42);
		return;
	}
	*sine = sin(t) / t;
	*cosine = 2 * sin(t / 2) * sin(t / 2) / t2;
	*third = (t - sin(t)) / (t2 * t);
}

static void rotate(const double w[3], double v[3])
{
	double sine, cosine, third, out[3];
	factors(w, &sine, &cosine, &third);
	series(w, sine, cosine, v, out);
	memcpy(v, out, sizeof out);
}

static void move_view(gt_shape shape, const double *motion, gt_view *w)
{
	const struct axes x = axes_of(w);
	double shift[3], turn[3], arm[3];
	combine(x.shift, motion + GT_MOTION_SHIFT_U, shift);
	combine(x.turn, motion + GT_MOTION_TILT, turn);
	for (int a = 0; a < 3; a++)
		arm[a] = w->arc_center[a] - w->detector[a];
	rotate(turn, arm);
	rotate(turn, w->column_axis);
	rotate(turn, w->row_axis);
	for (int a = 0; a < 3; a++) {
		w->detector[a] += shift[a];
		w->source[a] += motion[GT_MOTION_SOURCE_X + a] + (shape == GT_PARALLEL ? shift[a] : 0);
		w->arc_center[a] = shape == GT_ARC ? w->detector[a] + arm[a] : w->source[a];
	}
}

gt_status gt_scan_move(const gt_scan *scan, const double *motion, gt_scan **moved)
{
	GT_NEED(scan);
	GT_NEED(motion);
	GT_NEED(moved);
	gt_scan *s = NULL;
	gt_status st = gt_scan_check(scan);
	GT_TRY(st);
	for (size_t i = 0; i < scan->views * GT_MOTIONS; i++)
		if (!isfinite(motion[i]))
			GT_TRY(gt_fail(GT_ERR_ARG, "motion: %s of view %zu is %g, expected a finite value", gt_motion_names[i % GT_MOTIONS],
			               i / GT_MOTIONS, motion[i]));
	GT_TRY(gt_scan_clone(scan, &s));
	for (size_t v = 0; v < s->views; v++)
		move_view(s->shape, motion + v * GT_MOTIONS, &s->view[v]);
	GT_TRY(gt_scan_check(s));
	*moved = s;
	s = NULL;
done:
	gt_scan_free(s);
	return st;
}

static void view_jacobian(gt_shape shape, const gt_view *w, const double *motion, double (*J)[GT_MOTIONS])
{
	static const double none[GT_MOTIONS];
	const struct axes x = axes_of(w);
	double turn[3], sine, cosine, third, velocity[3];
	combine(x.turn, (motion ? motion : none) + GT_MOTION_TILT, turn);
	factors(turn, &sine, &cosine, &third);
	for (int p = 0; p < 3; p++) {
		series(turn, cosine, third, x.turn[p], velocity);
		for (int a = 0; a < 3; a++) {
			J[GT_VELOCITY_T + a][GT_MOTION_SHIFT_U + p] = x.shift[p][a];
			J[GT_VELOCITY_W + a][GT_MOTION_TILT + p] = velocity[a];
			J[GT_VELOCITY_V + a][GT_MOTION_SOURCE_X + p] = a == p;
			if (shape == GT_PARALLEL)
				J[GT_VELOCITY_V + a][GT_MOTION_SHIFT_U + p] = x.shift[p][a];
		}
	}
}

void gt_motion_jacobian(const gt_scan *scan, const double *motion, double *jacobian)
{
	memset(jacobian, 0, scan->views * GT_VELOCITIES * GT_MOTIONS * sizeof *jacobian);
	for (size_t v = 0; v < scan->views; v++)
		view_jacobian(scan->shape, &scan->view[v], motion ? motion + v * GT_MOTIONS : NULL,
		              (double(*)[GT_MOTIONS])(jacobian + v * GT_VELOCITIES * GT_MOTIONS));
}
