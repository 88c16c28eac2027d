#ifndef GT_PROJECTORS_RAY_RAY_WALK_H
#define GT_PROJECTORS_RAY_RAY_WALK_H
/* The coefficients of the ray-driven models, defined only here. The ray of a pixel runs from the source through the
 * pixel's centre. It is cut into slices perpendicular to its dominant axis d, the axis with the most slice crossings (a
 * tie goes to y, then x). Each slice n has a few voxels, weighted by fractions of the ray's length within a slice.
 *
 * Joseph: bilinear interpolation at the point where the ray meets the centre of the slice; voxels outside are zero
 * (Joseph, IEEE Trans. Med. Imaging 1 (1982) 192). Siddon: the length within each voxel (Siddon, Med. Phys. 12 (1985)
 * 252). Along d a ray crosses at most one face of each other axis per slice, so at most three voxels share it. A ray
 * within a face belongs to the upper voxel.
 *
 * Lengths are in voxels of each axis, voxel i = [i, i+1], slices likewise. Positions are products and sums rounded once
 * (fma), so that every compiler and device finds the same voxels. */
#include <gantry/author/scan_math.h>

typedef enum { GT_RAY_JOSEPH, GT_RAY_SIDDON } gt_ray_model;

/* Fan beam: the rays of column k start at base and run along column[k] + l row. Parallel beam: they pass through
 * column[k] + l row, along base. */
typedef struct { double base[3], row[3]; } gt_ray_view;
typedef struct { double at[3]; } gt_ray_column;

/* Parameters of the kernels, passed by value; the tables are on the backend. */
typedef struct {
	int n[3], rows, columns, fan;
	size_t views;
	double pitch[3];                /* mm */
	const gt_ray_view *view;        /* [views] */
	const gt_ray_column *column;    /* [views][columns] */
} gt_rays;

/* Positions along the axes b and c (in ascending order, without d): at[] + n step[] in slice n. Joseph: at the centre
 * of the slice, relative to the centre of voxel 0. Siddon: at its lower face, relative to the edge of voxel 0. */
typedef struct {
	int d, b, c;
	int first, end;                 /* slices in front of the source */
	double at[2], step[2];
	double length;                  /* within one slice, mm */
} gt_ray;

typedef struct { int b, c; double weight; } gt_ray_tap;
#define GT_RAY_TAPS 4

GT_HD double gt_ray_pick(const double *x, int axis) { return axis == 0 ? x[0] : axis == 1 ? x[1] : x[2]; }
GT_HD int gt_ray_pick_size(const int *n, int axis) { return axis == 0 ? n[0] : axis == 1 ? n[1] : n[2]; }

/* The axis with the most slices; directions that differ only by rounding give the same axis. */
GT_HD int gt_ray_axis(const double *e)
{
	const double x = fabs(e[0]), y = fabs(e[1]), z = fabs(e[2]);
	const int d = x > y * (1 + 1e-12) ? 0 : 1;
	return z > (d ? y : x) * (1 + 1e-12) ? 2 : d;
}

/* A ray lies in a face if it deviates by less than this, in voxels, over the whole grid. */
#define GT_RAY_NEARLY 1e-7
GT_HD int gt_ray_settled(double step, int slices) { return fabs(step * slices) <= GT_RAY_NEARLY; }
GT_HD void gt_ray_settle(double *at, double *step, int slices)
{
	if (!gt_ray_settled(*step, slices))
		return;
	const double middle = fma(0.5, *step * slices, *at), face = rint(middle);
	*at = fabs(middle - face) <= GT_RAY_NEARLY ? face : middle;
	*step = 0;
}

/* Restricts the ray to slices with centres in front of the source. */
GT_HD void gt_ray_start(double source, double direction, gt_ray *r)
{
	const double nearly = 1e-9, low = floor(source - 0.5 + nearly) + 1, high = ceil(source - 0.5 - nearly);
	if (direction > 0 && low > r->first)
		r->first = low < r->end ? (int)low : r->end;
	if (direction < 0 && high < r->end)
		r->end = high > r->first ? (int)high : r->first;
}

/* Returns 1 if a source outside the grid emits the ray away from it. The grid is convex, so a ray's line meets it
 * entirely before or after the source. */
GT_HD int gt_ray_leaves(const int *n, const double *source, const double *direction)
{
	int away = 0;
	for (int a = 0; a < 3; a++)
		away |= (direction[a] > 0 && source[a] >= n[a]) || (direction[a] < 0 && source[a] <= 0);
	return away;
}

/* The ray of (column, row) of a view. */
GT_HD void gt_ray_make(const gt_rays *g, gt_ray_model model, const gt_ray_view *v, const gt_ray_column *column, int row, gt_ray *r)
{
	double moved[3], mm[3];
	for (int a = 0; a < 3; a++)
		moved[a] = fma((double)row, v->row[a], column->at[a]);
	const double *point = g->fan ? v->base : moved, *e = g->fan ? moved : v->base;
	for (int a = 0; a < 3; a++)
		mm[a] = e[a] * g->pitch[a];
	r->d = gt_ray_axis(e);
	r->b = r->d == 0 ? 1 : 0;
	r->c = r->d == 2 ? 1 : 2;
	const double ed = gt_ray_pick(e, r->d), pd = gt_ray_pick(point, r->d);
	r->length = sqrt(fma(mm[0], mm[0], fma(mm[1], mm[1], mm[2] * mm[2]))) / fabs(ed);
	r->first = 0;
	r->end = gt_ray_pick_size(g->n, r->d);
	for (int i = 0; i < 2; i++) {
		const int axis = i ? r->c : r->b;
		r->step[i] = gt_ray_pick(e, axis) / ed;
		r->at[i] = fma(-pd, r->step[i], gt_ray_pick(point, axis));
		if (model == GT_RAY_JOSEPH)
			r->at[i] = fma(0.5, r->step[i], r->at[i]) - 0.5;
		else
			gt_ray_settle(&r->at[i], &r->step[i], r->end);
	}
	if (g->fan && model == GT_RAY_JOSEPH)
		gt_ray_start(pd, ed, r);
	else if (g->fan && gt_ray_leaves(g->n, point, e))
		r->end = 0;
}

/* Drops slices in which no voxel in [low, high) of the axis (0: b, 1: c) can have a weight; one or two slices without
 * weight may remain. */
GT_HD void gt_ray_clip(int axis, int low, int high, gt_ray *r)
{
	const double at = r->at[axis], step = r->step[axis], below = low - 1.5 - at, above = high + 1.5 - at;
	if (step == 0) {
		if (below > 0 || above < 0)
			r->end = r->first;
		return;
	}
	const double one = below / step, two = above / step, from = one < two ? one : two, to = one < two ? two : one;
	if (from > r->first)
		r->first = from < r->end ? (int)from : r->end;
	if (to + 1 < r->end)
		r->end = to + 1 > r->first ? (int)(to + 1) : r->first;
}

GT_HD double gt_ray_at(const gt_ray *r, int axis, double n) { return fma(n, r->step[axis], r->at[axis]); }

/* Siddon along one axis: from voxel i into voxel j at the fraction t of slice n; i = j and t = 1 if no face is
 * crossed. */
GT_HD double gt_ray_cross(const gt_ray *r, int axis, int n, int *i, int *j)
{
	const double in = gt_ray_at(r, axis, n), low = floor(in), step = r->step[axis];
	*i = *j = (int)low;
	if (low == floor(gt_ray_at(r, axis, n + 1.0)))
		return 1;
	*j += step > 0 ? 1 : -1;
	return fmin((low + (step > 0) - in) / step, 1.0);
}

/* Sets the voxels of slice n, including those outside the grid, and their fractions of the length. Returns their
 * number. */
GT_HD int gt_ray_taps(gt_ray_model model, const gt_ray *r, int n, gt_ray_tap *tap)
{
	if (model == GT_RAY_JOSEPH) {
		const double p = gt_ray_at(r, 0, n), q = gt_ray_at(r, 1, n), i = floor(p), j = floor(q), f = p - i, h = q - j;
		tap[0].b = tap[2].b = (int)i;
		tap[1].b = tap[3].b = (int)i + 1;
		tap[0].c = tap[1].c = (int)j;
		tap[2].c = tap[3].c = (int)j + 1;
		tap[0].weight = (1 - f) * (1 - h);
		tap[1].weight = f * (1 - h);
		tap[2].weight = (1 - f) * h;
		tap[3].weight = f * h;
		return 4;
	}
	const double s = gt_ray_cross(r, 0, n, &tap[0].b, &tap[2].b), t = gt_ray_cross(r, 1, n, &tap[0].c, &tap[2].c);
	tap[1].b = s < t ? tap[2].b : tap[0].b;
	tap[1].c = s < t ? tap[0].c : tap[2].c;
	tap[0].weight = s < t ? s : t;
	tap[1].weight = fabs(t - s);
	tap[2].weight = 1 - (s < t ? t : s);
	return 3;
}
#endif
