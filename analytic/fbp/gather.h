#ifndef GT_ANALYTIC_FBP_GATHER_H
#define GT_ANALYTIC_FBP_GATHER_H
/* Transpose of the backprojection for adjacent samples of a column of a filtered view, shared by C and CUDA. Sums the
 * voxels that interpolate at each sample, times their weights in fbp_math.h. Visits the planes of voxels across the ray
 * in order, and in each plane only the voxels in the support. In double; only the volume has its type. */
#include <gantry/array.h>
#include "analytic/fbp/fbp_math.h"

enum { GT_GATHER_ROWS = 8 }; /* samples at a time */

/* The first sample, and the volume [z][y][x]. */
struct gt_gather {
	const struct gt_back_grid *grid;
	const struct gt_back_view *view;
	const void *x;
	gt_type type;
	size_t column, row;
};

GT_HD double gt_gather_voxel(const struct gt_gather *a, size_t ix, size_t iy, size_t iz)
{
	const size_t i = (iz * a->grid->n[1] + iy) * a->grid->n[0] + ix;
	return a->type == GT_F32 ? (double)((const float *)a->x)[i] : ((const double *)a->x)[i];
}

GT_HD double gt_gather_at(const struct gt_back_grid *g, int axis, double i) { return g->first[axis] + i * g->pitch[axis]; }

/* As the backprojection, which compares hypot(), a slow function. */
GT_HD int gt_gather_masks(const struct gt_back_grid *g, double x, double y)
{
	x -= g->center[0];
	y -= g->center[1];
	const double d = x * x + y * y, most = g->radius * g->radius;
	if (d < most * (1 - 1e-12))
		return 0;
	return d > most * (1 + 1e-12) || !(hypot(x, y) <= g->radius);
}

/* Weight of sample i in the linear interpolation at a position. */
GT_HD double gt_gather_weight(double position, size_t i) { return fmax(0.0, 1 - fabs(position - (double)i)); }

/* Indices low ... high of n, rounded outwards. */
GT_HD void gt_gather_clip(double low, double high, size_t n, size_t *first, size_t *end)
{
	low = ceil(low - 1e-6);
	high = floor(high + 1e-6) + 1;
	*first = low > 0 ? low < (double)n ? (size_t)low : n : 0;
	*end = high > 0 ? high < (double)n ? (size_t)high : n : 0;
}

/* Smallest range that holds n positions. Positions of rays that miss the plane give all indices. */
GT_HD void gt_gather_hull(const double *position, int n, size_t size, size_t *first, size_t *end)
{
	double low = position[0], high = position[0];
	int valid = 1;
	for (int i = 0; i < n; i++) {
		valid = valid && fabs(position[i]) < 1e15;
		low = fmin(low, position[i]);
		high = fmax(high, position[i]);
	}
	*first = 0;
	*end = size;
	if (valid)
		gt_gather_clip(low, high, size, first, end);
}

/* Upright rows --------------------------------------------------------- */

/* Adds the column of voxels at (ix, iy). */
GT_HD void gt_gather_column(const struct gt_gather *a, size_t ix, size_t iy, double *sum)
{
	const struct gt_back_grid *g = a->grid;
	const struct gt_back_view *w = a->view;
	const double x = gt_gather_at(g, 0, (double)ix), y = gt_gather_at(g, 1, (double)iy), last = (double)g->rows - 1;
	double column, lambda;
	if (gt_gather_masks(g, x, y) || !gt_back_column(g->shape, w, x, y, &column, &lambda) ||
	    !(column >= 0 && column <= (double)(g->wide - 1)))
		return;
	const double weight = gt_gather_weight(column, a->column) * lambda * lambda;
	if (!(weight > 0))
		return;
	const double row = w->row0 + lambda * (g->first[2] - w->z0) * w->per_row, step = lambda * g->pitch[2] * w->per_row;
	const double slices = 1 / step;
	size_t from = 0, to = g->n[2];
	if (!g->clamp_rows)
		gt_back_slices(row, step, g->rows, g->n[2], &from, &to);
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
	for (int j = 0; j < GT_GATHER_ROWS; j++) {
		const size_t l = a->row + (size_t)j;
		size_t first, end;
		double part = 0;
		gt_gather_clip(l ? ((double)l - 1 - row) * slices : 0, l + 1 < g->rows ? ((double)l + 1 - row) * slices : (double)g->n[2],
		               g->n[2], &first, &end);
		first = first > from ? first : from;
		end = end < to ? end : to;
		for (size_t z = first; z < end; z++)
			part += gt_gather_weight(fmin(fmax(row + (double)z * step, 0.0), last), l) * gt_gather_voxel(a, ix, iy, z);
		sum[j] += weight * part;
	}
}

/* Line of a column in the x-y plane: normal . (x, y, 1) = 0. */
GT_HD void gt_gather_line(gt_shape shape, const struct gt_back_view *w, double column, double normal[3])
{
	double a = column - w->column0, d = 1;
	if (shape == GT_PARALLEL) {
		normal[0] = w->across[0];
		normal[1] = w->across[1];
		normal[2] = w->across[2] - a;
		return;
	}
	if (shape == GT_ARC) {
		d = w->radius * cos(a / w->per_column) - w->offset[0];
		a = w->radius * sin(a / w->per_column) - w->offset[1];
	}
	for (int i = 0; i < 3; i++)
		normal[i] = w->across[i] * d - w->depth[i] * a;
}

/* Index along `axis` where the line meets the plane of the other axis; NAN behind the source. */
GT_HD double gt_gather_meet(const struct gt_back_grid *g, const struct gt_back_view *w, const double normal[3], int axis, double plane)
{
	const double at = -(normal[1 - axis] * plane + normal[2]) / normal[axis];
	if (g->shape != GT_PARALLEL && !(w->depth[axis] * at + w->depth[1 - axis] * plane + w->depth[2] > 0))
		return NAN;
	return (at - g->first[axis]) / g->pitch[axis];
}

GT_HD void gt_gather_upright(const struct gt_gather *a, double *sum)
{
	const struct gt_back_grid *g = a->grid;
	double left[3], middle[3], right[3];
	gt_gather_line(g->shape, a->view, (double)a->column - 1, left);
	gt_gather_line(g->shape, a->view, (double)a->column, middle);
	gt_gather_line(g->shape, a->view, (double)a->column + 1, right);
	const int axis = fabs(middle[0]) * g->pitch[0] < fabs(middle[1]) * g->pitch[1];
	for (size_t p = 0; p < g->n[1 - axis]; p++) {
		const double plane = gt_gather_at(g, 1 - axis, (double)p);
		const double ends[2] = { gt_gather_meet(g, a->view, left, axis, plane), gt_gather_meet(g, a->view, right, axis, plane) };
		size_t first, end;
		gt_gather_hull(ends, 2, g->n[axis], &first, &end);
		for (size_t i = first; i < end; i++)
			gt_gather_column(a, axis ? p : i, axis ? i : p, sum);
	}
}

/* Views with a matrix --------------------------------------------------- */

GT_HD double gt_gather_point(const struct gt_gather *a, const size_t i[3])
{
	const struct gt_back_grid *g = a->grid;
	const double x = gt_gather_at(g, 0, (double)i[0]), y = gt_gather_at(g, 1, (double)i[1]), z = gt_gather_at(g, 2, (double)i[2]);
	double column, row, lambda;
	if (gt_gather_masks(g, x, y) || !gt_back_point(a->view, x, y, z, &column, &row, &lambda) ||
	    !gt_back_sees(column, row, g->wide, g->rows, g->clamp_rows))
		return 0;
	const double weight = gt_gather_weight(column, a->column) * gt_gather_weight(fmin(fmax(row, 0.0), (double)g->rows - 1), a->row);
	return weight > 0 ? weight * lambda * lambda * gt_gather_voxel(a, i[0], i[1], i[2]) : 0;
}

/* Plane of the points that project to a column (which = 0) or a row (1): normal . (x, y, z, 1) = 0. */
GT_HD void gt_gather_plane(const struct gt_back_view *w, int which, double value, double normal[4])
{
	for (int i = 0; i < 4; i++)
		normal[i] = w->matrix[4 * which + i] - value * w->matrix[8 + i];
}

/* Axis of the grid along which the ray of the sample advances by most voxels. */
GT_HD int gt_gather_axis(const struct gt_gather *a)
{
	double p[4], q[4], most = -1;
	int axis = 0;
	gt_gather_plane(a->view, 0, (double)a->column, p);
	gt_gather_plane(a->view, 1, (double)a->row, q);
	for (int i = 0; i < 3; i++) {
		const int j = (i + 1) % 3, k = (i + 2) % 3;
		const double voxels = fabs(p[j] * q[k] - p[k] * q[j]) / a->grid->pitch[i];
		if (voxels > most) {
			most = voxels;
			axis = i;
		}
	}
	return axis;
}

/* Corner of the support in the plane x[axis[0]]: indices along axis[1] and axis[2]. A sample whose row is clamped
 * extends over all indices of axis[2]. */
GT_HD void gt_gather_corner(const struct gt_gather *a, const int axis[3], double plane, int c, double *b, double *e)
{
	const struct gt_back_grid *g = a->grid;
	const int clamped = g->clamp_rows && (a->row == 0 || a->row + 1 == g->rows);
	double p[4], q[4], x[3];
	gt_gather_plane(a->view, 0, (double)a->column + (c & 1 ? 1 : -1), p);
	x[axis[0]] = plane;
	if (clamped) {
		x[axis[2]] = gt_gather_at(g, axis[2], c & 2 ? (double)g->n[axis[2]] - 1 : 0);
		x[axis[1]] = -(p[axis[0]] * plane + p[axis[2]] * x[axis[2]] + p[3]) / p[axis[1]];
	} else {
		gt_gather_plane(a->view, 1, (double)a->row + (c & 2 ? 1 : -1), q);
		const double u = -(p[axis[0]] * plane + p[3]), v = -(q[axis[0]] * plane + q[3]);
		const double det = p[axis[1]] * q[axis[2]] - p[axis[2]] * q[axis[1]];
		x[axis[1]] = (u * q[axis[2]] - v * p[axis[2]]) / det;
		x[axis[2]] = (p[axis[1]] * v - q[axis[1]] * u) / det;
	}
	const int seen = gt_back_dot(a->view->matrix + 8, x[0], x[1], x[2]) > 0;
	*b = seen ? (x[axis[1]] - g->first[axis[1]]) / g->pitch[axis[1]] : NAN;
	*e = seen ? (x[axis[2]] - g->first[axis[2]]) / g->pitch[axis[2]] : NAN;
}

GT_HD double gt_gather_tilted(const struct gt_gather *a)
{
	const struct gt_back_grid *g = a->grid;
	const int along = gt_gather_axis(a), axis[3] = { along, along == 0, along == 2 ? 1 : 2 };
	double sum = 0, b[4], e[4];
	for (size_t p = 0; p < g->n[along]; p++) {
		size_t i[3], first[2], end[2];
		for (int c = 0; c < 4; c++)
			gt_gather_corner(a, axis, gt_gather_at(g, along, (double)p), c, b + c, e + c);
		gt_gather_hull(b, 4, g->n[axis[1]], &first[0], &end[0]);
		gt_gather_hull(e, 4, g->n[axis[2]], &first[1], &end[1]);
		i[along] = p;
		for (i[axis[2]] = first[1]; i[axis[2]] < end[1]; i[axis[2]]++)
			for (i[axis[1]] = first[0]; i[axis[1]] < end[0]; i[axis[1]]++)
				sum += gt_gather_point(a, i);
	}
	return sum;
}

/* Values of the samples (column, row) ... (column, row + GT_GATHER_ROWS - 1), undefined beyond the last row. */
GT_HD void gt_gather(const struct gt_gather *a, double sum[GT_GATHER_ROWS])
{
	for (int j = 0; j < GT_GATHER_ROWS; j++)
		sum[j] = 0;
	if (!a->grid->tilted) {
		gt_gather_upright(a, sum);
		return;
	}
	struct gt_gather one = *a;
	for (int j = 0; j < GT_GATHER_ROWS && one.row < a->grid->rows; j++, one.row++)
		sum[j] = gt_gather_tilted(&one);
}

#endif
