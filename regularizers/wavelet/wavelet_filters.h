#ifndef GT_REGULARIZERS_WAVELET_FILTERS_H
#define GT_REGULARIZERS_WAVELET_FILTERS_H
/* Inside this room: the filters of the penalty "wavelet", and how long its transform can make a volume. */
#include <stddef.h>
#include <gantry/array.h>

enum { GT_WAVELET_TAPS = 8 };
extern const char *const gt_wavelet_names[];
/* The low pass of the filter, whose sum is 1; returns how many taps. */
int       gt_wavelet_filter(int filter, double low[GT_WAVELET_TAPS]);
/* A bound on |D x|^2/|x|^2 for all details of all levels. With G_j and L_j the largest squares that level j makes of a
 * length, of all its results and of the low pass, it is G_1 + sum over j > 1 of (G_j - 1) L_1 ... L_(j-1). These are
 * products of those along the axes. All would be 1 but for the mirror images beyond the border. */
gt_status gt_wavelet_norm2(int filter, int levels, const size_t n[3], double *norm2);
#endif
