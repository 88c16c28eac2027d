#ifndef GT_PROJECTORS_SF_SF_VOXELS_H
#define GT_PROJECTORS_SF_SF_VOXELS_H
/* Derivative of sf-tr voxel by voxel, for views that are not upright, for C and CUDA.
 *
 * A footprint depends on six points of its voxel. They are the corners of the central slice, in the order of
 * gt_sf_voxel_of(), and the centres of the lower and the upper face. */
#include "projectors/sf/sf_motion.h"

/* Quantities of a footprint: four columns in ascending order, rows of the lower and the upper face, chord. */
enum { GT_SF_LOW = 4, GT_SF_HIGH, GT_SF_CHORD, GT_SF_QUANTITIES, GT_SF_POINTS = 6 };

/* Point i of a voxel, in voxels. */
GT_HD void gt_sf_point_at(const int voxel[3], int i, double at[3])
{
	at[0] = voxel[0] + (i < 4 ? (i & 1) - 0.5 : 0);
	at[1] = voxel[1] + (i < 4 ? (i >> 1) - 0.5 : 0);
	at[2] = voxel[2] + (i < 4 ? 0 : i - 4.5);
}

GT_HD int gt_sf_snapped_voxel(const gt_sf *d, const gt_sf_view *v, int x, int y, int z, gt_sf_voxel *s)
{
	if (!gt_sf_voxel_of(d, v, x, y, z, s))
		return 0;
	gt_sf_snap_columns(&s->columns);
	s->low = gt_sf_snap(s->low);
	s->high = gt_sf_snap(s->high);
	return 1;
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
		g->rank[i] = gt_sf_rank(k, i);
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

/* Sets the changes of the quantities of a voxel by velocities in the frame of the pose. */
GT_HD void gt_sf_changes(const gt_sf *d, const gt_sf_view *v, const gt_sf_pose *p, const int at[3], const double *velocity,
                         double change[GT_SF_QUANTITIES])
{
	double half = 0, middle = 0;
	gt_sf_gradients g;
	gt_sf_gradients_of(d, v, at, &g);
	for (int i = 0; i < GT_SF_POINTS; i++) {
		double point[3], moved[2];
		gt_sf_point_at(at, i, point);
		gt_sf_point_change(d, p, point, velocity, moved);
		half += g.half[i][0] * moved[0] + g.half[i][1] * moved[1];
		if (i < 4)
			change[g.rank[i]] = moved[0];
		else
			middle += 0.5 * moved[1];
	}
	change[GT_SF_LOW] = middle - half;
	change[GT_SF_HIGH] = middle + half;
	change[GT_SF_CHORD] = gt_sf_chord_change(d, v, p, at, velocity);
}

/* The transpose of gt_sf_changes(): adds to by, in the frame. */
GT_HD void gt_sf_changes_back(const gt_sf *d, const gt_sf_view *v, const gt_sf_pose *p, const int at[3],
                              const double change[GT_SF_QUANTITIES], double by[GT_VELOCITIES])
{
	const double half = change[GT_SF_HIGH] - change[GT_SF_LOW], middle = 0.5 * (change[GT_SF_HIGH] + change[GT_SF_LOW]);
	gt_sf_gradients g;
	gt_sf_gradients_of(d, v, at, &g);
	for (int i = 0; i < GT_SF_POINTS; i++) {
		double point[3];
		gt_sf_point_at(at, i, point);
		gt_sf_point_back(d, p, point, half * g.half[i][0] + (i < 4 ? change[g.rank[i]] : 0),
		                 half * g.half[i][1] + (i < 4 ? 0 : middle), by);
	}
	gt_sf_chord_back(d, v, p, at, change[GT_SF_CHORD], by);
}

/* Returns w2 of row l; low, high: its derivatives by the rows of the faces. */
GT_HD double gt_sf_row_by(const gt_sf_voxel *v, int l, double *low, double *high)
{
	*low = (l > v->low) - (l + 1 > v->low);
	*high = (l + 1 > v->high) - (l > v->high);
	return gt_sf_rise(v, l + 1) - gt_sf_rise(v, l);
}

/* Returns the projection of a voxel of value 1 onto pixel (k, l), without the slant. Adds `value` times its derivatives
 * to by, in the frame, unless by is NULL. */
GT_HD double gt_sf_voxel_pixel_by(const gt_sf *d, const gt_sf_view *v, const gt_sf_pose *p, const int at[3], const int pixel[2],
                                  double value, double by[GT_VELOCITIES])
{
	const int k = pixel[0], l = pixel[1];
	double change[GT_SF_QUANTITIES], low, high;
	gt_sf_voxel s;
	if (!gt_sf_snapped_voxel(d, v, at[0], at[1], at[2], &s) || s.columns.at[0] >= k + 1 || s.columns.at[3] < k || s.low >= l + 1 ||
	    s.high < l)
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
	gt_sf_wedge w = gt_sf_wedge_of(&v->frame, pixel[0] - GT_SF_MARGIN, pixel[0] + 1);
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
