#ifndef GT_CORE_FLOAT_MEDIANS_H
#define GT_CORE_FLOAT_MEDIANS_H
/* Medians of many floats where they lie, without copies; exact. No NaN. */
#include <stddef.h>
#include <gantry/status.h>

/* Of each of `columns` columns of x[row][stride], rows >= 1: the value of rank rows/2 from 0. GT_ERR_MEMORY. */
gt_status gt_column_medians(const float *x, size_t rows, size_t stride, size_t columns, float *median);
/* Of all rows * columns of them, as gt_median() has it: the mean of the two in the middle of an even number. */
double    gt_region_median (const float *x, size_t rows, size_t stride, size_t columns);

#endif
