#ifndef GT_PROJECTORS_SF_SF_LINES_H
#define GT_PROJECTORS_SF_SF_LINES_H
/* Derivative of sf-tr for a column of voxels of an upright view, for C and CUDA.
 *
 * Its slices share the columns and the chord of their footprints. Its rows are cut at the edges start + e step. By
 * velocities, the columns change linearly in z and the rows as polynomials of second degree. The height of a voxel
 * changes by the roll alone, times a linear function of z. So the transpose needs moments along z:
 *
 *   x[z] F_k(z) t^i, summed over the slices. F_k: integral of column k of the image between two edges.
 *   q(e) (x[e-1] - x[e]) t^i, summed over the edges. q(e): the pixels at edge e, times w1.
 *   x[z] (q(z) + q(z+1)) t^i, summed over the slices.
 *
 * t rises from -1 at the lowest to 1 at the highest edge. The changes are evaluated at t = -1, 0 and 1 alone. The
 * forward direction adds the same terms to the pixels. An edge between two rows belongs to the upper one, also after
 * rounding. */
#include <limits.h>
#include "projectors/sf/sf_motion.h"

enum { GT_SF_RUN = 3 /* columns of pixels per pass of the transpose */ };

/* Position of an edge, as a fixed-point number of rows for single precision. */
typedef struct { long long at, step; } gt_sf_climb_f;
GT_HD gt_sf_climb_f gt_sf_climb_from_f(const gt_sf *d, const gt_sf_rows *r, int z)
{
	gt_sf_climb_f c;
	c.step = (long long)(r->step * 0x1p32 + 0.5);
	c.at = (long long)floor(r->start * 0x1p32) + d->n[2] + 2 + z * c.step;
	return c;
}
GT_HD void gt_sf_climb_up_f(gt_sf_climb_f *c) { c->at += c->step; }
GT_HD int gt_sf_climb_row_f(const gt_sf_climb_f *c) { return (int)(c->at >> 32); }
GT_HD float gt_sf_climb_part_f(const gt_sf_climb_f *c, int row)
{
	(void)row;
	return (float)(unsigned)c->at * 0x1p-32f;
}

typedef struct { double start, step, at; int z; } gt_sf_climb;
GT_HD gt_sf_climb gt_sf_climb_from(const gt_sf *d, const gt_sf_rows *r, int z)
{
	gt_sf_climb c;
	(void)d;
	c.start = r->start;
	c.step = r->step;
	c.z = z;
	c.at = c.start + z * c.step;
	return c;
}
GT_HD void gt_sf_climb_up(gt_sf_climb *c) { c->at = c->start + ++c->z * c->step; }
GT_HD int gt_sf_climb_row(const gt_sf_climb *c) { return (int)floor(c->at + GT_SF_ROUNDING); }
GT_HD double gt_sf_climb_part(const gt_sf_climb *c, int row) { return c->at - row; }

/* Moves from slice 0 up by z edges. */
GT_HD void gt_sf_climb_by_f(gt_sf_climb_f *c, int z) { c->at += z * c->step; }
GT_HD void gt_sf_climb_by(gt_sf_climb *c, int z)
{
	c->z += z;
	c->at = c->start + c->z * c->step;
}
/* Number of the edges 0 to n that are below row l; c: edge 0. */
GT_HD int gt_sf_climb_find_f(const gt_sf_climb_f *c, int n, int l)
{
	const long long way = ((long long)l << 32) - c->at;
	if (way <= 0)
		return 0;
	const float guess = (float)way / (float)c->step;
	int e = guess < (float)n ? (int)guess : n;
	while (e > 0 && c->at + (e - 1) * c->step >= (long long)l << 32)
		e--;
	while (e <= n && c->at + e * c->step < (long long)l << 32)
		e++;
	return e;
}
GT_HD int gt_sf_climb_find(const gt_sf_climb *c, int n, int l)
{
	const double guess = (l - c->start) / c->step;
	int e = guess > 0 ? guess < n ? (int)guess : n : 0;
	while (e > 0 && c->start + (e - 1) * c->step + GT_SF_ROUNDING >= l)
		e--;
	while (e <= n && c->start + e * c->step + GT_SF_ROUNDING < l)
		e++;
	return e;
}

/* Moments or changes with powers of t. They belong to the four columns in ascending order, to the rows of the edges,
 * and to half the height of a voxel. The chord has none. */
typedef struct { double column[4][2], row[3], half[2], chord; } gt_sf_line;

#define REAL double
#define GT_SF(name) name
#include "projectors/sf/sf_lines.inc"
#undef REAL
#undef GT_SF
#define REAL float
#define GT_SF(name) name##_f
#include "projectors/sf/sf_lines.inc"
#undef REAL
#undef GT_SF

/* Weights of the sums of a row in column k: its change, and its projection without the slant. */
typedef struct { double first, second, all; } gt_sf_line_weights;
GT_HD gt_sf_line_weights gt_sf_line_weigh(const gt_sf_trapezoid *t, double chord, const gt_sf_line *m, int k)
{
	gt_sf_line_weights w;
	double by[4];
	const double column = gt_sf_column_by(t, k, by);
	w.all = chord * column;
	w.first = m->chord * column;
	w.second = 0;
	for (int c = 0; c < 4; c++) {
		w.first += chord * by[c] * m->column[c][0];
		w.second += chord * by[c] * m->column[c][1];
	}
	return w;
}

/* Footprint of a column of voxels; returns 0 if it is not in front of the source. */
GT_HD int gt_sf_footprint_at(const gt_sf *d, const gt_sf_view *v, int x, int y, gt_sf_footprint *s)
{
	const gt_sf_corner low[2] = { gt_sf_corner_at(v, x - 0.5, y - 0.5), gt_sf_corner_at(v, x + 0.5, y - 0.5) };
	const gt_sf_corner high[2] = { gt_sf_corner_at(v, x - 0.5, y + 0.5), gt_sf_corner_at(v, x + 0.5, y + 0.5) };
	if (!gt_sf_footprint_of(d, v, x, y, low, high, s))
		return 0;
	gt_sf_snap_columns(&s->columns);
	return 1;
}

/* Sets roll to the derivative of half the height of a voxel at t = -1 and 1, times the slices per row. It is a
 * derivative by the columns per row of a vertical line. corner: columns of the corners. */
GT_HD void gt_sf_line_roll(const gt_sf *d, const gt_sf_view *v, int x, int y, double corner[4], double roll[2])
{
	for (int end = 0; end < 2; end++) {
		const double z = end ? d->n[2] - 0.5 : -0.5;
		double kx = 0, ky = 0, lx = 0, ly = 0, row;
		for (int c = 0; c < 4; c++) {
			const double sx = (c & 1 ? 1 : -1) / d->pitch[0], sy = (c >> 1 ? 1 : -1) / d->pitch[1];
			gt_sf_point(v, x + (c & 1) - 0.5, y + (c >> 1) - 0.5, z, &corner[c], &row);
			kx += sx * corner[c];
			ky += sy * corner[c];
			lx += sx * row;
			ly += sy * row;
		}
		roll[end] = -0.5 * (kx * lx + ky * ly) / (kx * kx + ky * ky);
	}
}

/* Point i of 11: ends of the four vertical edges, then three points of the vertical line through the centre; returns
 * its t. */
GT_HD double gt_sf_line_place(const gt_sf *d, int x, int y, int i, double at[3])
{
	const double t = i < 8 ? 2 * (i & 1) - 1 : i - 9;
	at[0] = x + (i < 8 ? ((i >> 1) & 1) - 0.5 : 0);
	at[1] = y + (i < 8 ? (i >> 2) - 0.5 : 0);
	at[2] = 0.5 * (t + 1) * d->n[2] - 0.5;
	return t;
}

/* Adds the derivatives of a column of voxels to by, in the frame of the pose. */
GT_HD void gt_sf_line_back(const gt_sf *d, const gt_sf_view *v, const gt_sf_pose *p, int x, int y, const gt_sf_line *line,
                           double by[GT_VELOCITIES])
{
	double corner[4], roll[2];
	const int place[2] = { x, y };
	gt_sf_line_roll(d, v, x, y, corner, roll);
	/* The roll of a voxel is the difference of the columns of its faces: 1/n of the difference at the ends. */
	const double turn = 0.5 * (line->half[0] * (roll[0] + roll[1]) + line->half[1] * (roll[1] - roll[0])) / d->n[2];
	for (int i = 0; i < 11; i++) {
		double at[3];
		const double t = gt_sf_line_place(d, x, y, i, at);
		const double *k = line->column[i < 8 ? gt_sf_rank(corner, i >> 1) : 0];
		const double row = i == 9 ? line->row[0] - line->row[2] : 0.5 * (line->row[2] + t * line->row[1]);
		gt_sf_point_back(d, p, at, i < 8 ? 0.5 * (k[0] + t * k[1]) : t * turn, i < 8 ? 0 : row, by);
	}
	gt_sf_chord_back(d, v, p, place, line->chord, by);
}

/* The transpose of gt_sf_line_back(): sets the changes of a column of voxels by velocities in the frame. */
GT_HD void gt_sf_line_changes(const gt_sf *d, const gt_sf_view *v, const gt_sf_pose *p, int x, int y, const double *velocity,
                              gt_sf_line *line)
{
	double corner[4], roll[2], end[2] = { 0, 0 }, row[3] = { 0, 0, 0 }, turn = 0;
	const int place[2] = { x, y };
	gt_sf_line_roll(d, v, x, y, corner, roll);
	for (int i = 0; i < 11; i++) {
		double at[3], moved[2];
		const double t = gt_sf_line_place(d, x, y, i, at);
		gt_sf_point_change(d, p, at, velocity, moved);
		if (i >= 8) {
			row[i - 8] = moved[1];
			turn += t * moved[0] / d->n[2];
			continue;
		}
		end[i & 1] = moved[0];
		if (i & 1) {
			double *k = line->column[gt_sf_rank(corner, i >> 1)];
			k[0] = 0.5 * (end[0] + end[1]);
			k[1] = 0.5 * (end[1] - end[0]);
		}
	}
	line->row[0] = row[1];
	line->row[1] = 0.5 * (row[2] - row[0]);
	line->row[2] = 0.5 * (row[2] + row[0]) - row[1];
	line->half[0] = 0.5 * turn * (roll[0] + roll[1]);
	line->half[1] = 0.5 * turn * (roll[1] - roll[0]);
	line->chord = gt_sf_chord_change(d, v, p, place, velocity);
}
#endif
