#ifndef GT_ANALYTIC_WFBP_WFBP_MATH_H
#define GT_ANALYTIC_WFBP_WFBP_MATH_H
/* Formulas of helical weighted filtered backprojection, shared by C and CUDA. Rays have direction psi (in the x-y
 * plane, counter-clockwise) and the signed distance s = normal . (x - axis) from the axis, normal = (-sin psi, cos
 * psi). A source at the direction alpha and the distance D from the axis sees them at the fan angle g = asin(s / D),
 * with alpha = psi - pi - g. */
#include "analytic/fbp/fbp_math.h"

/* Position of a parallel view's ray among the views of one spot: weights of four neighbours (Lagrange), and z of the
 * source. */
struct gt_helix_tap {
	size_t first;
	double weight[4], z;
};

/* One parallel view of a batch. */
struct gt_helix_view {
	double direction;               /* psi */
	double cosine, sine;            /* psi */
	size_t spot;
	int used;                       /* 0: beyond the ends of the scan */
};

/* A position of the focal spot, and the common properties of its views. */
struct gt_helix_spot {
	double distance;                /* distance of the source from the axis */
	/* row at the source's own height, rows counted upwards; rows per mm at the pixel */
	double row0, per_row;
	double height;                  /* height of row 0 above the source */
	int flip_rows;
	size_t first, views;            /* range of its directions and heights among those of all spots */
};

/* Lagrange weights of four nodes. */
GT_HD void gt_lagrange(const double *node, double at, double weight[4])
{
	for (int i = 0; i < 4; i++) {
		weight[i] = 1;
		for (int j = 0; j < 4; j++)
			if (j != i)
				weight[i] *= (at - node[j]) / (node[i] - node[j]);
	}
}

/* Likewise for the integers from `first` on. */
GT_HD void gt_lagrange_pixels(size_t first, double at, double weight[4])
{
	const double node[4] = { (double)first, (double)first + 1, (double)first + 2, (double)first + 3 };
	gt_lagrange(node, at, weight);
}

/* Returns the first of four nodes around `at`, two on either side except near the ends. */
GT_HD size_t gt_helix_first(size_t below, size_t n) { return below < 1 ? 0 : below - 1 < n - 4 ? below - 1 : n - 4; }

/* direction[n] ascends in nearly equal steps; z belongs to it. */
GT_HD void gt_helix_find(const double *direction, const double *z, size_t n, double at, struct gt_helix_tap *t)
{
	const double step = (direction[n - 1] - direction[0]) / (double)(n - 1), guess = (at - direction[0]) / step;
	size_t i = guess > 0 ? guess < (double)(n - 2) ? (size_t)guess : n - 2 : 0;
	while (i > 0 && direction[i] > at)
		i--;
	while (i < n - 2 && direction[i + 1] <= at)
		i++;
	t->first = gt_helix_first(i, n);
	gt_lagrange(direction + t->first, at, t->weight);
	t->z = 0;
	for (size_t k = 0; k < 4; k++)
		t->z += t->weight[k] * z[t->first + k];
}

/* Row weight of the distance q of a row from the centre of the detector, in half heights. It is 1 up to `flat`, then
 * cos^2 (pi/2 u), u = (q - flat) / (1 - flat). gt_row_taper_*() approximates it for 0 <= u <= 1 by a polynomial in u -
 * 1/2 with an error below 3e-7. Within the detector it stays above 0. */
#define GT_ROW_WEIGHT(T, taper, weight)                                                                                \
	GT_HD T taper(T u)                                                                                             \
	{                                                                                                              \
		const T s = u - (T)0.5, ss = s * s;                                                                    \
		const T w = (T)0.5 - s * ((T)1.57079101 - ss * ((T)2.58357139 - ss * ((T)1.27094943 - ss * (T)0.27731787))); \
		return w > (T)1e-5 ? w : (T)1e-5;                                                                      \
	}                                                                                                              \
	GT_HD T weight(T q, T flat, T over_rest)                                                                       \
	{                                                                                                              \
		const T u = (q - flat) * over_rest;                                                                    \
		return taper(u > 0 ? u < 1 ? u : (T)1 : (T)0);                                                         \
	}
GT_ROW_WEIGHT(float, gt_row_taper_single, gt_row_weight_single)
GT_ROW_WEIGHT(double, gt_row_taper_double, gt_row_weight_double)
#undef GT_ROW_WEIGHT

/* Position of a column of voxels on the detector: filtered columns k and k+1, rows row0 + slope (z of the voxel). */
struct gt_helix_line {
	size_t k;
	double right, row0, slope;
};

/* Required part of the plan. */
struct gt_helix_detector {
	size_t columns, lead;           /* columns of a parallel view; filtered columns before the first */
	double first, pitch, per_pitch; /* s of the first column; 1 / pitch */
	double center[2];
};

/* Finds (x, y) among the columns of a parallel view: column + part, and the distance to the source. 0: not seen. */
GT_HD int gt_helix_place(const struct gt_helix_detector *d, const struct gt_helix_view *w, double distance, double x, double y, size_t *column,
                         double *part, double *length)
{
	const double dx = x - d->center[0], dy = y - d->center[1], s = w->cosine * dy - w->sine * dx;
	const double at = (s - d->first) * d->per_pitch, root = distance * distance - s * s;
	if (!w->used || !(at >= -1e-9 && at <= (double)(d->columns - 1) + 1e-9) || !(root > 0))
		return 0;
	const size_t k = at > 0 ? (size_t)at : 0;
	*column = k < d->columns - 1 ? k : d->columns - 2;
	*part = at - (double)*column;
	*length = w->cosine * dx + w->sine * dy + sqrt(root);
	return *length > 0;
}

/* from: z of the source; far: distance of the pixel from it in the x-y plane. */
GT_HD void gt_helix_rows(const struct gt_helix_spot *spot, double from, double far, double length, struct gt_helix_line *line)
{
	line->slope = far / length * spot->per_row;
	line->row0 = spot->row0 - from * line->slope;
}

/* z and reach: [columns], of the view's rays. 0: not seen. */
GT_HD int gt_helix_see(const struct gt_helix_detector *d, const struct gt_helix_view *w, const struct gt_helix_spot *spot, const double *z,
                       const double *reach, double x, double y, struct gt_helix_line *line)
{
	size_t k;
	double length, part;
	if (!gt_helix_place(d, w, spot->distance, x, y, &k, &part, &length))
		return 0;
	line->k = k + d->lead;
	line->right = part;
	gt_helix_rows(spot, z[k] + part * (z[k + 1] - z[k]), reach[k] + part * (reach[k + 1] - reach[k]), length, line);
	return 1;
}

#endif
