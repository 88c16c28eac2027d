/* Derivatives of projections by corrections of the scan. By motions: central differences of positions and axes of the
 * views, which are smooth functions, give the motions (gantry/projector.h), and gt_projector_derivative() projects
 * along them. Rounding of single precision disturbs differences of projections, but not these. The derivative of
 * interpolated projections jumps if rays meet lines between voxel centres, as all rays of parallel beams may. So both
 * ways average over an interval, by motions at the two nodes of Gauss and Legendre. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/author/vec3.h>
#include <gantry/projector.h>
#include "calibration/correct.h"
#include "calibration/derivative.h"
#include "core/try.h"

enum { N = GT_CALIBRATE_PARAMETERS };

static gt_status corrected(const gt_calibrate_model *m, const double value[N], gt_scan **scan)
{
	double own[N];
	gt_status st = GT_OK;
	memcpy(own, value, sizeof own);
	own[GT_CALIBRATE_CENTER] /= (double)m->columns_by;
	GT_TRY(gt_scan_clone(m->scan, scan));
	gt_calibrate_apply(own, *scan);
done:
	return st;
}

gt_status gt_calibrate_operator(const gt_calibrate_model *m, const double value[N], gt_linop **A)
{
	gt_scan *scan = NULL;
	gt_status st = GT_OK;
	GT_TRY(corrected(m, value, &scan));
	GT_TRY(gt_projector_new("joseph", m->be, m->type, &m->grid, scan, A));
done:
	gt_scan_free(scan);
	return st;
}

/* Motions -------------------------------------------------------------- */

static void difference(const double *low, const double *high, double h, double out[3])
{
	for (int a = 0; a < 3; a++)
		out[a] = (high[a] - low[a]) / (2 * h);
}

/* Adds axis x change / 2: the sum over three orthogonal axes is the angular velocity. */
static void add_turn(const double *axis, const double *change, double turn[3])
{
	double torque[3];
	gt_cross3(axis, change, torque);
	for (int a = 0; a < 3; a++)
		turn[a] += torque[a] / 2;
}

/* view: for the parameter h lower, as it is, and h higher. shift: of the pixels along the columns. */
static void motion_of(gt_shape shape, const gt_view *const view[3], double h, double shift, float *motion)
{
	const gt_view *at = view[1];
	double T[3], V[3], c[3], r[3], n[3], low[3], high[3], dn[3], away[3], turn[3] = { 0 };
	gt_cross3(at->column_axis, at->row_axis, n);
	gt_cross3(view[0]->column_axis, view[0]->row_axis, low);
	gt_cross3(view[2]->column_axis, view[2]->row_axis, high);
	difference(low, high, h, dn);
	difference(view[0]->detector, view[2]->detector, h, T);
	difference(view[0]->source, view[2]->source, h, V);
	difference(view[0]->column_axis, view[2]->column_axis, h, c);
	difference(view[0]->row_axis, view[2]->row_axis, h, r);
	for (int a = 0; a < 3; a++) {
		/* A motion of the detector keeps the direction of parallel rays. */
		motion[GT_MOTION_SOURCE_X + a] = (float)(V[a] - (shape == GT_PARALLEL ? T[a] : 0));
		T[a] += shift * at->column_axis[a];
		away[a] = at->detector[a] - at->source[a];
	}
	add_turn(at->column_axis, c, turn);
	add_turn(at->row_axis, r, turn);
	add_turn(n, dn, turn);
	const double sign = gt_dot3(n, away) < 0 ? -1 : 1;
	motion[GT_MOTION_SHIFT_U] = (float)gt_dot3(T, at->column_axis);
	motion[GT_MOTION_SHIFT_V] = (float)gt_dot3(T, at->row_axis);
	motion[GT_MOTION_DISTANCE] = (float)(sign * gt_dot3(T, n));
	motion[GT_MOTION_TILT] = (float)(sign * gt_dot3(turn, at->column_axis));
	motion[GT_MOTION_SLANT] = (float)(-sign * gt_dot3(turn, at->row_axis));
	motion[GT_MOTION_ROLL] = (float)gt_dot3(turn, n);
}

/* Sets motion [view][GT_MOTIONS] and *scan, which moves by them per unit of parameter j. */
static gt_status motions_of(const gt_calibrate_model *m, const double value[N], int j, float *motion, gt_scan **scan)
{
	const double h = 1e-4 * (j == GT_CALIBRATE_DISTANCE ? m->scan->source_to_detector : 1);
	gt_scan *moved[3] = { NULL };
	gt_status st = GT_OK;
	for (int side = -1; side <= 1; side++) {
		double there[N];
		memcpy(there, value, sizeof there);
		there[j] += side * h;
		GT_TRY(corrected(m, there, &moved[side + 1]));
	}
	const double columns = (moved[2]->column_center - moved[0]->column_center) / (2 * h);
	for (size_t v = 0; v < m->scan->views; v++) {
		const gt_view *const view[3] = { &moved[0]->view[v], &moved[1]->view[v], &moved[2]->view[v] };
		motion_of(m->scan->shape, view, h, -columns * m->scan->column_pitch, motion + v * GT_MOTIONS);
	}
	*scan = moved[1];
	moved[1] = NULL;
done:
	for (int k = 0; k < 3; k++)
		gt_scan_free(moved[k]);
	return st;
}

/* Sets J to the derivative at a point. */
static gt_status by_motion(const gt_calibrate_model *m, const double value[N], int j, const gt_array *x, gt_array *J)
{
	gt_linop *D = NULL;
	gt_array *along = NULL;
	gt_scan *scan = NULL;
	gt_status st = GT_OK;
	float *motion = malloc(m->scan->views * GT_MOTIONS * sizeof *motion);
	if (!motion)
		return gt_fail(GT_ERR_MEMORY, "no memory for the motions of %zu views", m->scan->views);
	GT_TRY(motions_of(m, value, j, motion, &scan));
	GT_TRY(gt_projector_derivative("joseph", &m->grid, scan, NULL, x, &D));
	GT_TRY(gt_array_new(m->be, m->type, gt_linop_nx(D), &along));
	gt_array_put_float(motion, along);
	gt_forward(D, along, J);
done:
	gt_linop_free(D);
	gt_array_free(along);
	gt_scan_free(scan);
	free(motion);
	return st;
}

/* Either way: two nodes -------------------------------------------------- */

static gt_status projected(const gt_calibrate_model *m, const double value[N], const gt_array *x, gt_array *y)
{
	gt_linop *B = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_calibrate_operator(m, value, &B));
	gt_forward(B, x, y);
done:
	gt_linop_free(B);
	return st;
}

gt_status gt_calibrate_derivative(const gt_calibrate_model *m, const double value[N], int j, double h, const gt_array *x, gt_array *work,
                                  gt_array *J)
{
	const double node = m->by_motion ? h / sqrt(3) : h, weight = m->by_motion ? 0.5 : 1 / (2 * h);
	gt_status st = GT_OK;
	for (int side = -1; side <= 1; side += 2) {
		double there[N];
		memcpy(there, value, sizeof there);
		there[j] += side * node;
		GT_TRY(m->by_motion ? by_motion(m, there, j, x, side < 0 ? J : work) : projected(m, there, x, side < 0 ? J : work));
	}
	gt_scale(m->by_motion ? weight : -weight, J);
	gt_axpy(weight, work, J);
done:
	return st;
}
