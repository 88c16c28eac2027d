#ifndef GT_GEOMETRY_NOT_FINITE_H
#define GT_GEOMETRY_NOT_FINITE_H
#include <stddef.h>

/* Returns the index of the first NaN or infinite value; n: none. */
size_t gt_first_bad(const float *data, size_t n);
/* Counts the NaN and infinite values. */
size_t gt_count_bad(const float *data, size_t n);

#endif
