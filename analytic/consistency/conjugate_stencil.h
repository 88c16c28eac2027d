#ifndef GT_ANALYTIC_CONSISTENCY_CONJUGATE_STENCIL_H
#define GT_ANALYTIC_CONSISTENCY_CONJUGATE_STENCIL_H
/* Positions of conjugate rays on the detector for a supposed order of its pixels, and the pixels for interpolation. */
#include <math.h>
#include "analytic/consistency/conjugate_impl.h"

/* Four columns and up to four rows around a position on the detector, with their weights. */
typedef struct {
	size_t column, row, rows;
	double across[4], down[4];
} gt_stencil;

/* Cubic through the inner two of four with slopes of the outer ones (Catmull and Rom, 1974); it is symmetric. */
static inline void gt_cubic_weights(double t, double w[4])
{
	w[0] = t * (t * (1 - 0.5 * t) - 0.5);
	w[1] = 1 + t * t * (1.5 * t - 2.5);
	w[2] = t * (0.5 + t * (2 - 1.5 * t));
	w[3] = 0.5 * t * t * (t - 1);
}

/* Returns 0 if the ray of the tap is outside the detector. */
static inline int gt_stencil_place(const gt_scan *scan, const gt_conjugate_map *map, const gt_conjugate_tap *tap, gt_stencil *s)
{
	const double column = map->center + map->columns * tap->u, last = (double)scan->columns - 2;
	double row = map->row + map->rows * tap->v;
	const double top = (double)scan->rows - 1, edge = scan->rows > 1 ? 1e-6 : 0.25;
	if (!(column >= 1 && column <= last && row >= -edge && row <= top + edge))
		return 0;
	row = fmin(top, fmax(0, row));
	size_t k = (size_t)column, l = (size_t)row;
	k = k > scan->columns - 3 ? scan->columns - 3 : k;
	s->column = k - 1;
	gt_cubic_weights(column - (double)k, s->across);
	if (l >= 1 && l + 2 < scan->rows) {
		s->row = l - 1;
		s->rows = 4;
		gt_cubic_weights(row - (double)l, s->down);
		return 1;
	}
	l = scan->rows > 1 && l > scan->rows - 2 ? scan->rows - 2 : l;
	s->row = l;
	s->rows = scan->rows > 1 ? 2 : 1;
	s->down[0] = 1 - (row - (double)l);
	s->down[1] = row - (double)l;
	return 1;
}

/* The first pixel of the stencil in the data. */
static inline const float *gt_stencil_first(const gt_conjugate_data *d, const gt_conjugate_tap *tap, const gt_stencil *s)
{
	return d->data + (tap->view * d->scan->rows + s->row) * d->scan->columns + s->column;
}
#endif
