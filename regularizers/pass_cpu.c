/* Passes on the CPU: rows of voxels on the thread pool. Partial sums depend on the volume alone, so results do not
 * depend on the number of threads. */
#include <math.h>
#include <gantry/author/host_device.h>
#include "core/clones.h"
#include "regularizers/pass.h"

enum { PARTS = 256, GRAIN = 8 };

struct pass_job {
	const struct gt_pass_range *range;
	const struct gt_pass_call *call;
	size_t part_rows; /* 0: no sums */
	double part[PARTS][2];
};

#define T float
#define NAMED(name) name##_single
#define ROOT(x) sqrtf(x)
#define EXP(x) expf(x)
#include "regularizers/pass_math.inc"
#include "regularizers/pass_cpu_typed.inc"
#undef T
#undef NAMED
#undef ROOT
#undef EXP
#undef PASS_TYPED
#undef PASS_ARGS
#undef INVERSE_ROOT
#undef PASS_UNUSED
#undef PASS
#define T double
#define NAMED(name) name##_double
#define ROOT(x) sqrt(x)
#define EXP(x) exp(x)
#include "regularizers/pass_math.inc"
#include "regularizers/pass_cpu_typed.inc"

static void run(gt_backend *be, gt_type type, const struct gt_pass_range *range, enum gt_pass pass, const struct gt_pass_call *call,
                double *first, double *second)
{
	const size_t rows = range->n[1] * (range->end - range->from);
	struct pass_job j = { .range = range, .call = call, .part_rows = first ? (rows + PARTS - 1) / PARTS : 0 };
	const gt_loop loop = type == GT_F32 ? loops_single[pass] : loops_double[pass];
	double sum[2] = { 0, 0 };
	gt_parallel(be->pool, first ? PARTS : rows, first ? 1 : GRAIN, loop, &j);
	if (!first)
		return;
	for (int k = 0; k < PARTS; k++) {
		sum[0] += j.part[k][0];
		sum[1] += j.part[k][1];
	}
	*first = sum[0];
	if (second)
		*second = sum[1];
}

const struct gt_pass_impl gt_pass_cpu = { 0, run };
