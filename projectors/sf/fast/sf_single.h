#ifndef GT_PROJECTORS_SF_FAST_SF_SINGLE_H
#define GT_PROJECTORS_SF_FAST_SF_SINGLE_H
/* SF-TR on the CPU for arrays in single precision and upright views: the interface between driver (sf_single.c) and
 * kernels. The kernels are sf_single_kernels.inc, compiled for each instruction set by sf_single_any.c,
 * sf_single_avx2.c and sf_single_avx512.c. Positions and weights are in double, sums and differences in float, in
 * vectors of rows (forward) or z (adjoint). */
#include "core/vectors/sets.h"
#include "projectors/kit/vector_jobs.h"
#include "projectors/sf/sf_impl.h"

/* Data of the jobs of one direction. Lines are running sums (kit/vector_sums.inc); lines of a batch are
 * [view][column]. */
typedef struct {
	const gt_sf *d;
	gt_line_order order;
	gt_line_memory memory;
} gt_sf_single;

/* Loops over y (line sums of a volume), over jobs of both directions, and over views of a batch. */
typedef struct {
	const char *name;        /* name of the instruction set */
	gt_loop sum_lines, forward, sum_columns, adjoint;
} gt_sf_single_kernels;
extern const gt_sf_single_kernels gt_sf_single_any;
#ifdef GT_X86_KERNELS
extern const gt_sf_single_kernels gt_sf_single_avx2, gt_sf_single_avx512;
#endif

/* Returns 1 if single precision is accurate enough for these tables, which are in host memory. */
int    gt_sf_single_takes(const gt_sf *d);
size_t gt_sf_single_scratch(gt_backend *be, const gt_sf *d);
void   gt_sf_single_forward(gt_backend *be, const gt_sf *d, const float *x, float *y);
void   gt_sf_single_adjoint(gt_backend *be, const gt_sf *d, const float *y, float *x);
/* Returns the kernels of an instruction set, NULL if the processor lacks it; name NULL: the best set. */
const gt_sf_single_kernels *gt_sf_single_find(const char *name);
/* For tests: all operators use these kernels from now on; NULL: the best set. */
void   gt_sf_single_use(const gt_sf_single_kernels *k);
#endif
