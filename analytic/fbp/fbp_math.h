#ifndef GT_ANALYTIC_FBP_FBP_MATH_H
#define GT_ANALYTIC_FBP_FBP_MATH_H
/* Formulas of filtered backprojection per pixel and per column of voxels, shared by C and CUDA. Positions are in double
 * (once per column of voxels, not per voxel); only values and interpolation have the type of the data. */
#include <math.h>
#include <gantry/author/constants.h>
#include <gantry/author/scan_math.h>

/* One view, rows parallel to z. With (x, y) of a voxel relative to the source (parallel: to the origin),
 *   a = across . (x, y, 1), d = depth . (x, y, 1).
 * Then, by shape:
 * - flat:     lambda = 1 / d,     column = column0 + lambda a   (d = depth / distance of the detector)
 * - arc:      lambda = radius / L, column = column0 + per_column beta   (a, d lateral and along the arm; beta = atan2)
 * - parallel: lambda = 1,         column = column0 + a
 * Row = row0 + lambda (z - z0) per_row. Filtered columns are counted from 0, the first of the extended row. */
struct gt_back_view {
	double across[3], depth[3];
	/* arc: vector from its centre to the source, along the arm and across (deflected focal spot) */
	double offset[2];
	double radius, column0, per_column, row0, per_row, z0;
	double height;                  /* height of row 0 above the source, mm */
	int flip_rows;                  /* 1: the detector's rows run down; rows here are counted upwards */
	unsigned table;                 /* index of the plan's gains and slopes */
	/* Rows not parallel to z, or inclined parallel rays: (column / lambda, row / lambda, 1 / lambda) = matrix
	 * (x, y, z, 1). */
	double matrix[12];
};

/* Grid, mask and views. */
struct gt_back_grid {
	gt_shape shape;
	size_t n[3];
	double first[3], pitch[3], center[2], radius;
	int clamp_rows, tilted;
	size_t rows, wide, views;
	const struct gt_back_view *view;
};

/* Returns the detector's row for the ascending row `row`. */
GT_HD size_t gt_back_row(const struct gt_back_view *w, size_t rows, size_t row) { return w->flip_rows ? rows - 1 - row : row; }

/* Finds the detector column of the voxels at (x, y), and lambda = (source to detector) / (source to voxel). The value
 * is weighted by lambda^2. Returns 0 if they are not in front of the source. */
GT_HD int gt_back_column(gt_shape shape, const struct gt_back_view *w, double x, double y, double *column, double *lambda)
{
	const double a = w->across[0] * x + w->across[1] * y + w->across[2];
	const double d = w->depth[0] * x + w->depth[1] * y + w->depth[2];
	if (shape == GT_PARALLEL) {
		*column = w->column0 + a;
		*lambda = 1;
		return 1;
	}
	if (!(d > 0))
		return 0;
	if (shape == GT_FLAT) {
		*lambda = 1 / d;
		*column = w->column0 + a * *lambda;
		return 1;
	}
	const double qq = a * a + d * d, qo = d * w->offset[0] + a * w->offset[1];
	const double oo = w->offset[0] * w->offset[0] + w->offset[1] * w->offset[1];
	*lambda = (sqrt(qo * qo + qq * (w->radius * w->radius - oo)) - qo) / qq;
	*column = w->column0 + w->per_column * atan2(w->offset[1] + *lambda * a, w->offset[0] + *lambda * d);
	return 1;
}

GT_HD double gt_back_dot(const double *row, double x, double y, double z) { return row[0] * x + row[1] * y + row[2] * z + row[3]; }

/* Likewise for a voxel of a view with a matrix; also finds its row. */
GT_HD int gt_back_point(const struct gt_back_view *w, double x, double y, double z, double *column, double *row, double *lambda)
{
	const double d = gt_back_dot(w->matrix + 8, x, y, z);
	if (!(d > 0))
		return 0;
	*lambda = 1 / d;
	*column = gt_back_dot(w->matrix, x, y, z) * *lambda;
	*row = gt_back_dot(w->matrix + 4, x, y, z) * *lambda;
	return 1;
}

/* Returns whether the voxel is within the filtered columns, and within the outer edges of the rows unless these are
 * clamped. */
GT_HD int gt_back_sees(double column, double row, size_t wide, size_t rows, int clamp_rows)
{
	return column >= 0 && column <= (double)(wide - 1) && (clamp_rows || (row >= -0.5 - 1e-9 && row <= (double)rows - 0.5 + 1e-9));
}

/* Finds the slices within the outer edges of the rows, *first ... *end - 1, of nz slices at rows row + j step (step >
 * 0). Edges that fall on a slice belong to it in spite of rounding. */
GT_HD void gt_back_slices(double row, double step, size_t rows, size_t nz, size_t *first, size_t *end)
{
	const double low = ceil((-0.5 - 1e-9 - row) / step), high = floor(((double)rows - 0.5 + 1e-9 - row) / step) + 1;
	const double from = low > 0 ? low : 0, to = high > 0 ? high : 0, all = (double)nz;
	*first = (size_t)(int)(from < all ? from : all); /* int, because loops with unsigned conversions do not vectorise */
	*end = (size_t)(int)(to < all ? to : all);
}

/* Returns the factor of a projection value before the filter: the column's gain times the cosine of the cone angle.
 * `height` is the pixel's above the source; `slope` is 1 / (its distance in the x-y plane), 0 for parallel rays. */
GT_HD double gt_preweight_at(double gain, double slope, double height)
{
	return gain / sqrt(1 + slope * height * slope * height);
}

/* Truncation extension: factor of the edge value, j = 1 ... length pixels beyond the edge. */
GT_HD double gt_roll_off(size_t j, size_t length)
{
	return 0.5 + 0.5 * cos(GT_PI * (double)j / ((double)length + 1));
}

/* Layout of a row in its transform of n samples: column k at k, or at n + k if k < 0. The truncation extension is
 * linear in the edge value: it is filtered once, as gt_fbp_plan.tail. */
typedef struct {
	size_t n, columns;
	size_t before, after;           /* columns of the extension on either side */
	size_t lead, wide;              /* filtered columns kept: -lead ... wide-lead-1 */
} gt_row_plan;

/* Number of pixels at each end whose mean continues a truncated row. More of them would extend an object that ends just
 * inside the detector (one column of air in 128: -3 %), and overestimate truncated ones. */
enum { GT_EDGE_PIXELS = 1 };

#endif
