#ifndef GT_PROJECTORS_SF_SF_MOTION_H
#define GT_PROJECTORS_SF_SF_MOTION_H
/* Derivatives of the footprint of sf_footprint.h (SF-TR) by the velocities of a view (kit/motion.h), for C and CUDA.
 *
 * A point X is seen at the point P of the detector, along q = X - source, or along the parallel rays. With the column
 * direction t and the normal n of the detector at P, and e = t - n (t.q)/(n.q), its column changes by
 *
 *   e . (a T + b V - W x (P - detector)) / pitch,
 *
 * with a = -1 and b = 1 - |P - source|/|q| for a fan beam, a = m - 1 and b = -m for parallel rays with
 * P = X + m (detector - source). Its row changes likewise, by the direction of the rows.
 *
 * At rest, corners and faces of central voxels lie exactly on edges between pixels, and rays along diagonals. The
 * derivative is then the one of a footprint moved up, and of a ray turned to the y axis. Rounding must not decide,
 * because both directions and all devices have to agree. */
#include "projectors/kit/motion.h"
#include "projectors/sf/sf_footprint.h"

#define GT_SF_ROUNDING 1e-9 /* pixels, or relative: closer values count as equal */
#define GT_SF_MARGIN 1e-6   /* columns of pixels below an edge: for footprints that end there */

/* A view, with the part of the geometry that the footprints need. */
typedef struct {
	gt_detector detector;
	const gt_view *view;
	double first[3];        /* centre of voxel 0, mm */
	int rows, flip_rows;
	int flat;               /* a flat fan-beam detector */
	double axis[3][3];      /* frame of the changes: columns, rows and normal if flat, else x, y, z */
	double source[3], at[3]; /* flat: source, and detector from the source, in this frame */
} gt_sf_pose;

/* Sets the frame of the changes. */
GT_HD void gt_sf_set_frame(gt_sf_pose *p)
{
	const gt_view *w = p->view;
	p->flat = p->detector.shape == GT_FLAT;
	for (int a = 0; a < 3; a++)
		for (int b = 0; b < 3; b++)
			p->axis[a][b] = a == b;
	for (int a = 0; a < 3 && p->flat; a++) {
		p->axis[0][a] = w->column_axis[a];
		p->axis[1][a] = w->row_axis[a];
	}
	if (p->flat)
		gt_cross3(p->axis[0], p->axis[1], p->axis[2]);
	for (int a = 0; a < 3; a++) {
		p->source[a] = gt_dot3(p->axis[a], w->source);
		p->at[a] = gt_dot3(p->axis[a], w->detector) - p->source[a];
	}
}
/* Turns velocities into the frame. */
GT_HD void gt_sf_into_frame(const gt_sf_pose *p, const double *velocity, double out[GT_VELOCITIES])
{
	for (int c = 0; c < GT_VELOCITIES; c++)
		out[c] = gt_dot3(p->axis[c % 3], velocity + c / 3 * 3);
}
/* The transpose: adds `by` in the frame, times `scale`, to `out`. */
GT_HD void gt_sf_out_of_frame(const gt_sf_pose *p, double scale, const double by[GT_VELOCITIES], double *out)
{
	for (int c = 0; c < GT_VELOCITIES; c++)
		for (int a = 0; a < 3; a++)
			out[c] += scale * p->axis[a][c % 3] * by[c / 3 * 3 + a];
}

/* Change of a point's column (0) and row (1): e . (a T + b V - W x arm), in the frame of the pose. */
typedef struct { double a, b, arm[3], e[2][3]; } gt_sf_image;

/* Direction of the columns at a column of the detector. */
GT_HD void gt_sf_tangent(const gt_sf_pose *p, double column, double t[3])
{
	double arm[3];
	for (int a = 0; a < 3; a++)
		t[a] = p->view->column_axis[a];
	if (p->detector.shape != GT_ARC)
		return;
	gt_arc_arm(p->view, arm);
	const double radius = sqrt(gt_dot3(arm, arm)), angle = (column - p->detector.column_center) * p->detector.column_pitch / radius;
	for (int a = 0; a < 3; a++)
		t[a] = cos(angle) * t[a] - sin(angle) * arm[a] / radius;
}

/* The image of a point, in voxels. */
GT_HD void gt_sf_image_of(const gt_sf *d, const gt_sf_pose *p, const double at[3], gt_sf_image *out)
{
	const gt_view *w = p->view;
	const int parallel = p->detector.shape == GT_PARALLEL;
	double column = 0, row = 0, X[3], P[3], axis[2][3], n[3], q[3], way[3];
	for (int a = 0; a < 3; a++)
		X[a] = p->first[a] + at[a] * d->pitch[a];
	if (p->flat) {
		const double in = 1 / (gt_dot3(p->axis[2], X) - p->source[2]);
		for (int s = 0; s < 2; s++) {
			const double slope = (gt_dot3(p->axis[s], X) - p->source[s]) * in;
			const double scale = s ? (p->flip_rows ? -1 : 1) / p->detector.row_pitch : 1 / p->detector.column_pitch;
			out->arm[s] = p->at[2] * slope - p->at[s];
			out->e[s][s] = scale;
			out->e[s][1 - s] = 0;
			out->e[s][2] = -scale * slope;
		}
		out->arm[2] = 0;
		out->a = -1;
		out->b = 1 - p->at[2] * in;
		return;
	}
	gt_point_pixel(&p->detector, w, X, &column, &row);
	gt_pixel_point(&p->detector, w, column, row, P);
	gt_sf_tangent(p, column, axis[0]);
	for (int a = 0; a < 3; a++) {
		axis[1][a] = w->row_axis[a];
		q[a] = parallel ? w->detector[a] - w->source[a] : X[a] - w->source[a];
		out->arm[a] = P[a] - w->detector[a];
		way[a] = parallel ? P[a] - X[a] : P[a] - w->source[a];
	}
	gt_cross3(axis[0], axis[1], n);
	const double nq = gt_dot3(n, q), times = gt_dot3(way, q) / gt_dot3(q, q);
	for (int s = 0; s < 2; s++) {
		const double slope = gt_dot3(axis[s], q) / nq;
		const double scale = s ? (p->flip_rows ? -1 : 1) / p->detector.row_pitch : 1 / p->detector.column_pitch;
		for (int a = 0; a < 3; a++)
			out->e[s][a] = scale * (axis[s][a] - slope * n[a]);
	}
	out->a = parallel ? times - 1 : -1;
	out->b = parallel ? -times : 1 - times;
}

/* Moves a column or row onto an edge between pixels that is within rounding. */
GT_HD double gt_sf_snap(double at)
{
	const double edge = floor(at + 0.5);
	return fabs(at - edge) < GT_SF_ROUNDING ? edge : at;
}
GT_HD void gt_sf_snap_columns(gt_sf_trapezoid *t)
{
	*t = gt_sf_trapezoid_of(gt_sf_snap(t->at[0]), gt_sf_snap(t->at[1]), gt_sf_snap(t->at[2]), gt_sf_snap(t->at[3]));
}
/* Rank of corner c by the columns of the four. Two corners on one ray have the order of a ray turned to the y axis. */
GT_HD int gt_sf_rank(const double column[4], int c)
{
	const int descends = column[1] + column[3] < column[0] + column[2];
	int rank = 0;
	for (int j = 0; j < 4; j++) {
		const int first = (j ^ c) & 1 ? (j & 1) == descends : j < c;
		rank += fabs(column[j] - column[c]) < GT_SF_ROUNDING ? first : column[j] < column[c];
	}
	return rank;
}

/* Changes of the column and the row of a point by velocities in the frame. */
GT_HD void gt_sf_point_change(const gt_sf *d, const gt_sf_pose *p, const double at[3], const double *velocity, double change[2])
{
	gt_sf_image m;
	double spin[3], moved[3];
	gt_sf_image_of(d, p, at, &m);
	gt_cross3(velocity + GT_VELOCITY_W, m.arm, spin);
	for (int a = 0; a < 3; a++)
		moved[a] = m.a * velocity[GT_VELOCITY_T + a] + m.b * velocity[GT_VELOCITY_V + a] - spin[a];
	for (int s = 0; s < 2; s++)
		change[s] = gt_dot3(m.e[s], moved);
}
/* The transpose: adds to by. */
GT_HD void gt_sf_point_back(const gt_sf *d, const gt_sf_pose *p, const double at[3], double column, double row, double by[GT_VELOCITIES])
{
	gt_sf_image m;
	double e[3], torque[3];
	gt_sf_image_of(d, p, at, &m);
	for (int a = 0; a < 3; a++)
		e[a] = column * m.e[0][a] + row * m.e[1][a];
	gt_cross3(m.arm, e, torque);
	for (int a = 0; a < 3; a++) {
		by[GT_VELOCITY_T + a] += m.a * e[a];
		by[GT_VELOCITY_W + a] -= torque[a];
		by[GT_VELOCITY_V + a] += m.b * e[a];
	}
}

/* The chord is |e| / max(|a|, |b|), e = (a dx, b dy), along the ray of the voxel's centre: its derivatives by V. For
 * parallel rays the derivatives by T are opposite. */
GT_HD void gt_sf_chord_by(const gt_sf *d, const gt_sf_view *v, const gt_sf_pose *p, const int at[2], double by[3])
{
	const int x = at[0], y = at[1];
	double of[2];
	const double e[2] = { v->toward[0][0] + v->toward[0][1] * x, v->toward[1][0] + v->toward[1][1] * y };
	const double mm[2] = { e[0] * d->pitch[0], e[1] * d->pitch[1] }, square = mm[0] * mm[0] + mm[1] * mm[1];
	const int max = !(fabs(e[0]) > fabs(e[1]) * (1 + GT_SF_ROUNDING));
	const double chord = sqrt(square) / fabs(e[max]);
	for (int a = 0; a < 2; a++)
		of[a] = -chord * (mm[a] / square - (a == max ? 1 / mm[a] : 0));
	for (int a = 0; a < 3; a++)
		by[a] = p->axis[a][0] * of[0] + p->axis[a][1] * of[1];
}

GT_HD double gt_sf_chord_change(const gt_sf *d, const gt_sf_view *v, const gt_sf_pose *p, const int at[2], const double *velocity)
{
	double by[3];
	gt_sf_chord_by(d, v, p, at, by);
	return gt_dot3(by, velocity + GT_VELOCITY_V) - (p->detector.shape == GT_PARALLEL ? gt_dot3(by, velocity + GT_VELOCITY_T) : 0);
}
GT_HD void gt_sf_chord_back(const gt_sf *d, const gt_sf_view *v, const gt_sf_pose *p, const int at[2], double change,
                            double by[GT_VELOCITIES])
{
	double chord[3];
	gt_sf_chord_by(d, v, p, at, chord);
	for (int a = 0; a < 3; a++) {
		by[GT_VELOCITY_V + a] += change * chord[a];
		by[GT_VELOCITY_T + a] -= p->detector.shape == GT_PARALLEL ? change * chord[a] : 0;
	}
}

/* Derivatives of gt_sf_area() by the four columns. */
GT_HD void gt_sf_area_by(const gt_sf_trapezoid *t, double s, double by[4])
{
	const double *at = t->at, up = gt_sf_within(s, at[0], at[1]), down = gt_sf_within(s, at[2], at[3]);
	const double rise = up * 2 * t->rise, fall = down * 2 * t->fall; /* fractions of the flanks */
	const double low = at[1] > at[0] ? rise : s > at[0], high = at[3] > at[2] ? fall : s > at[2], half = 0.5;
	by[0] = -low + half * low * low;
	by[1] = -half * low * low;
	by[2] = high - half * high * high;
	by[3] = half * high * high;
}
/* Returns w1 of column k; by: its derivatives by the four columns of the footprint. */
GT_HD double gt_sf_column_by(const gt_sf_trapezoid *t, int k, double by[4])
{
	const double from = k, to = k + 1;
	double below[4];
	gt_sf_area_by(t, from, below);
	gt_sf_area_by(t, to, by);
	for (int c = 0; c < 4; c++)
		by[c] -= below[c];
	return gt_sf_area(t, to) - gt_sf_area(t, from);
}

/* The slant of pixel (column k, ascending row l) and its derivatives. */
GT_HD double gt_sf_slant_by(const gt_sf_pose *p, int k, int l, double by[GT_VELOCITIES])
{
	const double row = p->flip_rows ? p->rows - 1 - l : l;
	double point[3], e[3], arm[3], g[3], torque[3];
	gt_pixel_ray(&p->detector, p->view, k, row, point, e);
	const int fan = p->detector.shape != GT_PARALLEL;
	const double square = e[0] * e[0] + e[1] * e[1], slant = sqrt(1 + e[2] * e[2] / square);
	for (int a = 0; a < 3; a++) {
		arm[a] = point[a] + e[a] - p->view->detector[a];
		g[a] = a == 2 ? e[2] / (square * slant) : -e[2] * e[2] * e[a] / (square * square * slant);
	}
	gt_cross3(arm, g, torque);
	for (int a = 0; a < 3; a++) {
		by[GT_VELOCITY_T + a] = g[a];
		by[GT_VELOCITY_W + a] = fan ? torque[a] : 0;
		by[GT_VELOCITY_V + a] = -g[a];
	}
	return slant;
}

/* Pixels that a footprint meets, or would meet moved up: columns [k0, k1), ascending rows [l0, l1). */
typedef struct { int k0, k1, l0, l1; } gt_sf_window;
GT_HD gt_sf_window gt_sf_window_of(const gt_sf *d, const gt_sf_voxel *v)
{
	const double *at = v->columns.at;
	gt_sf_window w;
	w.k0 = at[0] > 0 ? at[0] < d->columns ? (int)at[0] : d->columns : 0;
	w.l0 = v->low > 0 ? v->low < d->rows ? (int)v->low : d->rows : 0;
	w.k1 = at[3] < d->columns ? at[3] >= w.k0 ? (int)at[3] + 1 : w.k0 : d->columns;
	w.l1 = v->high < d->rows ? v->high >= w.l0 ? (int)v->high + 1 : w.l0 : d->rows;
	return w;
}
#endif
