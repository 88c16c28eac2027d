#ifndef GT_PROJECTORS_RAY_RAY_GRADIENT_H
#define GT_PROJECTORS_RAY_RAY_GRADIENT_H
/* Derivatives of Joseph's line integrals by the motion of source and detector, defined only here.
 *
 * The integral is length * sum over slices n of F_n(x_b(n), x_c(n)), with the bilinear F_n of ray_walk.h. For the ray
 * q + s e, in voxels and with t = n + 1/2 - q_d,
 *
 *   x_i(n) = q_i + t e_i/e_d - 1/2,   dx_i = dq_i - step_i dq_d + t (de_i - step_i de_d)/e_d,
 *
 * so the derivative needs the sums of F, of its gradient, and of its gradient times t. F is piecewise bilinear. If a
 * ray meets the line between voxel centres, the derivative is the one towards the upper voxel. The axis d and the
 * slices in front of the source are those of the ray. The integral jumps if they change, and has no derivative there.
 *
 * T and W are the velocities of the detector and V of the source (kit/motion.h), arm the vector from the point
 * `detector` to the pixel:
 *
 *   fan:       dq = V,                 de = T + W x arm - V
 *   parallel:  dq = W x arm + V,       de = T - V */
#include "projectors/kit/motion.h"
#include "projectors/ray/ray_walk.h"

/* Sums along a ray: of F, and for the axes b and c of its derivative, plain and times (n + 1/2 - q_d). */
typedef struct { double value, plain[2], times[2]; } gt_ray_sums;

/* Adds a slice from the values of its taps; above: n + 1/2 - q_d. */
GT_HD void gt_ray_add(const gt_ray *r, int n, const double value[GT_RAY_TAPS], double above, gt_ray_sums *s)
{
	const double p = gt_ray_at(r, 0, n), q = gt_ray_at(r, 1, n), f = p - floor(p), h = q - floor(q);
	const double b0 = value[1] - value[0], b1 = value[3] - value[2], c0 = value[2] - value[0], c1 = value[3] - value[1];
	const double b = fma(h, b1 - b0, b0), c = fma(f, c1 - c0, c0);
	s->value += fma(h, fma(f, b1 - b0, c0), fma(f, b0, value[0]));
	s->plain[0] += b;
	s->plain[1] += c;
	s->times[0] = fma(above, b, s->times[0]);
	s->times[1] = fma(above, c, s->times[1]);
}

/* Gradients by a ray's point q and direction e, per voxel of each axis. */
GT_HD void gt_ray_gradients(const gt_ray *r, const double pitch[3], const double *e, const gt_ray_sums *s, double by_q[3], double by_e[3])
{
	const double ed = gt_ray_pick(e, r->d), value = r->length * s->value;
	double square = 0;
	for (int a = 0; a < 3; a++)
		square = fma(e[a] * pitch[a], e[a] * pitch[a], square);
	for (int a = 0; a < 3; a++) {
		by_e[a] = value * e[a] * pitch[a] * pitch[a] / square;
		if (a == r->b || a == r->c) {
			const int i = a == r->c;
			by_q[a] = r->length * s->plain[i];
			by_e[a] += r->length * s->times[i] / ed;
		} else {
			by_q[a] = -r->length * (r->step[0] * s->plain[0] + r->step[1] * s->plain[1]);
			by_e[a] -= (r->length * (r->step[0] * s->times[0] + r->step[1] * s->times[1]) + value) / ed;
		}
	}
}

/* Per view: the pixel's arm in mm is offset + pitch * (the vector that changes with the pixel, in voxels). */
typedef struct { double offset[3]; } gt_ray_arm;

/* Derivative of the integral by the velocities T, W and V. moved: e of fan beams, q of parallel ones. */
GT_HD void gt_ray_velocities(const gt_rays *g, const gt_ray_arm *from, const double *moved, const double by_q[3], const double by_e[3],
                             double by[GT_VELOCITIES])
{
	double arm[3], force[3], torque[3];
	for (int a = 0; a < 3; a++) {
		arm[a] = fma(moved[a], g->pitch[a], from->offset[a]);
		force[a] = (g->fan ? by_e[a] : by_q[a]) / g->pitch[a];
		by[GT_VELOCITY_T + a] = by_e[a] / g->pitch[a];
		by[GT_VELOCITY_V + a] = (by_q[a] - by_e[a]) / g->pitch[a];
	}
	gt_cross3(arm, force, torque);
	for (int a = 0; a < 3; a++)
		by[GT_VELOCITY_W + a] = torque[a];
}

/* Point q and direction e of (column, row), in voxels, and the one that changes with the pixel. */
typedef struct { double q[3], e[3], moved[3]; } gt_ray_path;
GT_HD gt_ray_path gt_ray_path_of(const gt_rays *g, const gt_ray_view *v, const gt_ray_column *column, int row)
{
	gt_ray_path l;
	for (int a = 0; a < 3; a++) {
		l.moved[a] = fma((double)row, v->row[a], column->at[a]);
		l.q[a] = g->fan ? v->base[a] : l.moved[a];
		l.e[a] = g->fan ? l.moved[a] : v->base[a];
	}
	return l;
}
#endif
