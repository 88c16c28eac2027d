#ifndef GT_PROJECTORS_DD_FAST_DD_SINGLE_H
#define GT_PROJECTORS_DD_FAST_DD_SINGLE_H
/* The distance-driven pair on the CPU in single precision: the interface between driver (dd_single.c) and kernels. The
 * kernels are dd_single_kernels.inc, compiled for each instruction set by dd_single_any.c, dd_single_avx2.c and
 * dd_single_avx512.c. Positions are in double, sums and differences in float, in vectors of rows (forward) or z
 * (adjoint). Few-row detectors: projectors/dd/few. */
#include "core/vectors/sets.h"
#include "projectors/dd/dd_impl.h"
#include "projectors/dd/few/dd_few.h"
#include "projectors/kit/vector_jobs.h"

/* Data of the jobs of one direction. Entry e of a line is the sum of values 0..e, restarted every GT_LINE_RESTART.
 * Lines of a batch are [view][ascending column]. */
typedef struct {
	const gt_dd *d;
	gt_line_order order;
	gt_line_memory memory;
} gt_dd_single;

/* Loops over y (line sums of a volume), over jobs of both directions, and over views of a batch. */
typedef struct {
	const char *name;        /* name of the instruction set */
	gt_loop sum_lines, forward, sum_columns, adjoint;
	gt_dd_few_kernels few;   /* for few-row detectors */
} gt_dd_single_kernels;
extern const gt_dd_single_kernels gt_dd_single_any;
#ifdef GT_X86_KERNELS
extern const gt_dd_single_kernels gt_dd_single_avx2, gt_dd_single_avx512;
#endif

/* Returns 1 if single precision is accurate enough for these tables. */
int    gt_dd_single_takes(const gt_dd *d);
size_t gt_dd_single_scratch(gt_backend *be, const gt_dd *d);
void   gt_dd_single_forward(gt_backend *be, const gt_dd *d, const float *x, float *y);
/* step: taken in place of x = A'y if gt_dd_single_steps(); NULL: none. */
void   gt_dd_single_adjoint(gt_backend *be, const gt_dd *d, const float *y, const gt_row_step *step, float *x);
int    gt_dd_single_steps(const gt_dd *d);
/* Returns the kernels of an instruction set, NULL if the processor lacks it; name NULL: the best set. */
const gt_dd_single_kernels *gt_dd_single_find(const char *name);
/* For tests: all operators use these kernels from now on; NULL: the best set. */
void   gt_dd_single_use(const gt_dd_single_kernels *k);
#endif
