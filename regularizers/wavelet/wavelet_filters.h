#ifndef GT_REGULARIZERS_WAVELET_FILTERS_H
#define GT_REGULARIZERS_WAVELET_FILTERS_H
/* Private to regularizers/. Filters of the penalty "wavelet", and the norm of its transform. */
#include <stddef.h>
#include <gantry/array.h>

enum { GT_WAVELET_TAPS = 8 };
extern const char *const gt_wavelet_names[];
/* Returns the number of taps of the filter's low pass, whose sum is 1. */
int       gt_wavelet_filter(int filter, double low[GT_WAVELET_TAPS]);
/* Bounds |D x|^2/|x|^2 for all details of all levels. Let G_j and L_j be the largest gains of level j in squared
 * norm, of all its results and of the low pass. The bound is G_1 + sum over j > 1 of (G_j - 1) L_1 ... L_(j-1).
 * Both are products over the axes. They would be 1 without the mirrored border. */
gt_status gt_wavelet_norm2(int filter, int levels, const size_t n[3], double *norm2);
#endif
