#ifndef GT_ANALYTIC_WFBP_WFBP_CUDA_CUH
#define GT_ANALYTIC_WFBP_WFBP_CUDA_CUH
/* CUDA side of helical weighted filtered backprojection: input of its kernels. Pointers are device addresses. */
#include "analytic/fbp/fbp_cuda.cuh"
#include "analytic/wfbp/wfbp.h"

struct gt_helix_device {
	struct gt_helix_detector detector;
	size_t rows, source_columns, spots, turns;
	double sense;
	const struct gt_helix_spot *spot;
	const struct gt_helix_view *view;
	const double *direction, *height, *fan, *column, *reach;
	double *z; /* [view][column] */
};

struct gt_helix_grid {
	size_t n[3];
	double first[3], pitch[3], radius, margin; /* margin: height above or below its source that no view exceeds */
	double flat;
	int extend;
};

/* Filtered views as the backprojection reads them: [view][column][row], with the first and the last row repeated. */
size_t gt_helix_lines_bytes(size_t views, size_t rows, size_t wide, gt_type type);
/* Scratch: list of views near each chunk of slices. */
size_t gt_helix_list_bytes(size_t views, size_t slices);

/* Adds `bins` bins to x: copies filtered [view][row][pitch], `wide` columns, into lines. list and lines: scratch of the
 * sizes above. */
struct gt_helix_backproject {
	struct gt_helix_device d;
	struct gt_helix_grid g;
	size_t bins, wide, pitch;
	const void *filtered;
	void *lines, *x;
	unsigned *list;
};
void gt_helix_backproject_run(gt_backend *be, gt_type type, const struct gt_helix_backproject *s);

#endif
