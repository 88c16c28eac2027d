#ifndef GT_PROJECTORS_KIT_CPU_PAIR_H
#define GT_PROJECTORS_KIT_CPU_PAIR_H
/* Drivers of the forward projection and the backprojection in double precision on the CPU, for projectors that use
 * running sums. Forward: running sums of all voxel lines, then jobs of views and columns. Adjoint: running sums of a
 * batch of views, then jobs of voxel tiles. Memory: 8 bytes per voxel or per pixel of BATCH views, and the scratch of
 * each worker. */
#include <gantry/threads.h>
#include "core/device/backend.h"
#include "core/poll.h"
#include "projectors/kit/cpu_tiles.h"

enum {
	VIEWS = 8, /* adjacent views of a forward job; they share lines of the volume */
	BATCH = 32 /* views whose running sums the adjoint holds at a time */
};

/* Input of a job; d: the tables of the projector. */
struct job {
	const void *d;
	gt_type type;
	const void *in;
	void *out;
	double *sums;    /* lines of running sums, padded(length) each */
	double *scratch; /* scratch_size doubles for each worker */
	size_t scratch_size;
	size_t first_view, views;
};

/* The sizes of a projector; n: voxels along x, y, z. */
struct extents {
	const int *n;
	size_t views;
	int rows, columns;
};
#define EXTENTS_OF(d) ((struct extents){ (d)->n, (d)->views, (d)->rows, (d)->columns })

static inline size_t batch_doubles(const struct extents *e)
{
	return (e->views < BATCH ? e->views : BATCH) * (size_t)e->columns * padded(e->rows);
}

/* Bytes of scratch for both directions; forward, adjoint: doubles that each worker needs. */
static inline size_t pair_scratch(gt_backend *be, struct extents e, size_t forward, size_t adjoint)
{
	const size_t workers = (size_t)gt_pool_threads(be->pool);
	const size_t forwards = line_doubles(e.n) + workers * forward, adjoints = batch_doubles(&e) + workers * adjoint;
	return (forwards > adjoints ? forwards : adjoints) * sizeof(double);
}

/* j: d, type, in, out and scratch_size are set. The job index counts tiles of `columns` columns, then groups of VIEWS
 * views. */
static inline void run_forward(gt_backend *be, struct extents e, struct job *j, int columns, gt_loop job)
{
	const size_t tiles = ((size_t)e.columns + (size_t)columns - 1) / (size_t)columns, groups = (e.views + VIEWS - 1) / VIEWS;
	j->sums = (double *)gt_scratch(be);
	j->scratch = j->sums + line_doubles(e.n);
	struct lines lines = { e.n, j->type, j->in, j->sums };
	gt_parallel(be->pool, (size_t)e.n[1], 1, sum_lines, &lines);
	gt_poll_part(0, 1);
	gt_parallel(be->pool, groups * tiles, 1, job, j);
}

/* sum_view: running sums of view first_view + i; job: adds all views of the batch to tile i. */
static inline void run_adjoint(gt_backend *be, struct extents e, struct job *j, gt_loop sum_view, gt_loop job)
{
	j->sums = (double *)gt_scratch(be);
	j->scratch = j->sums + batch_doubles(&e);
	memset(j->out, 0, (size_t)e.n[0] * (size_t)e.n[1] * (size_t)e.n[2] * gt_type_size(j->type));
	for (j->first_view = 0; j->first_view < e.views; j->first_view += BATCH) {
		j->views = e.views - j->first_view < BATCH ? e.views - j->first_view : BATCH;
		gt_parallel(be->pool, j->views, 1, sum_view, j);
		gt_poll_part((double)j->first_view / (double)e.views, (double)(j->first_view + j->views) / (double)e.views);
		gt_parallel(be->pool, tiles_of(e.n), 1, job, j);
	}
}
#endif
