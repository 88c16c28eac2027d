#ifndef GT_ANALYTIC_FBP_FAST_BACK_SINGLE_H
#define GT_ANALYTIC_FBP_FAST_BACK_SINGLE_H
/* Backprojection on the CPU for arrays in single precision and rows parallel to z: what fbp_cpu.c and the kernels
 * share. The kernels are one text, back_single_kernels.inc, compiled for each instruction set by back_single_any.c,
 * back_single_avx2.c and back_single_avx512.c. Places are found in double; values are mixed, read and added in float,
 * in vectors of rows and of slices. */
#include <gantry/threads.h>
#include "analytic/fbp/fbp.h"

enum {
	GT_BACK_ACROSS = 16, /* columns of voxels side by side in x that are placed together */
	GT_BACK_ALONG = 4,   /* rows of such columns of a tile, which see the same lines of a view */
	GT_BACK_PAD = 32,    /* constant entries on either side of a line of the detector, at most */
	GT_BACK_BEYOND = 16  /* floats after the filtered views that may be read */
};

typedef struct {
	const gt_fbp_plan *plan;
	const float *lines;     /* filtered views [views][filtered column][row] */
	size_t first, views;    /* of the plan's views */
	float *x;
	char *work;             /* gt_back_single_bytes() for each worker, stride bytes apart; at 64 bytes */
	size_t stride;
} gt_back_single;

/* A loop over gt_back_single_tiles() tiles. */
typedef struct {
	const char *name;       /* of the instruction set */
	gt_loop tiles;
} gt_back_single_kernels;
extern const gt_back_single_kernels gt_back_single_any;
#ifdef GT_X86_KERNELS
extern const gt_back_single_kernels gt_back_single_avx2, gt_back_single_avx512;
#endif

/* Floats of a column of voxels, and of a line between its pads. */
static inline size_t gt_back_stride(size_t slices) { return (slices + 15) & ~(size_t)15; }
static inline size_t gt_back_line(size_t rows) { return gt_back_stride(rows) + 2 * GT_BACK_PAD + 16; }
size_t gt_back_single_tiles(const gt_fbp_plan *plan);
/* Returns the bytes per worker: sums of a tile and some lines of the detector; a multiple of 64. */
size_t gt_back_single_bytes(const gt_fbp_plan *plan);
/* Adds the views to x. */
void   gt_back_single_run(gt_pool *pool, gt_back_single *b);
/* The kernels of an instruction set, of the best there is if name is NULL; NULL if the processor does not have it. */
const gt_back_single_kernels *gt_back_single_find(const char *name);
/* Tests: these kernels are used from here on; NULL: the best that there are. */
void   gt_back_single_use(const gt_back_single_kernels *k);
#endif
