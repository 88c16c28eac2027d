/* Filtered backprojection on the CPU: FFTW row by row, then columns of voxels, threaded over both. Every voxel adds its
 * views in order, so the result does not depend on the number of threads. Memory: the filtered views of a batch. */
#include <fftw3.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "analytic/fbp/back_span.h"
#include "analytic/fbp/fast/back_single.h"

enum {
	ROWS_AT_ONCE = 16,    /* rows filtered together: one cache line of the scratch */
	COLUMNS_AT_ONCE = 16, /* columns of an image copied together: one cache line of a row */
	TILE = 16,            /* columns of voxels with separate sums */
	SLICES = 64,          /* slices that share a base row */
};

struct state {
	gt_backend *be;
	const gt_fbp_plan *plan;
	gt_type type;
	void *scratch, *work;
	size_t scratch_bytes, work_stride, work_bytes; /* one stride per worker */
	fftwf_plan fftwf_forth, fftwf_back;
	fftw_plan fftw_forth, fftw_back;
	double unit; /* scale of rows during the filter: see unit_of() */
};
struct filtering {
	const struct state *state;
	const void *data;
	size_t first;
};
struct placing {
	const struct state *state;
	const float *images;
};
struct backing {
	const struct state *state;
	void *x;
	size_t first, n;
};

static size_t row_groups(const gt_fbp_plan *p) { return (p->rows + ROWS_AT_ONCE - 1) / ROWS_AT_ONCE; }

static size_t column_groups(const gt_fbp_plan *p) { return (p->row.wide + COLUMNS_AT_ONCE - 1) / COLUMNS_AT_ONCE; }

/* Returns a power of two that cancels the largest gain and the length of the transform, by which the response is
 * divided. Rows of denormal values do not underflow in this unit, and normal values stay bit-identical. */
static double unit_of(const gt_fbp_plan *p)
{
	double max = 0;
	for (size_t k = 0; k < p->tables * p->columns; k++)
		max = fmax(max, fabs(p->gain[k]));
	return max > 0 && p->row.n ? ldexp(1, ilogb((double)p->row.n / max)) : 1;
}

#define T float
#define NAMED(name) name##_single
#define FFTW(name) fftwf_##name
#include "analytic/fbp/fbp_cpu_typed.inc"
#undef T
#undef NAMED
#undef FFTW
#define T double
#define NAMED(name) name##_double
#define FFTW(name) fftw_##name
#include "analytic/fbp/fbp_cpu_typed.inc"
#undef T
#undef NAMED
#undef FFTW

static void close_(void *self)
{
	struct state *s = self;
	if (s->type == GT_F32)
		drop_transforms_single(s);
	else
		drop_transforms_double(s);
	gt_backend_free(s->be, s->scratch, s->scratch_bytes);
	gt_backend_free(s->be, s->work, s->work_bytes);
	free(s);
}

/* Tilted detectors need separate positions for each slice. */
static int is_fast(const gt_fbp_plan *p, gt_type type) { return type == GT_F32 && !p->tilted; }

/* Bytes per worker: a row and its group for the filter, sums and a line for the backprojection; whole cache lines. */
static size_t work_size(const gt_fbp_plan *p, size_t element)
{
	const size_t filter = (p->row.n + 2 + 15) / 16 * 16 + p->row.wide * ROWS_AT_ONCE;
	const size_t back = TILE * p->grid.n[2] + p->rows + 2;
	const size_t bytes = ((filter > back ? filter : back) * element + 63) / 64 * 64, fast = gt_back_single_bytes(p);
	return element == sizeof(float) && fast > bytes ? fast : bytes;
}

static gt_status open_(gt_backend *be, const gt_fbp_plan *p, gt_type type, size_t *batch, void **out)
{
	const size_t element = gt_type_size(type), view = p->rows * p->row.wide * element;
	const size_t level = is_fast(p, type) ? gt_back_level(p) * sizeof(float) : 0;
	struct state *s = calloc(1, sizeof *s);
	gt_status st = GT_OK;
	if (!s)
		return gt_fail(GT_ERR_MEMORY, "no memory for filtered backprojection");
	s->be = be;
	s->plan = p;
	s->type = type;
	s->unit = unit_of(p);
	s->work_stride = work_size(p, element);
	s->work_bytes = s->work_stride * (size_t)gt_pool_threads(be->pool);
	*batch = *batch ? *batch : gt_fbp_batch(be, p, view + level);
	s->scratch_bytes = *batch * (view + level) + GT_BACK_BEYOND * sizeof(float);
	s->work = gt_backend_alloc(be, s->work_bytes, "lines of filtered backprojection");
	s->scratch = s->work ? gt_backend_alloc(be, s->scratch_bytes, "filtered views") : NULL;
	if (!s->work || !s->scratch)
		st = GT_ERR_MEMORY;
	else if (p->row.n && !(type == GT_F32 ? plan_transforms_single(s) : plan_transforms_double(s)))
		st = gt_fail(GT_ERR_MEMORY, "no plan for transforms of %zu samples", p->row.n);
	if (st != GT_OK)
		close_(s);
	else
		*out = s;
	return st;
}

static void filter_(void *self, size_t first, size_t n, const void *data)
{
	const struct state *s = self;
	struct filtering f = { s, data, first };
	gt_parallel(s->be->pool, n * row_groups(s->plan), 1, s->type == GT_F32 ? filter_rows_single : filter_rows_double, &f);
}

static void place_(void *self, size_t n, const float *images)
{
	const struct state *s = self;
	struct placing p = { s, images };
	gt_parallel(s->be->pool, n * column_groups(s->plan), 1, s->type == GT_F32 ? place_columns_single : place_columns_double, &p);
}

static void back_(void *self, size_t first, size_t n, void *x)
{
	const struct state *s = self;
	const gt_grid *g = &s->plan->grid;
	struct backing b = { s, x, first, n };
	if (is_fast(s->plan, s->type)) {
		float *level = gt_back_level(s->plan) ? (float *)s->scratch + n * s->plan->rows * s->plan->row.wide + GT_BACK_BEYOND : NULL;
		gt_back_single_run(s->be->pool, &(gt_back_single){ s->plan, s->scratch, first, n, x, s->work, s->work_stride, level });
		return;
	}
	gt_parallel(s->be->pool, g->n[1] * ((g->n[0] + TILE - 1) / TILE), 1, s->type == GT_F32 ? back_tiles_single : back_tiles_double, &b);
}

const struct gt_fbp_impl gt_fbp_cpu = { open_, filter_, place_, back_, close_ };

const void *gt_fbp_cpu_filtered(const void *state) { return ((const struct state *)state)->scratch; }
