#ifndef GT_RECON_LAYERS_H
#define GT_RECON_LAYERS_H
/* Fields on boxes of voxels above each other, [layer][z][y][x], and operators on them that are the same all over each
 * box: a real matrix [layer][layer] for each frequency. */
#include "core/fft/fft_box.h"
#include "recon/noise/small_matrix.h"

/* A field, or its transform. */
typedef struct {
	size_t layers;
	gt_fft_box b[GT_SMALL_ROWS];
} gt_layers;
/* Up to GT_SMALL_ROWS layers. GT_ERR_MEMORY; gt_layers_free() is due in either case. */
gt_status gt_layers_new(const size_t n[3], size_t layers, gt_layers *t);
void gt_layers_free(gt_layers *t);
/* t = the transform of the field z. */
void gt_layers_transform(gt_layers *t, const double *z);
/* At frequency i: the values of all layers <- (first + i second) of them; second may be NULL. */
void gt_layers_multiply(gt_layers *t, size_t i, const double *first, const double *second);
/* z = the field whose transform t is; t has that field afterwards. */
void gt_layers_field(gt_layers *t, double *z);
/* t: the transform of a real field -> the operator of spectrum `first` of that field in x, that of `second` in y. */
void gt_layers_apply_both(gt_layers *t, const double *first, const double *second, double *x, double *y);
#endif
