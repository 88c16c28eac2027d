#ifndef GT_ANALYTIC_FBP_BACK_SPAN_H
#define GT_ANALYTIC_FBP_BACK_SPAN_H
/* Range of a view with upright rows that a column of voxels sees, for backprojection on the CPU and its transpose. */
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

#endif
