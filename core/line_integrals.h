#ifndef GT_CORE_LINE_INTEGRALS_H
#define GT_CORE_LINE_INTEGRALS_H
/* Logarithms of many transmissions. */
#include <stddef.h>

/* x[i] = -ln(max(x[i] / level[i], min)), i < n, rounded once from double, bit-identical to (float)-log(). min >= 1e-18.
 * Returns the number of values below min. */
size_t gt_line_integrals(const double *level, double min, size_t n, float *x);

#endif
