/* Joseph's pair on the CPU in single precision: tables, memory and job order. Memory: 20 bytes per view and column; 4
 * bytes per voxel or per pixel of a batch for zero-padded lines, and the scratch of each worker. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/try.h"
#include "projectors/kit/operator.h"
#include "projectors/ray/fast/joseph_single.h"

enum {
	GROUP = 12,   /* views of a forward job, which share lines of the volume */
	COLUMNS = 128 /* columns of a forward job */
};

GT_KERNEL_SETS(gt_joseph_single)

/* Sets the tables in one block: frames, S, W, lists of views, guesses. */
static void set_tables(char *block, const gt_rays *g, gt_joseph_tables *t)
{
	const size_t columns = g->views * (size_t)g->columns;
	t->level.frame = (const gt_ray_frame *)block;
	t->level.S = (const double *)(block + 2 * g->views * sizeof(gt_ray_frame));
	t->level.W = t->level.S + columns;
	t->views = (size_t *)(t->level.W + columns);
	t->level.guess = (const int *)(t->views + 2 * g->views);
}

static size_t table_bytes(const gt_rays *g)
{
	return g->views * (2 * sizeof(gt_ray_frame) + 2 * sizeof(size_t) + (size_t)g->columns * (2 * sizeof(double) + sizeof(int)));
}

static void list_views(size_t views, gt_joseph_tables *t)
{
	size_t *next = t->views;
	for (int axis = 0; axis < 2; axis++)
		for (size_t v = 0; v < views; v++)
			if (t->level.frame[2 * v + (size_t)axis].count) {
				*next++ = v;
				t->count[axis]++;
			}
}

/* Returns 1 if these kernels take the row distances of an entry in all slices where it meets voxels (up to a voxel
 * outside the grid). Distances are linear in the slice, so the first and the last one bound them. */
static int entry_fits(const gt_rays *g, const gt_ray_frame *f, int axis, double S, double W)
{
	const gt_ray_line l = gt_ray_level_line(GT_RAY_JOSEPH, f, S, W, 0);
	const double beside = 1 + 1e-6, one = (-beside - l.x) / l.x_step, two = (g->n[1 - axis] - 1 + beside - l.x) / l.x_step;
	double first = f->first, last = f->end - 1;
	if (l.x_step != 0) {
		first = fmax(first, ceil(fmin(one, two)));
		last = fmin(last, floor(fmax(one, two)));
	}
	const double a = fma(first, l.row_step, l.row), b = fma(last, l.row_step, l.row);
	return first > last || (fmin(a, b) >= 1.0 / GT_LINE_WIDEST && fmax(a, b) <= GT_LINE_WIDEST);
}

static int all_fit(const gt_rays *g, const gt_ray_level *t)
{
	for (size_t i = 0; i < 2 * g->views; i++) {
		const gt_ray_frame *f = &t->frame[i];
		const size_t at = i / 2 * (size_t)g->columns;
		for (int p = f->start; p < f->start + f->count; p++)
			if (!entry_fits(g, f, (int)(i % 2), t->S[at + (size_t)p], t->W[at + (size_t)p]))
				return 0;
	}
	return 1;
}

gt_status gt_joseph_single_make(gt_backend *be, const gt_rays *host, gt_joseph_tables *t)
{
	gt_status st = GT_OK;
	const size_t bytes = table_bytes(host);
	char *block = calloc(1, bytes), *copy;
	*t = (gt_joseph_tables){ .bytes = 0 };
	if (!block)
		return gt_fail(GT_ERR_MEMORY, "joseph: no memory for the tables of %zu views", host->views);
	set_tables(block, host, t);
	gt_ray_level l = t->level;
	if (!gt_ray_level_fill(host, (gt_ray_frame *)l.frame, (double *)l.S, (double *)l.W, (int *)l.guess, &t->level) ||
	    !all_fit(host, &l))
		goto done;
	set_tables(block, host, t); /* gt_ray_level_fill() clears the pointers */
	list_views(host->views, t);
	if (!(copy = gt_projector_upload(be, block, bytes, "tables of the ray-driven projector")))
		GT_TRY(GT_ERR_MEMORY);
	set_tables(copy, host, t);
	t->bytes = bytes;
done:
	free(block);
	return st;
}

void gt_joseph_single_free(gt_backend *be, gt_joseph_tables *t)
{
	if (t->bytes)
		gt_backend_free(be, (void *)t->level.frame, t->bytes);
}

static gt_line_sizes sizes_of(const gt_rays *g)
{
	/* a line of the volume ends with at least one zero */
	const size_t rows = gt_lanes_of((size_t)g->rows), slices = gt_lanes_of((size_t)g->n[2] + 1);
	gt_line_sizes s = { .row = gt_line_row(g->n) };
	s.forward.lines = s.row * (size_t)g->n[1] * slices;
	s.forward.stride = slices;
	s.forward.worker = (size_t)GROUP * COLUMNS * rows + GT_LINE_SLICES * (slices + 2 * GT_LINE_PAD);
	s.adjoint.lines = gt_lanes_of(gt_line_batch(g->views) * gt_joseph_view_floats(g) +
	                              GT_JOSEPH_BELOW); /* vectors read beyond the last line */
	s.adjoint.stride = gt_joseph_stride(g->rows);
	s.adjoint.worker = GT_LINE_TILE_FLOATS;
	return s;
}

size_t gt_joseph_single_scratch(gt_backend *be, const gt_rays *g)
{
	const gt_line_sizes s = sizes_of(g);
	return gt_line_scratch(be, &s);
}

static void start(gt_backend *be, int back, gt_joseph_single *j)
{
	const gt_line_sizes s = sizes_of(j->g);
	j->memory = gt_line_start(be, &s, back, NULL);
}

void gt_joseph_single_forward(gt_backend *be, const gt_rays *g, const gt_joseph_tables *t, const float *x, float *y)
{
	const gt_joseph_single_kernels *k = gt_joseph_single_best();
	gt_joseph_single j = { .g = g, .level = &t->level, .order = { .count = { g->views }, .group = GROUP, .columns = COLUMNS } };
	start(be, 0, &j);
	j.memory.in = x;
	j.memory.out = y;
	gt_line_forward(be, g->n, g->columns, &j.order, k->copy_lines, k->forward, &j);
}

void gt_joseph_single_adjoint(gt_backend *be, const gt_rays *g, const gt_joseph_tables *t, const float *y, float *x)
{
	const gt_joseph_single_kernels *k = gt_joseph_single_best();
	gt_joseph_single j = { .g = g, .level = &t->level, .order = { .views = t->views, .count = { t->count[0], t->count[1] } } };
	start(be, 1, &j);
	j.memory.in = y;
	j.memory.out = x;
	gt_line_adjoint(be, g->n, &j.order, k->weigh_columns, k->adjoint, &j);
}
