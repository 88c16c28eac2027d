#ifndef GT_ANALYTIC_WFBP_FAST_WFBP_SINGLE_H
#define GT_ANALYTIC_WFBP_FAST_WFBP_SINGLE_H
/* Inner loops of the helical backprojection on the CPU for arrays in single precision. The file wfbp_single_kernels.inc
 * is compiled for each instruction set by wfbp_single_any.c, wfbp_single_avx2.c and wfbp_single_avx512.c. Only the
 * first slice of each vector has a position in double. */
#include "analytic/wfbp/wfbp.h"

enum {
	GT_WFBP_PAD = 32,   /* entries before a line of the detector that mix() may write */
	GT_WFBP_BEYOND = 48 /* entries after it; also floats after an array that may be read, and written unchanged */
};

typedef struct {
	const char *name;
	/* Interpolates lines q and q + rows, and repeats the edge rows on either side. */
	void (*mix)(const float *q, size_t rows, float right, float *line);
	/* Adds weight x value and weight of n slices at rows row + j step. */
	void (*add)(const gt_wfbp_plan *p, double row, double step, size_t n, const float *line, float *sum, float *weight);
	/* Adds a bin's means to the total. */
	void (*share)(size_t n, const float *sum, const float *weight, float *total);
} gt_wfbp_single_kernels;
extern const gt_wfbp_single_kernels gt_wfbp_single_any;
#ifdef GT_X86_KERNELS
extern const gt_wfbp_single_kernels gt_wfbp_single_avx2, gt_wfbp_single_avx512;
#endif

/* Returns the kernels of an instruction set, the best one if name is NULL; NULL if the processor does not support
 * it. */
const gt_wfbp_single_kernels *gt_wfbp_single_find(const char *name);
/* Kernels of runs: the best ones, or a test's; NULL: the best ones again. */
const gt_wfbp_single_kernels *gt_wfbp_single_chosen(void);
void gt_wfbp_single_use(const gt_wfbp_single_kernels *k);
#endif
