#ifndef GT_PROJECTORS_DD_DD_ROW_H
#define GT_PROJECTORS_DD_DD_ROW_H
/* The distance-driven coefficients, defined only here: De Man and Basu, Phys. Med. Biol. 49 (2004) 2463, in the form of
 * Liu, Fu, De Man, Yu, IEEE Trans. Comput. Imaging 3 (2017), eqs 14-18. Each view cuts the volume into slices
 * perpendicular to x or y. Units are voxels, with voxel i = [i, i+1] along the in-slice axis and along z. R is the
 * distance of a slice from the source plane along the slice axis.
 *
 *   column edge k meets the slice at        X_k = X0 + R M0 + (F0 + R F1) U_k             ascending in k
 *   row edge l of column k meets it at      Z_l = (P0 + R P1) + l (Q0 + R Q1)             row l = [l, l+1], ascending
 *   a[kl; inj] = slant_kl * |[X_k, X_k+1] & [i, i+1]| / (X_k+1 - X_k) * |[Z_l, Z_l+1] & [j, j+1]| / (Z_l+1 - Z_l)
 * Fan beams have F0 = 0, F1 = 1 and U the slope; parallel beams F0 = 1, F1 = 0 and U the position. The functions below
 * serve both. Columns and rows ascend with position; flip_columns and flip_rows mark views in which the detector counts
 * in the opposite direction. */
#include <gantry/author/scan_math.h>

typedef struct {
	double R0, dR;                  /* R of slice n is R0 + n dR, mm */
	double X0, M0, F0, F1;
	int axis;                       /* slices are perpendicular to this axis: 1 (y) or 0 (x) */
	int flip_columns, flip_rows;
	int first, end;                 /* slices in front of the source */
	double bins;                    /* per unit of U: see gt_dd.guess */
} gt_dd_view;

typedef struct { double P0, P1, Q0, Q1, square; } gt_dd_column;   /* square: 1 + (slope of the column's centre)^2 */

/* Parameters of the kernels, passed by value; the tables are on the backend. */
typedef struct {
	int n[3], rows, columns;
	size_t views;
	double pitch[3];                /* mm */
	double tallest;                 /* maximum number of pixels in a voxel or voxels in a pixel, along z */
	int sliced[2];                  /* 1 if views have slices perpendicular to x, to y */
	const gt_dd_view *view;         /* [views] */
	const double *edge;             /* [views][columns + 1]: U */
	const gt_dd_column *column;     /* [views][columns] */
	const int *guess;               /* [views][columns]: first column of evenly spaced bins of U */
} gt_dd;

GT_HD double gt_dd_depth(const gt_dd_view *v, int n) { return v->R0 + n * v->dR; }
GT_HD double gt_dd_edge(const gt_dd_view *v, double R, double U) { return (v->X0 + R * v->M0) + (v->F0 + R * v->F1) * U; }
/* Inverse of gt_dd_edge(): U of position X in the slice. */
GT_HD double gt_dd_edge_at(const gt_dd_view *v, double R, double X) { return (X - (v->X0 + R * v->M0)) / (v->F0 + R * v->F1); }
GT_HD double gt_dd_row_start(const gt_dd_column *c, double R) { return c->P0 + R * c->P1; }
GT_HD double gt_dd_row_height(const gt_dd_column *c, double R) { return c->Q0 + R * c->Q1; }
/* Length of the ray of (column, ascending row l) in one slice, mm; its square for slices of 1 mm. */
GT_HD double gt_dd_slant_square(const gt_dd_column *c, int l, double pitch_z)
{
	const double slope = (c->P1 + (l + 0.5) * c->Q1) * pitch_z;
	return c->square + slope * slope;
}
GT_HD double gt_dd_slant(const gt_dd_column *c, int l, double pitch_z, double pitch_slice)
{
	return pitch_slice * sqrt(gt_dd_slant_square(c, l, pitch_z));
}
/* Index of (view, ascending row, ascending column) in [view][row][column]. */
GT_HD size_t gt_dd_pixel(const gt_dd *d, const gt_dd_view *v, size_t view, int l, int k)
{
	const size_t row = (size_t)(v->flip_rows ? d->rows - 1 - l : l), column = (size_t)(v->flip_columns ? d->columns - 1 - k : k);
	return (view * (size_t)d->rows + row) * (size_t)d->columns + column;
}
/* First column of a view whose upper edge lies above U; d->columns if there is none. */
GT_HD int gt_dd_first_column(const gt_dd *d, const gt_dd_view *v, size_t view, double U)
{
	const double *edge = d->edge + view * (size_t)(d->columns + 1);
	const double bin = (U - edge[0]) * v->bins;
	if (!(bin > 0))
		return 0;
	if (U >= edge[d->columns])
		return d->columns;
	int k = d->guess[view * (size_t)d->columns + (size_t)(bin < d->columns - 1 ? (int)bin : d->columns - 1)];
	while (k > 0 && edge[k] > U)
		k--;
	while (edge[k + 1] <= U)
		k++;
	return k;
}
#endif
