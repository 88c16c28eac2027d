#ifndef GT_PREPARE_STRIPES_SORT_COLUMN_H
#define GT_PREPARE_STRIPES_SORT_COLUMN_H
/* One column of a sinogram in order; private to prepare/. */
#include <stddef.h>
#include <stdint.h>

/* Doubles of scratch for n values. */
size_t gt_sort_column_scratch(size_t n);
/* value[n]: x in ascending order, -0 as 0; view[n]: where each was; equal ones in the order of x. x: finite. */
void   gt_sort_column(const float *x, size_t n, double *scratch, float *value, uint32_t *view);

#endif
