/* Total variation on the CPU: rows of voxels on the thread pool. Voxels are independent, and partial sums depend on
 * the grid alone, so results do not depend on the number of threads. */
#include <math.h>
#include <string.h>
#include "core/clones.h"
#include "regularizers/tv.h"

/* A tile of a pass over the dual: u of two slices of BAND + 1 rows fits the cache. */
enum { PARTS = 256, BAND = 16, CHUNK = 16 };

struct job {
	const struct gt_tv_plan *plan;
	const struct gt_tv_step *step;
	const void *x, *p; /* x serves as z in the proximal step */
	void *g, *d;
	double a;
	struct gt_tv_dual now, old, out;
	char *scratch;
	double part[PARTS][2];
};

static size_t rows(const struct gt_tv_plan *p) { return p->n[1] * p->n[2]; }
static size_t tiles(size_t n, size_t size) { return (n + size - 1) / size; }

/* Two slices of u per thread, in whole cache lines. */
static size_t worker_bytes(const struct gt_tv_plan *p, gt_type type)
{
	const size_t high = p->n[1] < BAND + 1 ? p->n[1] : BAND + 1;
	return (2 * high * p->n[0] * gt_type_size(type) + 63) / 64 * 64;
}

#define T float
#define NAMED(name) name##_single
#define ROOT sqrtf
#define INVERSE_ROOT(x) (1 / sqrtf(x))
#include "regularizers/tv_math.inc"
#include "regularizers/tv_cpu_typed.inc"
#undef T
#undef NAMED
#undef ROOT
#undef INVERSE_ROOT
#undef TV_TYPED
#undef TV_CONSTANTS
#define T double
#define NAMED(name) name##_double
#define ROOT sqrt
#define INVERSE_ROOT(x) (1 / sqrt(x))
#include "regularizers/tv_math.inc"
#include "regularizers/tv_cpu_typed.inc"

static size_t scratch_(gt_backend *be, const struct gt_tv_plan *p, gt_type type)
{
	return worker_bytes(p, type) * (size_t)gt_pool_threads(be->pool);
}

static void sums_(gt_backend *be, const struct gt_tv_plan *plan, gt_type type, const void *x, const void *p, double a, double *first,
                  double *curvature)
{
	struct job j = { .plan = plan, .x = x, .p = p, .a = a };
	gt_parallel(be->pool, PARTS, 1, type == GT_F32 ? sum_part_single : sum_part_double, &j);
	double sum[2] = { 0, 0 };
	for (int k = 0; k < PARTS; k++) {
		sum[0] += j.part[k][0];
		sum[1] += j.part[k][1];
	}
	*first = plan->strength * sum[0];
	if (p)
		*curvature = plan->strength * sum[1];
}

static void gradient_(gt_backend *be, const struct gt_tv_plan *plan, gt_type type, const void *x, void *g, void *d)
{
	struct job j = { .plan = plan, .x = x, .g = g, .d = d };
	gt_parallel(be->pool, rows(plan), BAND, type == GT_F32 ? gradient_rows_single : gradient_rows_double, &j);
}

static void majorize_(gt_backend *be, const struct gt_tv_plan *plan, gt_type type, void *d)
{
	struct job j = { .plan = plan, .d = d };
	gt_parallel(be->pool, rows(plan), BAND, type == GT_F32 ? majorize_rows_single : majorize_rows_double, &j);
}

static void dual_(gt_backend *be, const struct gt_tv_plan *plan, gt_type type, const struct gt_tv_step *s, const void *z,
                  const struct gt_tv_dual *p, const struct gt_tv_dual *old, const struct gt_tv_dual *out)
{
	struct job j = { .plan = plan, .step = s, .x = z, .now = *p, .old = *old, .out = *out, .scratch = gt_scratch(be) };
	gt_parallel(be->pool, tiles(plan->n[1], BAND) * tiles(plan->n[2], CHUNK), 1, type == GT_F32 ? dual_tiles_single : dual_tiles_double,
	            &j);
}

static void primal_(gt_backend *be, const struct gt_tv_plan *plan, gt_type type, const struct gt_tv_step *s, const void *z,
                    const struct gt_tv_dual *p, void *x)
{
	struct job j = { .plan = plan, .step = s, .x = z, .now = *p, .old = *p, .g = x };
	gt_parallel(be->pool, rows(plan), BAND, type == GT_F32 ? primal_rows_single : primal_rows_double, &j);
}

const struct gt_tv_impl gt_tv_cpu = { scratch_, sums_, gradient_, majorize_, dual_, primal_ };
