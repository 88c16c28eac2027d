#ifndef GANTRY_MATRIX_BACKPROJECTOR_H
#define GANTRY_MATRIX_BACKPROJECTOR_H
#include <gantry/array.h>
#include <gantry/grid.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Backprojects views that are already weighted and filtered, by 3x4 matrices, row-major, of any scale:
 *   x(p) = sum over views of I(u, v) / w^2,   (u w, v w, w) = matrix (p, 1)
 * (Rohkohl et al., Med. Phys. 36 (2009) 3940, eqs 1 and 2). I [row][column] is interpolated bilinearly. Integers are
 * pixel centres; pixels outside the image are 0. The device processes views in batches. */
typedef struct gt_backprojector gt_backprojector;
/* x: voxels of the grid, in single or double precision; is set to 0. batch: views at a time, 0: chosen. */
GT_API gt_status gt_backprojector_new (gt_backend *be, const gt_grid *grid, size_t rows, size_t columns, size_t batch, gt_array *x,
                                gt_backprojector **b);
/* GT_ERR_FORMAT or GT_ERR_UNSUPPORTED, naming the view (counted from 0 on), for a matrix that gt_matrix_check()
 * refuses. An image in page-locked memory (gt_locked_new()) may still be read until gt_backprojector_wait(); others
 * may change at once. */
GT_API gt_status gt_backprojector_add   (gt_backprojector *b, const double matrix[12], const float *image);
GT_API void      gt_backprojector_wait  (gt_backprojector *b);
/* x is complete, on the device. Afterwards only gt_backprojector_free(). */
GT_API gt_status gt_backprojector_finish(gt_backprojector *b);
GT_API void      gt_backprojector_free  (gt_backprojector *b);

/* GT_ERR_FORMAT: not finite, or singular. GT_ERR_UNSUPPORTED: the grid intersects the plane through the source parallel
 * to the detector, or projects outside the image. */
GT_API gt_status gt_matrix_check(const double matrix[12], const gt_grid *grid, size_t rows, size_t columns);

/* Returns the input of this backprojection for fdk: weighted and filtered views [view][row][column], and their matrices
 * with w = 1 at source_to_axis. Flat detectors only. be is a CPU backend; options NULL: defaults of fdk. out may be
 * data. */
GT_API gt_status gt_fdk_filtered(gt_backend *be, const gt_scan *scan, const void *options, const float *data, double (*matrix)[12],
                          float *out);

#ifdef __cplusplus
}
#endif
#endif
