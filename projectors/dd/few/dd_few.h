#ifndef GT_PROJECTORS_DD_FEW_DD_FEW_H
#define GT_PROJECTORS_DD_FEW_DD_FEW_H
/* The distance-driven pair in single precision on the CPU for few-row detectors. Lanes are detector columns and
 * in-slice voxels, because vectors of rows or z would be almost empty. Kernels: dd_few_*.inc, members of
 * gt_dd_single_kernels. */
#include "projectors/kit/vector_jobs.h"

enum {
	/* maximum rows of a few-row detector, by direction; beyond it lanes of rows or z are as fast */
	GT_DD_FEW_FORWARD = 6,
	GT_DD_FEW_BACK = 4,
	GT_DD_FEW = GT_DD_FEW_FORWARD,
	/* floats of a row of voxels of an adjoint tile: a vector may begin at each voxel */
	GT_DD_FEW_ALONG = GT_LINE_ALONG + 16
};

typedef struct {
	gt_loop lines, forward, rows, adjoint;
} gt_dd_few_kernels;

/* Floats of the sums of an adjoint tile. n: voxels along x, y, z. */
static inline size_t gt_dd_few_tile(const int *n)
{
	return (size_t)GT_LINE_SLICES * GT_DD_FEW_ALONG * (size_t)(n[2] < GT_LINE_TILE ? n[2] : GT_LINE_TILE);
}
/* Floats of the lines along y, which precede the lines along x. Both are [z][across][gt_line_window(along)], padded
 * with zeros. */
static inline size_t gt_dd_few_along_y(const int *n) { return (size_t)n[2] * (size_t)n[0] * gt_line_window(n[1]); }
static inline size_t gt_dd_few_along_x(const int *n) { return (size_t)n[2] * (size_t)n[1] * gt_line_window(n[0]); }
/* Floats of a row of the data: a vector may begin at each column. */
static inline size_t gt_dd_few_row(int columns) { return gt_lanes_of((size_t)columns) + 16; }
#endif
