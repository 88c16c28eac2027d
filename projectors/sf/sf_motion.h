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
 * A footprint depends on six points of its voxel. They are the corners of the central slice, in the order of
 * gt_sf_voxel_of(), and the centres of the lower and the upper face. */
#include "projectors/kit/motion.h"
#include "projectors/sf/sf_footprint.h"

/* Quantities of a footprint: four columns in ascending order, rows of the lower and the upper face, chord. */
enum { GT_SF_LOW = 4, GT_SF_HIGH, GT_SF_CHORD, GT_SF_QUANTITIES, GT_SF_POINTS = 6 };

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

/* Point i of a voxel, in voxels. */
GT_HD void gt_sf_point_at(const int voxel[3], int i, double at[3])
{
	at[0] = voxel[0] + (i < 4 ? (i & 1) - 0.5 : 0);
	at[1] = voxel[1] + (i < 4 ? (i >> 1) - 0.5 : 0);
	at[2] = voxel[2] + (i < 4 ? 0 : i - 4.5);
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

/* Ranks of the corners by their columns, and the derivatives of half the footprint's height by column and row of each
 * point: see gt_sf_voxel_of(). */
typedef struct { int rank[4]; double half[GT_SF_POINTS][2]; } gt_sf_gradients;

GT_HD void gt_sf_gradients_of(const gt_sf *d, const gt_sf_view *v, const int voxel[3], gt_sf_gradients *g)
{
	double k[GT_SF_POINTS], l[GT_SF_POINTS], kx = 0, ky = 0, lx = 0, ly = 0;
	for (int i = 0; i < GT_SF_POINTS; i++) {
		double at[3];
		gt_sf_point_at(voxel, i, at);
		gt_sf_point(v, at[0], at[1], at[2], &k[i], &l[i]);
	}
	for (int i = 0; i < 4; i++) {
		const double sx = (i & 1 ? 1 : -1) / d->pitch[0], sy = (i >> 1 ? 1 : -1) / d->pitch[1];
		kx += sx * k[i];
		ky += sy * k[i];
		lx += sx * l[i];
		ly += sy * l[i];
		g->rank[i] = 0;
		for (int j = 0; j < 4; j++)
			g->rank[i] += k[j] < k[i] || (k[j] == k[i] && j < i);
	}
	const double height = l[5] - l[4], roll = (k[5] - k[4]) / height, x1 = kx - roll * lx, y1 = ky - roll * ly;
	const double Q = x1 * x1 + y1 * y1, R = kx * kx + ky * ky, taller = sqrt(Q / R), half = 0.5 * taller * height;
	const double by_kx = half * (x1 / Q - kx / R), by_ky = half * (y1 / Q - ky / R);
	const double by_lx = -half * roll * x1 / Q, by_ly = -half * roll * y1 / Q, by_roll = -half * (x1 * lx + y1 * ly) / Q;
	for (int i = 0; i < 4; i++) {
		const double sx = (i & 1 ? 1 : -1) / d->pitch[0], sy = (i >> 1 ? 1 : -1) / d->pitch[1];
		g->half[i][0] = sx * by_kx + sy * by_ky;
		g->half[i][1] = sx * by_lx + sy * by_ly;
	}
	for (int f = 0; f < 2; f++) {
		g->half[4 + f][0] = (f ? 1 : -1) * by_roll / height;
		g->half[4 + f][1] = (f ? 1 : -1) * (0.5 * taller - by_roll * roll / height);
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
	const int max = !(fabs(e[0]) > fabs(e[1]));
	const double chord = sqrt(square) / fabs(e[max]);
	for (int a = 0; a < 2; a++)
		of[a] = -chord * (mm[a] / square - (a == max ? 1 / mm[a] : 0));
	for (int a = 0; a < 3; a++)
		by[a] = p->axis[a][0] * of[0] + p->axis[a][1] * of[1];
}

/* Sets the changes of the quantities of a voxel by velocities in the frame of the pose. */
GT_HD void gt_sf_changes(const gt_sf *d, const gt_sf_view *v, const gt_sf_pose *p, const int at[3], const double *velocity,
                         double change[GT_SF_QUANTITIES])
{
	const double *T = velocity + GT_VELOCITY_T, *V = velocity + GT_VELOCITY_V;
	double half = 0, middle = 0, chord[3];
	gt_sf_gradients g;
	gt_sf_gradients_of(d, v, at, &g);
	for (int i = 0; i < GT_SF_POINTS; i++) {
		gt_sf_image m;
		double point[3], turn[3], moved[3];
		gt_sf_point_at(at, i, point);
		gt_sf_image_of(d, p, point, &m);
		gt_cross3(velocity + GT_VELOCITY_W, m.arm, turn);
		for (int a = 0; a < 3; a++)
			moved[a] = m.a * T[a] + m.b * V[a] - turn[a];
		const double column = gt_dot3(m.e[0], moved), row = gt_dot3(m.e[1], moved);
		half += g.half[i][0] * column + g.half[i][1] * row;
		if (i < 4)
			change[g.rank[i]] = column;
		else
			middle += 0.5 * row;
	}
	gt_sf_chord_by(d, v, p, at, chord);
	change[GT_SF_LOW] = middle - half;
	change[GT_SF_HIGH] = middle + half;
	change[GT_SF_CHORD] = gt_dot3(chord, V);
	if (p->detector.shape == GT_PARALLEL)
		change[GT_SF_CHORD] -= gt_dot3(chord, T);
}

/* The transpose of gt_sf_changes(): adds to by, in the frame. */
GT_HD void gt_sf_changes_back(const gt_sf *d, const gt_sf_view *v, const gt_sf_pose *p, const int at[3],
                              const double change[GT_SF_QUANTITIES], double by[GT_VELOCITIES])
{
	const double half = change[GT_SF_HIGH] - change[GT_SF_LOW], middle = 0.5 * (change[GT_SF_HIGH] + change[GT_SF_LOW]);
	double chord[3];
	gt_sf_gradients g;
	gt_sf_gradients_of(d, v, at, &g);
	for (int i = 0; i < GT_SF_POINTS; i++) {
		gt_sf_image m;
		double point[3], e[3], torque[3];
		gt_sf_point_at(at, i, point);
		gt_sf_image_of(d, p, point, &m);
		const double column = half * g.half[i][0] + (i < 4 ? change[g.rank[i]] : 0);
		const double row = half * g.half[i][1] + (i < 4 ? 0 : middle);
		for (int a = 0; a < 3; a++)
			e[a] = column * m.e[0][a] + row * m.e[1][a];
		gt_cross3(m.arm, e, torque);
		for (int a = 0; a < 3; a++) {
			by[GT_VELOCITY_T + a] += m.a * e[a];
			by[GT_VELOCITY_W + a] -= torque[a];
			by[GT_VELOCITY_V + a] += m.b * e[a];
		}
	}
	gt_sf_chord_by(d, v, p, at, chord);
	for (int a = 0; a < 3; a++) {
		by[GT_VELOCITY_V + a] += change[GT_SF_CHORD] * chord[a];
		if (p->detector.shape == GT_PARALLEL)
			by[GT_VELOCITY_T + a] -= change[GT_SF_CHORD] * chord[a];
	}
}

#define REAL float
#define GT_SF(name) name##_f
#include "projectors/sf/sf_columns.inc"
#undef REAL
#undef GT_SF
#define REAL double
#define GT_SF(name) name
#include "projectors/sf/sf_columns.inc"
#undef REAL
#undef GT_SF
/* Returns w2 of row l; low, high: its derivatives by the rows of the faces. */
GT_HD double gt_sf_row_by(const gt_sf_voxel *v, int l, double *low, double *high)
{
	*low = (l > v->low) - (l + 1 > v->low);
	*high = (l + 1 > v->high) - (l > v->high);
	return gt_sf_rise(v, l + 1) - gt_sf_rise(v, l);
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

/* Returns the projection of a voxel of value 1 onto pixel (k, l), without the slant. Adds `value` times its derivatives
 * to by, in the frame, unless by is NULL. */
GT_HD double gt_sf_voxel_pixel_by(const gt_sf *d, const gt_sf_view *v, const gt_sf_pose *p, const int at[3], const int pixel[2],
                                  double value, double by[GT_VELOCITIES])
{
	const int k = pixel[0], l = pixel[1];
	double change[GT_SF_QUANTITIES], low, high;
	gt_sf_voxel s;
	if (!gt_sf_voxel_of(d, v, at[0], at[1], at[2], &s) || s.columns.at[0] >= k + 1 || s.columns.at[3] <= k || s.low >= l + 1 ||
	    s.high <= l)
		return 0;
	if (!by)
		return s.chord * (gt_sf_area(&s.columns, k + 1) - gt_sf_area(&s.columns, k)) * (gt_sf_rise(&s, l + 1) - gt_sf_rise(&s, l));
	const double column = gt_sf_column_by(&s.columns, k, change), row = gt_sf_row_by(&s, l, &low, &high);
	for (int c = 0; c < 4; c++)
		change[c] *= value * s.chord * row;
	change[GT_SF_LOW] = value * s.chord * column * low;
	change[GT_SF_HIGH] = value * s.chord * column * high;
	change[GT_SF_CHORD] = value * column * row;
	gt_sf_changes_back(d, v, p, at, change, by);
	return s.chord * column * row;
}

/* Pixels that a footprint meets: columns [k0, k1), ascending rows [l0, l1). */
typedef struct { int k0, k1, l0, l1; } gt_sf_window;
GT_HD gt_sf_window gt_sf_window_of(const gt_sf *d, const gt_sf_voxel *v)
{
	const double *at = v->columns.at;
	gt_sf_window w;
	w.k0 = at[0] > 0 ? at[0] < d->columns ? (int)at[0] : d->columns : 0;
	w.l0 = v->low > 0 ? v->low < d->rows ? (int)v->low : d->rows : 0;
	w.k1 = at[3] < d->columns ? at[3] > w.k0 ? (int)ceil(at[3]) : w.k0 : d->columns;
	w.l1 = v->high < d->rows ? v->high > w.l0 ? (int)ceil(v->high) : w.l0 : d->rows;
	return w;
}

/* by[q]: sum over the pixels of `image` [ascending row][column] times the derivative of the projection of a voxel by
 * quantity q. The image has type float if single. Returns 0 if the voxel meets no pixel. */
GT_HD int gt_sf_gather(const gt_sf *d, const gt_sf_voxel *v, double value, const void *image, int single,
                       double by[GT_SF_QUANTITIES])
{
	const gt_sf_window w = gt_sf_window_of(d, v);
	for (int q = 0; q < GT_SF_QUANTITIES; q++)
		by[q] = 0;
	for (int k = w.k0; k < w.k1; k++) {
		double row = 0, low = 0, high = 0, by_column[4];
		for (int l = w.l0; l < w.l1; l++) {
			const size_t at = (size_t)l * (size_t)d->columns + (size_t)k;
			const double y = single ? (double)((const float *)image)[at] : ((const double *)image)[at];
			double by_low, by_high;
			row += y * gt_sf_row_by(v, l, &by_low, &by_high);
			low += y * by_low;
			high += y * by_high;
		}
		const double column = gt_sf_column_by(&v->columns, k, by_column);
		for (int c = 0; c < 4; c++)
			by[c] += value * v->chord * by_column[c] * row;
		by[GT_SF_LOW] += value * v->chord * column * low;
		by[GT_SF_HIGH] += value * v->chord * column * high;
		by[GT_SF_CHORD] += value * column * row;
	}
	return w.k0 < w.k1 && w.l0 < w.l1;
}

/* Returns pixel (column k, ascending row l) of the projection of a volume, of type float if single, without the slant.
 * Adds its derivatives to by, in the frame of the pose, unless by is NULL. */
GT_HD double gt_sf_pixel_sum(const gt_sf *d, const gt_sf_view *v, const gt_sf_pose *p, const int pixel[2], const void *x, int single,
                             double by[GT_VELOCITIES])
{
	const int along = 1 - v->axis;
	gt_sf_wedge w = gt_sf_wedge_of(&v->frame, pixel[0], pixel[0] + 1);
	double plain = 0;
	gt_sf_wedge_rows(d, v, pixel[1], pixel[1] + 1, &w);
	for (int n = 0; n < d->n[v->axis]; n++) {
		int from, to, first, end;
		gt_sf_span(d, v, &w, n, &from, &to);
		for (int i = from; i < to; i++) {
			int at[3] = { along == 0 ? i : n, along == 0 ? n : i, 0 };
			gt_sf_interval(&w, 2, at, d->n[2], &first, &end);
			for (at[2] = first; at[2] < end; at[2]++) {
				const size_t j = ((size_t)at[2] * (size_t)d->n[1] + (size_t)at[1]) * (size_t)d->n[0] + (size_t)at[0];
				const double value = single ? (double)((const float *)x)[j] : ((const double *)x)[j];
				if (value != 0)
					plain += value * gt_sf_voxel_pixel_by(d, v, p, at, pixel, value, by);
			}
		}
	}
	return plain;
}

/* Sets by to the derivatives of a pixel. */
GT_HD void gt_sf_pixel_by(const gt_sf *d, const gt_sf_view *v, const gt_sf_pose *p, const int pixel[2], const void *x, int single,
                          double by[GT_VELOCITIES])
{
	double in_frame[GT_VELOCITIES], turn[GT_VELOCITIES];
	for (int c = 0; c < GT_VELOCITIES; c++)
		in_frame[c] = 0;
	const double plain = gt_sf_pixel_sum(d, v, p, pixel, x, single, in_frame), slant = gt_sf_slant_by(p, pixel[0], pixel[1], turn);
	for (int c = 0; c < GT_VELOCITIES; c++)
		by[c] = plain * turn[c];
	gt_sf_out_of_frame(p, slant, in_frame, by);
}
#endif
