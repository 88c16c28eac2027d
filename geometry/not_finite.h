#ifndef GT_GEOMETRY_NOT_FINITE_H
#define GT_GEOMETRY_NOT_FINITE_H
#include <stddef.h>

/* The first of n values that is NaN or infinite; n: none. As fast as memory. */
size_t gt_first_bad(const float *data, size_t n);
/* How many are. */
size_t gt_count_bad(const float *data, size_t n);

#endif
