#ifndef GT_CORE_LINE_INTEGRALS_H
#define GT_CORE_LINE_INTEGRALS_H
/* Logarithms of many transmissions. */
#include <stddef.h>

/* x[i] = -ln(max(x[i] / level[i], least)), i < n, rounded once from double: the bits of (float)-log(). least >= 1e-18.
 * Gives back how many were below `least`. */
size_t gt_line_integrals(const double *level, double min, size_t n, float *x);

#endif
