/* The distance-driven pair for tilted detectors on the CPU: the choice of the instruction set, memory, and the order of
 * jobs. Memory: a copy of the volume or of the weighted pixels of BATCH views, and what each worker needs. */
#include <string.h>
#include "core/poll.h"
#include "core/vectors/sets.h"
#include "projectors/dd/tilt/dd_tilt_operator.h"

enum {
	GROUP = 8,   /* views of a job of the forward direction, which share lines of the volume */
	STRIPS = 64, /* its strips */
	BATCH = 32   /* views whose pixels the adjoint holds at a time */
};

/* Kernels ------------------------------------------------------------------ */

GT_KERNEL_SETS(gt_dd_tilt)

static const gt_dd_tilt_kernels *best(gt_type t)
{
	if (t == GT_F32)
		return gt_dd_tilt_best();
#ifdef GT_X86_KERNELS
	if (gt_runs_here("avx2"))
		return &gt_dd_tilt_avx2_double;
#endif
	return &gt_dd_tilt_any_double;
}

/* Memory, in values -------------------------------------------------------- */

/* An odd number, so that the same place of neighbouring lines is not in the same set of a cache. */
static size_t row_of(const gt_dd_tilt *d) { return (size_t)d->n[0] | 1; }
static size_t volume_values(const gt_dd_tilt *d) { return row_of(d) * (size_t)d->n[1] * gt_lanes_of((size_t)d->n[2]); }
static size_t batch_values(const gt_dd_tilt *d)
{
	return (d->views < BATCH ? d->views : BATCH) * (size_t)d->strips * gt_lanes_of((size_t)d->pieces);
}
static size_t window_values(int length) { return gt_lanes_of((size_t)length) + 2 * GT_LINE_PAD; }
static size_t forward_values(const gt_dd_tilt *d)
{
	return (size_t)GROUP * STRIPS * gt_lanes_of((size_t)d->pieces) + GT_LINE_SLICES * window_values(d->n[2]);
}
static size_t adjoint_values(const gt_dd_tilt *d) { return GT_LINE_TILE_FLOATS + window_values(d->pieces); }
static size_t scratch(gt_backend *be, const gt_dd_tilt_plan *p, gt_type t)
{
	const gt_dd_tilt *d = &p->d;
	const size_t workers = (size_t)gt_pool_threads(be->pool);
	const size_t forward = volume_values(d) + workers * forward_values(d), adjoint = batch_values(d) + workers * adjoint_values(d);
	return (forward > adjoint ? forward : adjoint) * gt_type_size(t) + 64;
}

/* The memory of a job; lines take so many values. */
static void start_job(gt_backend *be, const gt_dd_tilt_plan *p, gt_type t, size_t lines, gt_dd_tilt_jobs *j)
{
	j->views = p->order;
	memcpy(j->count, p->count, sizeof j->count);
	j->row = row_of(&p->d);
	j->lines = (void *)(((size_t)gt_scratch(be) + 63) & ~(size_t)63);
	j->scratch = (char *)j->lines + lines * gt_type_size(t);
}

/* Both directions ---------------------------------------------------------- */

static size_t forward_jobs(const gt_dd_tilt_jobs *j)
{
	const size_t group = (size_t)j->group;
	return (gt_pieces_of(j->count[0], group) + gt_pieces_of(j->count[1], group)) *
	       gt_pieces_of((size_t)j->d->strips, (size_t)j->strips);
}

static void forward(gt_backend *be, const gt_dd_tilt_plan *p, gt_type t, const void *x, void *y)
{
	const gt_dd_tilt *d = &p->d;
	const gt_dd_tilt_kernels *k = best(t);
	const size_t enough = 8 * (size_t)gt_pool_threads(be->pool);
	gt_dd_tilt_jobs j = { .d = d, .in = x, .out = y, .group = GROUP, .strips = STRIPS };
	j.stride = gt_lanes_of((size_t)d->n[2]);
	j.scratch_size = forward_values(d);
	start_job(be, p, t, volume_values(d), &j);
	while (forward_jobs(&j) < enough && j.strips > 16) { /* no pixel depends on how they are shared out */
		j.strips /= 2;
		j.group = j.group > 2 ? j.group / 2 : j.group;
	}
	gt_parallel(be->pool, (size_t)d->n[1], 1, k->copy_lines, &j);
	gt_poll_part(0, 1);
	gt_parallel(be->pool, forward_jobs(&j), 1, k->forward, &j);
}

static void adjoint(gt_backend *be, const gt_dd_tilt_plan *p, gt_type t, const void *y, void *x)
{
	const gt_dd_tilt *d = &p->d;
	const gt_dd_tilt_kernels *k = best(t);
	gt_dd_tilt_jobs j = { .d = d, .in = y, .out = x };
	j.stride = gt_lanes_of((size_t)d->pieces);
	j.scratch_size = adjoint_values(d);
	start_job(be, p, t, batch_values(d), &j);
	const double views = (double)(p->count[0] + p->count[1]);
	memset(x, 0, (size_t)d->n[0] * (size_t)d->n[1] * (size_t)d->n[2] * gt_type_size(t));
	for (j.axis = 0; j.axis < 2; j.axis++)
		for (size_t done = 0; done < p->count[j.axis]; done += j.count[j.axis]) {
			const size_t left = p->count[j.axis] - done;
			j.views = p->order + (j.axis ? p->count[0] : 0) + done;
			j.count[j.axis] = gt_pieces_of(left, gt_pieces_of(left, BATCH));
			const double before = (double)(done + (j.axis ? p->count[0] : 0));
			gt_parallel(be->pool, j.count[j.axis], 1, k->weigh_views, &j);
			gt_poll_part(before / views, (before + (double)j.count[j.axis]) / views);
			gt_parallel(be->pool, gt_line_tiles(d->n, j.axis), 1, k->adjoint, &j);
		}
}

const struct gt_dd_tilt_impl gt_dd_tilt_cpu = { scratch, forward, adjoint };
