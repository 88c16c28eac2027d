/* The distance-driven pair for tilted detectors on the CPU: instruction set, memory and job order. Memory: a copy of
 * the volume or of the weighted pixels of a batch of views, and the scratch of each worker. Single-precision arrays are
 * copied to double if the heights of rows and voxels differ much. */
#include <string.h>
#include "core/vectors/sets.h"
#include "projectors/dd/tilt/dd_tilt_operator.h"

enum {
	GROUP = 8,  /* views of a forward job, which share lines of the volume */
	STRIPS = 64 /* strips of a forward job */
};

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

/* Memory, in values. */

static size_t volume_values(const gt_dd_tilt *d) { return gt_line_row(d->n) * (size_t)d->n[1] * gt_lanes_of((size_t)d->n[2]); }
static size_t batch_values(const gt_dd_tilt *d) { return gt_line_batch(d->views) * (size_t)d->strips * gt_lanes_of((size_t)d->pieces); }
static size_t forward_values(const gt_dd_tilt *d)
{
	return (size_t)GROUP * STRIPS * gt_lanes_of((size_t)d->pieces) + GT_LINE_SLICES * gt_line_window(d->n[2]);
}
static size_t adjoint_values(const gt_dd_tilt *d) { return GT_LINE_TILE_FLOATS + gt_line_window(d->pieces); }
/* Returns 1 for single-precision arrays whose pair is computed in double; both arrays are then copied. */
static int by_double(const gt_dd_tilt_plan *p, gt_type t) { return t == GT_F32 && p->rows > GT_LINE_WIDEST; }
static size_t volume_size(const gt_dd_tilt *d) { return (size_t)d->n[0] * (size_t)d->n[1] * (size_t)d->n[2]; }
static size_t data_size(const gt_dd_tilt *d) { return d->views * (size_t)d->rows * (size_t)d->columns; }

static size_t scratch(gt_backend *be, const gt_dd_tilt_plan *p, gt_type t)
{
	const gt_dd_tilt *d = &p->d;
	if (by_double(p, t))
		return scratch(be, p, GT_F64) + (volume_size(d) + data_size(d)) * sizeof(double);
	const size_t workers = (size_t)gt_pool_threads(be->pool);
	const size_t forward = volume_values(d) + workers * forward_values(d), adjoint = batch_values(d) + workers * adjoint_values(d);
	return (forward > adjoint ? forward : adjoint) * gt_type_size(t) + 64;
}

/* Sets the memory of a job from `memory` on; lines: number of their values. */
static void start_job(const gt_dd_tilt_plan *p, gt_type t, size_t lines, void *memory, gt_dd_tilt_jobs *j)
{
	j->order.views = p->order;
	memcpy(j->order.count, p->count, sizeof j->order.count);
	j->row = gt_line_row(p->d.n);
	j->lines = (void *)(((size_t)memory + 63) & ~(size_t)63);
	j->scratch = (char *)j->lines + lines * gt_type_size(t);
}

static void project(gt_backend *be, const gt_dd_tilt_plan *p, gt_type t, void *memory, const void *x, void *y)
{
	const gt_dd_tilt *d = &p->d;
	const gt_dd_tilt_kernels *k = best(t);
	gt_dd_tilt_jobs j = { .d = d, .in = x, .out = y, .order = { .group = GROUP, .columns = STRIPS } };
	j.stride = gt_lanes_of((size_t)d->n[2]);
	j.scratch_size = forward_values(d);
	start_job(p, t, volume_values(d), memory, &j);
	gt_line_forward(be, d->n, d->strips, &j.order, k->copy_lines, k->forward, &j);
}

static void project_back(gt_backend *be, const gt_dd_tilt_plan *p, gt_type t, void *memory, const void *y, void *x)
{
	const gt_dd_tilt *d = &p->d;
	const gt_dd_tilt_kernels *k = best(t);
	gt_dd_tilt_jobs j = { .d = d, .in = y, .out = x };
	j.stride = gt_lanes_of((size_t)d->pieces);
	j.scratch_size = adjoint_values(d);
	start_job(p, t, batch_values(d), memory, &j);
	memset(x, 0, volume_size(d) * gt_type_size(t));
	gt_line_adjoint(be, d->n, &j.order, k->weigh_views, k->adjoint, &j);
}

typedef void direction(gt_backend *be, const gt_dd_tilt_plan *p, gt_type t, void *memory, const void *in, void *out);

/* Applies one direction in double: m values -> n values. */
static void apply_by_double(gt_backend *be, const gt_dd_tilt_plan *p, direction *apply, const float *in, size_t m, float *out, size_t n)
{
	double *wide = gt_scratch(be), *result = wide + m;
	for (size_t i = 0; i < m; i++)
		wide[i] = (double)in[i];
	apply(be, p, GT_F64, result + n, wide, result);
	for (size_t i = 0; i < n; i++)
		out[i] = (float)result[i];
}

static void forward(gt_backend *be, const gt_dd_tilt_plan *p, gt_type t, const void *x, void *y)
{
	if (by_double(p, t))
		apply_by_double(be, p, project, x, volume_size(&p->d), y, data_size(&p->d));
	else
		project(be, p, t, gt_scratch(be), x, y);
}

static void adjoint(gt_backend *be, const gt_dd_tilt_plan *p, gt_type t, const void *y, void *x)
{
	if (by_double(p, t))
		apply_by_double(be, p, project_back, y, data_size(&p->d), x, volume_size(&p->d));
	else
		project_back(be, p, t, gt_scratch(be), y, x);
}

const struct gt_dd_tilt_impl gt_dd_tilt_cpu = { scratch, forward, adjoint };
