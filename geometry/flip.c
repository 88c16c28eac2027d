/* Flips columns or rows, or reverses the rotation direction: the corrections of a conjugate-ray check. */
#include "geometry/projections.h"

static void swap(float *a, float *b)
{
	const float kept = *a;
	*a = *b;
	*b = kept;
}

static void reverse_columns(float *x, size_t lines, size_t columns)
{
	for (size_t i = 0; i < lines; i++, x += columns)
		for (size_t k = 0; k < columns / 2; k++)
			swap(&x[k], &x[columns - 1 - k]);
}

static void reverse_rows(float *x, size_t views, size_t rows, size_t columns)
{
	for (size_t v = 0; v < views; v++, x += rows * columns)
		for (size_t l = 0; l < rows / 2; l++)
			for (size_t k = 0; k < columns; k++)
				swap(&x[l * columns + k], &x[(rows - 1 - l) * columns + k]);
}

/* A mirror image also reverses the order of the columns; this restores it. */
static void mirror(gt_view *w)
{
	w->source[0] = -w->source[0];
	w->detector[0] = -w->detector[0];
	w->arc_center[0] = -w->arc_center[0];
	w->row_axis[0] = -w->row_axis[0];
	w->column_axis[1] = -w->column_axis[1];
	w->column_axis[2] = -w->column_axis[2];
	w->angle = -w->angle;
}

gt_status gt_projections_flip(gt_projections *p, unsigned what)
{
	const gt_status st = gt_need_argument("gt_projections_flip", "projections", p);
	if (st != GT_OK)
		return st;
	if (what & ~(unsigned)(GT_CONJUGATE_COLUMNS | GT_CONJUGATE_DIRECTION | GT_CONJUGATE_ROWS))
		return gt_fail(GT_ERR_ARG, "gt_projections_flip: bits 0x%x: expected those of GT_CONJUGATE_COLUMNS, _TURN and _ROWS", what);
	const gt_scan *s = p->scan;
	float *const array[] = { p->data, p->weight, p->photons };
	for (size_t i = 0; i < sizeof array / sizeof *array; i++) {
		if (array[i] && what & GT_CONJUGATE_COLUMNS)
			reverse_columns(array[i], s->views * s->rows, s->columns);
		if (array[i] && what & GT_CONJUGATE_ROWS)
			reverse_rows(array[i], s->views, s->rows, s->columns);
	}
	for (size_t v = 0; v < s->views && what & GT_CONJUGATE_DIRECTION; v++)
		mirror(&s->view[v]);
	return GT_OK;
}
