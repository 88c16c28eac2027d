/* SF-TR on the CPU in single precision: scans that it takes, memory and job order. Memory: 4 bytes per voxel or per
 * pixel of a batch for running sums, and the scratch of each worker. */
#include <math.h>
#include <string.h>
#include "projectors/sf/fast/sf_single.h"

enum {
	GROUP = 12,       /* views of a forward job, which share lines of the volume */
	PIXELS = 1 << 20, /* maximum pixels of them, approximately: adjacent columns share voxels */
	COLUMNS = 64      /* minimum columns */
};

GT_KERNEL_SETS(gt_sf_single)

/* Returns 1 if the kernels take the rows per voxel of all voxels in front of the source. The corners of the grid have
 * the extremes. */
static int fits(const gt_sf *d, const gt_sf_view *v)
{
	const gt_sf_lens *lens = &v->frame.lens;
	const double spot = hypot(lens->spot_u, lens->spot_w), nearest = 1.0137 * gt_sf_reach(v->frame.M);
	double low = INFINITY, high = 0, side = 0;
	for (int c = 0; c < 4; c++) {
		const double x = c & 1 ? d->n[0] - 1 : 0, y = c & 2 ? d->n[1] - 1 : 0, M = gt_sf_at(v->frame.M, x, y, 0);
		low = fmin(low, M);
		high = fmax(high, M);
		side = fmax(side, fabs(gt_sf_at(v->frame.N, x, y, 0)));
	}
	if (!(high > nearest))
		return 1;
	low = fmax(low, nearest);
	const double max = v->V[3] * lens->rows / low * (lens->arc ? 1 + spot : 1);
	const double min = v->V[3] * lens->rows * (lens->arc ? (1 - spot) / hypot(side, high) : 1 / high);
	return max <= GT_LINE_WIDEST && min * GT_LINE_WIDEST >= 1;
}

int gt_sf_single_takes(const gt_sf *d)
{
	if (d->trapezoid || d->tilted)
		return 0;
	for (size_t v = 0; v < d->views; v++)
		if (!fits(d, &d->view[v]))
			return 0;
	return 1;
}

/* Columns of a forward job. */
static int columns_of(const gt_sf *d)
{
	const size_t all = gt_lanes_of((size_t)d->columns), few = PIXELS / (GROUP * gt_lanes_of((size_t)d->rows)) & ~(size_t)15;
	return (int)(all < few ? all : few > COLUMNS ? few : COLUMNS);
}

static gt_line_sizes sizes_of(const gt_sf *d)
{
	const size_t columns = (size_t)columns_of(d), rows = gt_lanes_of((size_t)d->rows), slices = gt_lanes_of((size_t)d->n[2]);
	gt_line_sizes s = { .list = gt_line_list_floats(d->views), .row = gt_line_row(d->n) };
	s.forward.lines = s.row * (size_t)d->n[1] * slices;
	s.forward.stride = slices;
	/* pixels of a group, weights of a run, windows */
	s.forward.worker = GROUP * columns * rows + GT_LINE_SLICES * (columns + gt_line_window(d->n[2]));
	s.adjoint.lines = gt_line_batch(d->views) * (size_t)d->columns * rows;
	s.adjoint.stride = rows;
	s.adjoint.worker = GT_LINE_TILE_FLOATS + GT_LINE_SLICES * ((size_t)d->columns + gt_line_window(d->rows));
	return s;
}

size_t gt_sf_single_scratch(gt_backend *be, const gt_sf *d)
{
	const gt_line_sizes s = sizes_of(d);
	return gt_line_scratch(be, &s);
}

static void start(gt_backend *be, int back, gt_sf_single *j)
{
	const gt_line_sizes s = sizes_of(j->d);
	size_t *list;
	j->memory = gt_line_start(be, &s, back, &list);
	gt_line_list(&j->d->view->axis, sizeof *j->d->view, j->d->views, list, &j->order);
}

void gt_sf_single_forward(gt_backend *be, const gt_sf *d, const float *x, float *y)
{
	const gt_sf_single_kernels *k = gt_sf_single_best();
	gt_sf_single j = { .d = d, .order = { .group = GROUP, .columns = columns_of(d) } };
	start(be, 0, &j);
	j.memory.in = x;
	j.memory.out = y;
	gt_line_forward(be, d->n, d->columns, &j.order, k->sum_lines, k->forward, &j);
}

void gt_sf_single_adjoint(gt_backend *be, const gt_sf *d, const float *y, float *x)
{
	const gt_sf_single_kernels *k = gt_sf_single_best();
	gt_sf_single j = { .d = d };
	start(be, 1, &j);
	j.memory.in = y;
	j.memory.out = x;
	gt_line_adjoint(be, d->n, &j.order, k->sum_columns, k->adjoint, &j);
}
