#ifndef GT_ANALYTIC_FBP_FAST_BACK_SINGLE_H
#define GT_ANALYTIC_FBP_FAST_BACK_SINGLE_H
/* Backprojection on the CPU for arrays in single precision and rows parallel to z; shared by fbp_cpu.c and the kernels.
 * The file back_single_kernels.inc is compiled for each instruction set by back_single_any.c, back_single_avx2.c and
 * back_single_avx512.c. Positions are in double; values are interpolated and added in float, in vectors of rows and of
 * slices. */
#include <gantry/threads.h>
#include "analytic/fbp/fbp.h"

enum {
	GT_BACK_ACROSS = 16, /* columns of voxels side by side in x that are processed together */
	GT_BACK_ALONG = 8,   /* rows of such columns in a tile, which see the same lines of a view */
	GT_BACK_PAD = 32,    /* maximum number of constant entries on either side of a line of the detector */
	GT_BACK_BEYOND = 16  /* floats after the filtered views that may be read */
};

typedef struct {
	const gt_fbp_plan *plan;
	const float *lines;     /* filtered views [views][filtered column][row] */
	size_t first, views;    /* range of the plan's views */
	float *x;
	char *work;             /* gt_back_single_bytes() for each worker, stride bytes apart; 64-byte aligned */
	size_t stride;
	float *level;           /* gt_back_level() values for each view, for the rows at the slices; NULL if 0 */
} gt_back_single;

/* Loops over views x gt_back_lines() groups of filtered columns, and over gt_back_single_tiles() tiles. */
typedef struct {
	const char *name;       /* instruction set */
	gt_loop levels, tiles;
} gt_back_single_kernels;
extern const gt_back_single_kernels gt_back_single_any;
#ifdef GT_X86_KERNELS
extern const gt_back_single_kernels gt_back_single_avx2, gt_back_single_avx512;
#endif

/* Floats of a column of voxels, and of a line between its pads. */
static inline size_t gt_back_stride(size_t slices) { return (slices + 15) & ~(size_t)15; }
static inline size_t gt_back_line(size_t rows) { return gt_back_stride(rows) + 2 * GT_BACK_PAD + 16; }
static inline size_t gt_back_lines(const gt_fbp_plan *p) { return (p->row.wide + GT_BACK_ACROSS - 1) / GT_BACK_ACROSS; }
/* Parallel rays: all columns of voxels see a slice at the same row, so rows are interpolated once per view. */
static inline size_t gt_back_level(const gt_fbp_plan *p)
{
	return p->shape == GT_PARALLEL && !p->tilted ? p->row.wide * gt_back_stride(p->grid.n[2]) : 0;
}
size_t gt_back_single_tiles(const gt_fbp_plan *plan);
/* Returns the bytes per worker: sums of a tile and some lines of the detector; a multiple of 64. */
size_t gt_back_single_bytes(const gt_fbp_plan *plan);
/* Adds the views to x. */
void   gt_back_single_run(gt_pool *pool, gt_back_single *b);
/* Returns the kernels of an instruction set, the best one if name is NULL; NULL if the processor does not support
 * it. */
const gt_back_single_kernels *gt_back_single_find(const char *name);
/* For tests: uses these kernels from now on; NULL: the best ones. */
void   gt_back_single_use(const gt_back_single_kernels *k);
#endif
