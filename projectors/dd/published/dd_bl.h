#ifndef GT_PROJECTORS_DD_PUBLISHED_DD_BL_H
#define GT_PROJECTORS_DD_PUBLISHED_DD_BL_H
/* The published branchless pair (Liu, Fu, De Man, Yu 2017, III-C, D): integral images as textures, four fetches per
 * pixel and slice or per voxel and view. The backprojection uses one detector rectangle per voxel. The mid-points of
 * the edges of the voxel's centre plane, perpendicular to the slice axis, are projected onto the detector. */
#include "projectors/dd/published/dd_integral.h"
#ifdef __cplusplus
extern "C" {
#endif

/* The detector of a view as seen from voxels. The ray of U (dd_row.h), per mm along the slice axis, has the components
 * la along the columns and de along the detector normal. It meets the detector at the depth `reach` along that axis.
 * Columns and rows are edges in ascending order: column k = [k, k+1]. Single precision suffices, because textures
 * resolve 1/256 of a pixel. */
typedef struct {
	int   shape;
	float la0, la1, de0, de1;               /* la, de = . + . U; parallel: position along the columns (mm), reach */
	float distance;                         /* flat: distance of the source from the detector, mm */
	/* arc: source from the axis of the cylinder; radius^2 - its distance^2 */
	float from_la, from_de, space;
	float column0, column1;                 /* column = . + . (position along the columns; arc: angle) */
	/* row = row0 + (row1 + row2 z) reach/R; parallel: row0 + row2 z + row3 (reach - R) */
	float row0, row1, row2, row3;
} gt_dd_screen;

/* The columns [left, right] of a voxel and the rows of its edges; voxel z has the rows [row + z step, row + (z + 1)
 * step]. */
typedef struct { float left, right, row, step; } gt_dd_rectangle;

GT_HD float gt_dd_column_at(const gt_dd_screen *s, float U, float *reach)
{
	const float la = s->la0 + s->la1 * U, de = s->de0 + s->de1 * U;
	if (s->shape == GT_ARC) {
		const float oq = s->from_la * la + s->from_de * de, qq = la * la + de * de;
		*reach = (sqrtf(oq * oq + qq * s->space) - oq) / qq;
		return s->column0 + s->column1 * atan2f(s->from_la + *reach * la, s->from_de + *reach * de);
	}
	if (s->shape == GT_FLAT) {
		*reach = s->distance / fmaxf(de, 1e-6f);
		return s->column0 + s->column1 * (*reach * la);
	}
	*reach = de;
	return s->column0 + s->column1 * la;
}

/* Rectangle of voxel i of slice n; empty if the slice is not in front of the source or outside the columns. */
GT_HD gt_dd_rectangle gt_dd_rectangle_at(const gt_dd_view *v, const gt_dd_screen *s, int columns, int n, int i)
{
	gt_dd_rectangle r = { 0, 0, 0, 0 };
	if (n < v->first || n >= v->end)
		return r;
	const double R = gt_dd_depth(v, n), U = gt_dd_edge_at(v, R, i), step = gt_dd_edge_at(v, R, i + 1.) - U;
	float reach;
	r.left = fminf(fmaxf(gt_dd_column_at(s, (float)U, &reach), 0), (float)columns);
	r.right = fminf(fmaxf(gt_dd_column_at(s, (float)(U + step), &reach), 0), (float)columns);
	gt_dd_column_at(s, (float)(U + 0.5 * step), &reach);
	const float grows = s->shape == GT_PARALLEL ? 1 : reach / (float)R;
	r.row = s->row0 + s->row1 * grows + s->row3 * (reach - (float)R);
	r.step = s->row2 * grows;
	return r;
}

gt_dd_screen gt_dd_screen_of(const gt_scan *scan, const gt_grid *grid, size_t view, const gt_dd_view *v);

#ifdef __cplusplus
}
#endif
#endif
