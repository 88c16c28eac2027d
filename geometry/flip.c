/* Columns, rows or the turn the other way round: what a conjugate-ray check finds, and what puts it right. */
#include <string.h>
#include <gantry/consistency.h>
#include <gantry/module.h>
#include "geometry/flip.h"

static const char *const names[] = { "columns", "turn", "rows" };
static const unsigned bits[] = { GT_CONJUGATE_COLUMNS, GT_CONJUGATE_TURN, GT_CONJUGATE_ROWS };
enum { NAMES = 3 };

gt_status gt_flip_parse(const char *text, unsigned *what)
{
	*what = 0;
	for (const char *at = text;; at++) {
		const size_t n = strcspn(at, ",");
		char name[32];
		int k = 0;
		snprintf(name, sizeof name, "%.*s", (int)(n < sizeof name ? n : sizeof name - 1), at);
		while (k < NAMES && strcmp(name, names[k]))
			k++;
		if (k == NAMES)
			return gt_unknown_of("--flip", name, names, NAMES);
		if (*what & bits[k])
			return gt_fail(GT_ERR_ARG, "--flip=%s: %s is there twice", text, name);
		*what |= bits[k];
		at += n;
		if (!*at)
			return GT_OK;
	}
}

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

/* A mirror reverses the columns as well: they are counted back. */
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

void gt_projections_flip(gt_projections *p, unsigned what)
{
	const gt_scan *s = p->scan;
	float *const array[] = { p->data, p->weight, p->photons };
	for (size_t i = 0; i < sizeof array / sizeof *array; i++) {
		if (array[i] && what & GT_CONJUGATE_COLUMNS)
			reverse_columns(array[i], s->views * s->rows, s->columns);
		if (array[i] && what & GT_CONJUGATE_ROWS)
			reverse_rows(array[i], s->views, s->rows, s->columns);
	}
	for (size_t v = 0; v < s->views && what & GT_CONJUGATE_TURN; v++)
		mirror(&s->view[v]);
}
