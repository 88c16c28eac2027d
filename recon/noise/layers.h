#ifndef GT_RECON_LAYERS_H
#define GT_RECON_LAYERS_H
/* Fields on stacked boxes of voxels, [layer][z][y][x], and operators that are shift-invariant within each box. An
 * operator is a real matrix [layer][layer] for each frequency. */
#include "core/fft/fft_box.h"
#include "recon/noise/small_matrix.h"

/* A field, or its transform. */
typedef struct {
	size_t layers;
	gt_fft_box b[GT_SMALL_ROWS];
} gt_layers;
/* Up to GT_SMALL_ROWS layers. GT_ERR_MEMORY; call gt_layers_free() in either case. */
gt_status gt_layers_new(const size_t n[3], size_t layers, gt_layers *t);
void gt_layers_free(gt_layers *t);
/* t: transform of the field z. */
void gt_layers_transform(gt_layers *t, const double *z);
/* At frequency i: replaces the values v of all layers by (first + i second) v; second may be NULL. */
void gt_layers_multiply(gt_layers *t, size_t i, const double *first, const double *second);
/* z: field with the transform t; t holds the field afterwards. */
void gt_layers_field(gt_layers *t, double *z);
/* t: transform of a real field f. x: operator of spectrum `first` applied to f; y: operator of spectrum `second`. */
void gt_layers_apply_both(gt_layers *t, const double *first, const double *second, double *x, double *y);
#endif
