#ifndef GT_PREPARE_STRIPES_COLUMN_H
#define GT_PREPARE_STRIPES_COLUMN_H
/* Operations on the n values of one sinogram column in any order; private to prepare/. */
#include <stddef.h>

/* smooth <- value + weight (smooth - value) */
void   gt_column_mix  (double weight, const float *value, float *smooth, size_t n);
/* to <- value + by; to may be value. */
void   gt_column_shift(double by, const float *value, float *to, size_t n);
double gt_column_sum  (const float *x, size_t n);

#endif
