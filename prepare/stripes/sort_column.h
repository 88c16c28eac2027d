#ifndef GT_PREPARE_STRIPES_SORT_COLUMN_H
#define GT_PREPARE_STRIPES_SORT_COLUMN_H
/* Sorts one column of a sinogram; private to prepare/. */
#include <stddef.h>
#include <stdint.h>

/* Returns the doubles of scratch for n values. */
size_t gt_sort_column_scratch(size_t n);
/* value[n]: x in ascending order, -0 as 0; view[n]: index of each; stable. x: finite. */
void   gt_sort_column(const float *x, size_t n, double *scratch, float *value, uint32_t *view);

#endif
