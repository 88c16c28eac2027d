/* The distance-driven pair on the CPU in single precision: instruction set, memory and job order. Memory: 4 bytes per
 * voxel or per pixel of a batch for running sums, and the scratch of each worker. */
#include <string.h>
#include "core/vectors/sets.h"
#include "projectors/dd/fast/dd_single.h"

enum {
	GROUP = 12,   /* views of a forward job, which share lines of the volume */
	COLUMNS = 128 /* its columns */
};

GT_KERNEL_SETS(gt_dd_single)

int gt_dd_single_takes(const gt_dd *d) { return d->tallest <= GT_LINE_WIDEST; }

/* Sizes for few-row detectors. */
static void few_sizes(const gt_dd *d, gt_line_sizes *s)
{
	const size_t rows = (size_t)d->rows, slices = (size_t)d->n[2];
	if (rows <= GT_DD_FEW_FORWARD) {
		s->forward.lines = gt_dd_few_along_x(d->n) + gt_dd_few_along_y(d->n);
		s->forward.worker = GROUP * COLUMNS * rows + slices * 16;
	}
	if (rows <= GT_DD_FEW_BACK) {
		s->adjoint.stride = gt_dd_few_row(d->columns);
		s->adjoint.lines = gt_line_batch(d->views) * rows * s->adjoint.stride;
		s->adjoint.worker = gt_dd_few_tile(d->n) + slices * 16;
	}
}

static gt_line_sizes sizes_of(const gt_dd *d)
{
	const size_t rows = gt_lanes_of((size_t)d->rows), slices = gt_lanes_of((size_t)d->n[2]);
	gt_line_sizes s = { .list = gt_line_list_floats(d->views), .row = gt_line_row(d->n) };
	s.forward.lines = s.row * (size_t)d->n[1] * slices;
	s.forward.stride = slices;
	s.forward.worker = (size_t)GROUP * COLUMNS * rows + GT_LINE_SLICES * gt_line_window(d->n[2]);
	s.adjoint.lines = gt_line_batch(d->views) * (size_t)d->columns * rows;
	s.adjoint.stride = rows;
	s.adjoint.worker = GT_LINE_TILE_FLOATS + gt_line_window(d->rows);
	few_sizes(d, &s);
	return s;
}

size_t gt_dd_single_scratch(gt_backend *be, const gt_dd *d)
{
	const gt_line_sizes s = sizes_of(d);
	return gt_line_scratch(be, &s);
}

static void start(gt_backend *be, int back, gt_dd_single *j)
{
	const gt_line_sizes s = sizes_of(j->d);
	size_t *list;
	j->memory = gt_line_start(be, &s, back, &list);
	gt_line_list(&j->d->view->axis, sizeof *j->d->view, j->d->views, list, &j->order);
}

void gt_dd_single_forward(gt_backend *be, const gt_dd *d, const float *x, float *y)
{
	const gt_dd_single_kernels *k = gt_dd_single_best();
	gt_dd_single j = { .d = d, .order = { .group = GROUP, .columns = COLUMNS } };
	start(be, 0, &j);
	j.memory.in = x;
	j.memory.out = y;
	if (d->rows <= GT_DD_FEW_FORWARD)
		gt_line_forward(be, d->n, d->columns, &j.order, k->few.lines, k->few.forward, &j);
	else
		gt_line_forward(be, d->n, d->columns, &j.order, k->sum_lines, k->forward, &j);
}

int gt_dd_single_steps(const gt_dd *d) { return gt_dd_single_takes(d) && d->rows > GT_DD_FEW_BACK && d->views <= GT_LINE_BATCH; }

void gt_dd_single_adjoint(gt_backend *be, const gt_dd *d, const float *y, const gt_row_step *step, float *x)
{
	const gt_dd_single_kernels *k = gt_dd_single_best();
	gt_dd_single j = { .d = d, .order.both = d->rows > GT_DD_FEW_BACK };
	start(be, 1, &j);
	j.memory.step = step;
	j.memory.in = y;
	j.memory.out = x;
	if (d->rows <= GT_DD_FEW_BACK)
		gt_line_adjoint(be, d->n, &j.order, k->few.rows, k->few.adjoint, &j);
	else
		gt_line_adjoint(be, d->n, &j.order, k->sum_columns, k->adjoint, &j);
}
