/* The distance-driven pair on the CPU in single precision: choice of the instruction set, memory, and the order of
 * jobs. Memory: running sums of the volume or of BATCH views, 4 bytes a voxel or pixel, and what each worker needs. */
#include <stdlib.h>
#include <string.h>
#include "core/poll.h"
#include "core/vectors/sets.h"
#include "projectors/dd/fast/dd_single.h"

enum {
	GROUP = 12,    /* views of a job of the forward direction, which share lines of the volume */
	COLUMNS = 128, /* its columns */
	BATCH = 32     /* views whose columns the adjoint holds at a time */
};

GT_KERNEL_SETS(gt_dd_single)

int gt_dd_single_takes(const gt_dd *d) { return d->tallest <= GT_DD_WIDEST; }

/* Memory ------------------------------------------------------------------- */

/* An odd number, so that the same place of neighbouring lines is not in the same set of a cache. */
static size_t row_of(const gt_dd *d) { return (size_t)d->n[0] | 1; }
static size_t volume_floats(const gt_dd *d) { return row_of(d) * (size_t)d->n[1] * gt_lanes_of((size_t)d->n[2]); }
static size_t batch_floats(const gt_dd *d)
{
	return (d->views < BATCH ? d->views : BATCH) * (size_t)d->columns * gt_lanes_of((size_t)d->rows);
}
static size_t window_floats(int length) { return gt_lanes_of((size_t)length) + 2 * GT_LINE_PAD; }
static size_t forward_floats(const gt_dd *d)
{
	return (size_t)GROUP * COLUMNS * gt_lanes_of((size_t)d->rows) + GT_LINE_SLICES * window_floats(d->n[2]);
}
static size_t adjoint_floats(const gt_dd *d) { return GT_LINE_TILE_FLOATS + window_floats(d->rows); }
/* The list of views, in floats; whole vectors, as all else. */
static size_t list_floats(const gt_dd *d) { return gt_lanes_of(d->views * sizeof(size_t) / sizeof(float)); }

size_t gt_dd_single_scratch(gt_backend *be, const gt_dd *d)
{
	const size_t workers = (size_t)gt_pool_threads(be->pool);
	const size_t forward = volume_floats(d) + workers * forward_floats(d), adjoint = batch_floats(d) + workers * adjoint_floats(d);
	return (list_floats(d) + (forward > adjoint ? forward : adjoint)) * sizeof(float) + 64;
}

/* The list of views and the memory of a job; lines take so many floats. */
static void start_job(gt_backend *be, gt_dd_single *j, size_t lines)
{
	const gt_dd *d = j->d;
	float *memory = (float *)(((size_t)gt_scratch(be) + 63) & ~(size_t)63);
	size_t *views = (size_t *)memory, n = 0;
	for (int axis = 0; axis < 2; axis++) {
		const size_t before = n;
		for (size_t v = 0; v < d->views; v++)
			if (d->view[v].axis == axis)
				views[n++] = v;
		j->count[axis] = n - before;
	}
	j->views = views;
	j->row = row_of(d);
	j->lines = memory + list_floats(d);
	j->scratch = j->lines + lines;
}

/* Both directions ---------------------------------------------------------- */

static size_t forward_jobs(const gt_dd_single *j)
{
	const size_t group = (size_t)j->group;
	return (gt_pieces_of(j->count[0], group) + gt_pieces_of(j->count[1], group)) *
	       gt_pieces_of((size_t)j->d->columns, (size_t)j->columns);
}

void gt_dd_single_forward(gt_backend *be, const gt_dd *d, const float *x, float *y)
{
	const gt_dd_single_kernels *k = gt_dd_single_best();
	const size_t enough = 8 * (size_t)gt_pool_threads(be->pool);
	gt_dd_single j = { .d = d, .in = x, .out = y, .group = GROUP, .columns = COLUMNS };
	j.stride = gt_lanes_of((size_t)d->n[2]);
	j.scratch_floats = forward_floats(d);
	start_job(be, &j, volume_floats(d));
	while (forward_jobs(&j) < enough && j.columns > 16) { /* no cell depends on how they are shared out */
		j.columns /= 2;
		j.group = j.group > 3 ? j.group / 2 : j.group;
	}
	gt_parallel(be->pool, (size_t)d->n[1], 1, k->sum_lines, &j);
	gt_poll_part(0, 1);
	gt_parallel(be->pool, forward_jobs(&j), 1, k->forward, &j);
}

void gt_dd_single_adjoint(gt_backend *be, const gt_dd *d, const float *y, float *x)
{
	const gt_dd_single_kernels *k = gt_dd_single_best();
	gt_dd_single j = { .d = d, .in = y, .out = x };
	j.stride = gt_lanes_of((size_t)d->rows);
	j.scratch_floats = adjoint_floats(d);
	start_job(be, &j, batch_floats(d));
	const size_t views[2] = { j.count[0], j.count[1] }, all = views[0] + views[1];
	size_t done = 0;
	memset(x, 0, (size_t)d->n[0] * (size_t)d->n[1] * (size_t)d->n[2] * sizeof *x);
	for (j.axis = 0; j.axis < 2; j.axis++) {
		size_t left = views[j.axis], batches = gt_pieces_of(left, BATCH);
		for (; left; batches--) {
			const size_t batch = gt_pieces_of(left, batches);
			j.count[j.axis] = batch;
			gt_parallel(be->pool, batch, 1, k->sum_columns, &j);
			gt_poll_part((double)done / (double)all, (double)(done + batch) / (double)all);
			gt_parallel(be->pool, gt_line_tiles(d->n, j.axis), 1, k->adjoint, &j);
			j.views += batch;
			done += batch;
			left -= batch;
		}
	}
}
