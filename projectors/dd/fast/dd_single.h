#ifndef GT_PROJECTORS_DD_FAST_DD_SINGLE_H
#define GT_PROJECTORS_DD_FAST_DD_SINGLE_H
/* The distance-driven pair on the CPU for arrays in single precision: what its driver (dd_single.c) and its kernels
 * share. The kernels are one text, dd_single_kernels.inc, compiled for each instruction set by dd_single_any.c,
 * dd_single_avx2.c and dd_single_avx512.c. Places are found in double, sums and differences are taken in float, in
 * vectors of rows (forward) or z (back); for detectors of few rows see projectors/dd/few. */
#include "core/vectors/sets.h"
#include "projectors/dd/dd_impl.h"
#include "projectors/dd/few/dd_few.h"
#include "projectors/kit/vector_jobs.h"

/* What the jobs of one direction share; lines hold the sum of values 0..e as entry e, begun again every
 * GT_LINE_RESTART; those of a batch are [view][ascending column]. */
typedef struct {
	const gt_dd *d;
	gt_line_order order;
	gt_line_memory memory;
} gt_dd_single;

/* Loops over y (sums of the lines of a volume), over jobs of both directions, and over views of a batch. */
typedef struct {
	const char *name;        /* of the instruction set */
	gt_loop sum_lines, forward, sum_columns, adjoint;
	gt_dd_few_kernels few;   /* the same for detectors of few rows */
} gt_dd_single_kernels;
extern const gt_dd_single_kernels gt_dd_single_any;
#ifdef GT_X86_KERNELS
extern const gt_dd_single_kernels gt_dd_single_avx2, gt_dd_single_avx512;
#endif

/* Can the pair of these tables be computed in single precision? */
int    gt_dd_single_takes(const gt_dd *d);
size_t gt_dd_single_scratch(gt_backend *be, const gt_dd *d);
void   gt_dd_single_forward(gt_backend *be, const gt_dd *d, const float *x, float *y);
void   gt_dd_single_adjoint(gt_backend *be, const gt_dd *d, const float *y, float *x);
/* The kernels of an instruction set, of the best there is if name is NULL; NULL if the processor does not have it. */
const gt_dd_single_kernels *gt_dd_single_find(const char *name);
/* Tests: every operator uses these kernels from here on; NULL: the best that there are. */
void   gt_dd_single_use(const gt_dd_single_kernels *k);
#endif
