#ifndef GT_PROJECTORS_SF_FAST_SF_SINGLE_H
#define GT_PROJECTORS_SF_FAST_SF_SINGLE_H
/* SF-TR on the CPU for arrays in single precision and upright views: what its driver (sf_single.c) and its kernels
 * share. The kernels are one text, sf_single_kernels.inc, compiled for each instruction set by sf_single_any.c,
 * sf_single_avx2.c and sf_single_avx512.c. Places and weights are found in double, sums and differences are taken in
 * float, in vectors of rows (forward) or z (back). */
#include "core/vectors/sets.h"
#include "projectors/kit/vector_jobs.h"
#include "projectors/sf/sf_impl.h"

/* What the jobs of one direction share; lines are running sums (kit/vector_sums.inc), of a batch [view][column]. */
typedef struct {
	const gt_sf *d;
	gt_line_order order;
	gt_line_memory memory;
} gt_sf_single;

/* Loops over y (sums of the lines of a volume), over jobs of both directions, and over views of a batch. */
typedef struct {
	const char *name;        /* of the instruction set */
	gt_loop sum_lines, forward, sum_columns, adjoint;
} gt_sf_single_kernels;
extern const gt_sf_single_kernels gt_sf_single_any;
#ifdef GT_X86_KERNELS
extern const gt_sf_single_kernels gt_sf_single_avx2, gt_sf_single_avx512;
#endif

/* Can the pair of these tables, in host memory, be computed in single precision? */
int    gt_sf_single_takes(const gt_sf *d);
size_t gt_sf_single_scratch(gt_backend *be, const gt_sf *d);
void   gt_sf_single_forward(gt_backend *be, const gt_sf *d, const float *x, float *y);
void   gt_sf_single_adjoint(gt_backend *be, const gt_sf *d, const float *y, float *x);
/* The kernels of an instruction set, of the best there is if name is NULL; NULL if the processor does not have it. */
const gt_sf_single_kernels *gt_sf_single_find(const char *name);
/* Tests: every operator uses these kernels from here on; NULL: the best that there are. */
void   gt_sf_single_use(const gt_sf_single_kernels *k);
#endif
