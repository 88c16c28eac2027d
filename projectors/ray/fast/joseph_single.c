/* Joseph's pair on the CPU in single precision: tables, memory, and the order of jobs. Memory: 20 bytes for each view
 * and column; lines of the volume, or of BATCH views, 4 bytes a voxel or pixel and some zeros, and what each worker
 * needs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/poll.h"
#include "core/try.h"
#include "projectors/kit/operator.h"
#include "projectors/ray/fast/joseph_single.h"

enum {
	GROUP = 12,    /* views of a job of the forward direction, which share lines of the volume */
	COLUMNS = 128, /* its columns */
	BATCH = 32     /* views whose columns the adjoint holds at a time */
};

GT_KERNEL_SETS(gt_joseph_single)

/* Tables ------------------------------------------------------------------- */

/* One block: frames, S, W, lists of views, guesses. */
static void set_tables(char *block, const gt_rays *g, gt_joseph_tables *t)
{
	const size_t columns = g->views * (size_t)g->columns;
	t->level.frame = (const gt_ray_frame *)block;
	t->level.S = (const double *)(block + 2 * g->views * sizeof(gt_ray_frame));
	t->level.W = t->level.S + columns;
	t->views[0] = (size_t *)(t->level.W + columns);
	t->views[1] = t->views[0] + g->views;
	t->level.guess = (const int *)(t->views[1] + g->views);
}

static size_t table_bytes(const gt_rays *g)
{
	return g->views * (2 * sizeof(gt_ray_frame) + 2 * sizeof(size_t) + (size_t)g->columns * (2 * sizeof(double) + sizeof(int)));
}

static void list_views(size_t views, gt_joseph_tables *t)
{
	for (size_t v = 0; v < views; v++)
		for (int axis = 0; axis < 2; axis++)
			if (t->level.frame[2 * v + (size_t)axis].count)
				t->views[axis][t->count[axis]++] = v;
}

/* Are rows as far apart as these kernels take, wherever an entry meets voxels: in the middles of slices, up to a
 * voxel beside the grid? Distances grow evenly, so that the first and the last slice tell. */
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
	return first > last || (fmin(a, b) >= 1.0 / GT_JOSEPH_WIDEST && fmax(a, b) <= GT_JOSEPH_WIDEST);
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
	set_tables(block, host, t); /* filling a level clears its pointers */
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

/* Memory ------------------------------------------------------------------- */

/* An odd number, so that the same place of neighbouring lines is not in the same set of a cache. */
static size_t row_of(const gt_rays *g) { return (size_t)g->n[0] | 1; }
/* Of a line of the volume: a zero at least beyond its end. */
static size_t stride_of(const gt_rays *g) { return gt_lanes_of((size_t)g->n[2] + 1); }
static size_t volume_floats(const gt_rays *g) { return row_of(g) * (size_t)g->n[1] * stride_of(g); }
/* Vectors reach beyond the last line. */
static size_t batch_floats(const gt_rays *g) { return (g->views < BATCH ? g->views : BATCH) * gt_joseph_view_floats(g) + GT_JOSEPH_BELOW; }
static size_t forward_floats(const gt_rays *g)
{
	return (size_t)GROUP * COLUMNS * gt_lanes_of((size_t)g->rows) + GT_LINE_SLICES * (stride_of(g) + 2 * GT_LINE_PAD);
}

size_t gt_joseph_single_scratch(gt_backend *be, const gt_rays *g)
{
	const size_t workers = (size_t)gt_pool_threads(be->pool);
	const size_t forward = volume_floats(g) + workers * forward_floats(g), adjoint = batch_floats(g) + workers * GT_LINE_TILE_FLOATS;
	return (forward > adjoint ? forward : adjoint) * sizeof(float) + 64;
}

/* The memory of a job; lines take so many floats. */
static void start_job(gt_backend *be, gt_joseph_single *j, size_t lines)
{
	j->lines = (float *)(((size_t)gt_scratch(be) + 63) & ~(size_t)63);
	j->scratch = j->lines + lines;
	j->row = row_of(j->g);
}

/* Both directions ---------------------------------------------------------- */

static size_t forward_jobs(const gt_joseph_single *j)
{
	return gt_pieces_of(j->g->views, (size_t)j->group) * gt_pieces_of((size_t)j->g->columns, (size_t)j->columns);
}

void gt_joseph_single_forward(gt_backend *be, const gt_rays *g, const gt_joseph_tables *t, const float *x, float *y)
{
	const gt_joseph_single_kernels *k = gt_joseph_single_best();
	const size_t enough = 8 * (size_t)gt_pool_threads(be->pool);
	gt_joseph_single j = { .g = g, .level = &t->level, .in = x, .out = y, .group = GROUP, .columns = COLUMNS };
	j.stride = stride_of(g);
	j.scratch_floats = forward_floats(g);
	start_job(be, &j, volume_floats(g));
	while (forward_jobs(&j) < enough && j.columns > 16) { /* no pixel depends on how they are shared out */
		j.columns /= 2;
		j.group = j.group > 3 ? j.group / 2 : j.group;
	}
	gt_parallel(be->pool, (size_t)g->n[1], 1, k->copy_lines, &j);
	gt_poll_part(0, 1);
	gt_parallel(be->pool, forward_jobs(&j), 1, k->forward, &j);
}

void gt_joseph_single_adjoint(gt_backend *be, const gt_rays *g, const gt_joseph_tables *t, const float *y, float *x)
{
	const gt_joseph_single_kernels *k = gt_joseph_single_best();
	gt_joseph_single j = { .g = g, .level = &t->level, .in = y, .out = x };
	j.stride = gt_joseph_stride(g->rows);
	j.scratch_floats = GT_LINE_TILE_FLOATS;
	start_job(be, &j, gt_lanes_of(batch_floats(g)));
	memset(x, 0, (size_t)g->n[0] * (size_t)g->n[1] * (size_t)g->n[2] * sizeof *x);
	const double views = (double)(t->count[0] + t->count[1]);
	for (j.axis = 0; j.axis < 2; j.axis++)
		for (size_t done = 0; done < t->count[j.axis]; done += j.count) {
			const double before = (double)(done + (j.axis ? t->count[0] : 0));
			const size_t left = t->count[j.axis] - done;
			j.views = t->views[j.axis] + done;
			j.count = gt_pieces_of(left, gt_pieces_of(left, BATCH));
			gt_parallel(be->pool, j.count, 1, k->weigh_columns, &j);
			gt_poll_part(before / views, (before + (double)j.count) / views);
			gt_parallel(be->pool, gt_line_tiles(g->n, j.axis), 1, k->adjoint, &j);
		}
}
