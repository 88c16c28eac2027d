#ifndef GT_ANALYTIC_FBP_BACK_SPAN_H
#define GT_ANALYTIC_FBP_BACK_SPAN_H
/* Backprojection on the CPU and its transpose: rows that a column of voxels sees, and transposed interpolation. */
#include "analytic/fbp/fbp.h"

/* Slice z at row + z step, for slices first .. end-1, on rows first_row .. last_row; last: index of the last row. */
struct gt_back_span {
	double row, step, last;
	size_t first, end, first_row, last_row;
};

/* Without clamping, omits slices that project beyond the outer edges of the rows. Returns 0 if none remains. */
static inline int gt_back_find_span(const gt_fbp_plan *p, const struct gt_back_view *w, double lambda, struct gt_back_span *a)
{
	a->step = lambda * p->grid.pitch[2] * w->per_row;
	a->row = w->row0 + lambda * (gt_grid_first(&p->grid, 2) - w->z0) * w->per_row;
	a->last = (double)p->rows - 1;
	a->first = 0;
	a->end = p->grid.n[2];
	if (!p->clamp_rows)
		gt_back_slices(a->row, a->step, p->rows, p->grid.n[2], &a->first, &a->end);
	if (a->first >= a->end)
		return 0;
	const double begin = a->row + (double)a->first * a->step, end = a->row + (double)(a->end - 1) * a->step;
	a->first_row = (size_t)fmin(fmax(floor(begin), 0), a->last);
	a->last_row = (size_t)fmin(fmax(ceil(end) + 1, 0), a->last);
	return 1;
}

/* Transposed interpolation: adds a value at column k + right and a row, clamped to the detector, to the four samples of
 * q [column][row] around it. */
static inline void gt_back_spread(const gt_fbp_plan *p, size_t k, double right, double row, double value, double *q)
{
	const double in = fmin(fmax(row, 0), (double)p->rows - 1);
	const size_t l = (size_t)in, up = l + 1 < p->rows ? 1 : 0;
	const double above = in - (double)l;
	double *near = q + k * p->rows + l, *far = near + p->rows;
	near[0] += (1 - right) * (1 - above) * value;
	near[up] += (1 - right) * above * value;
	far[0] += right * (1 - above) * value;
	far[up] += right * above * value;
}

#endif
