#ifndef GT_CORE_FLOAT_MEDIANS_H
#define GT_CORE_FLOAT_MEDIANS_H
/* Exact medians of many floats in place, without copies. The input must not contain NaN. */
#include <stddef.h>
#include <gantry/status.h>

/* For each of `columns` columns of x[row][stride], rows >= 1: the value of rank rows/2, from 0. GT_ERR_MEMORY. */
gt_status gt_column_medians(const float *x, size_t rows, size_t stride, size_t columns, float *median);
/* Median of all rows * columns values, as in gt_median(): for an even number the mean of the middle two. */
double    gt_region_median (const float *x, size_t rows, size_t stride, size_t columns);

#endif
