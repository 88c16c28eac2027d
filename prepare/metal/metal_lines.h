#ifndef GT_PREPARE_METAL_LINES_H
#define GT_PREPARE_METAL_LINES_H
/* Line integrals of metal that are put back into corrected projections; private to prepare/. */
#include "prepare/images.h"

/* Line integrals [view][row][column] whose image by the direct method is the smoothed metal and little else. metal:
 * [z][y][x], smoothed here; scratch: of the same size. */
gt_status gt_metal_lines(gt_backend *be, gt_pool *pool, const gt_scan *scan, const gt_grid *grid, float *metal, float *scratch,
                         float *lines);

#endif
