#ifndef GT_CORE_ORDER_STATISTICS_H
#define GT_CORE_ORDER_STATISTICS_H
/* Order statistics by selection (C. A. R. Hoare, Commun. ACM 4 (1961) 321), in linear time on average. NaN is larger
 * than all numbers. So a result is NaN only if the requested rank belongs to a NaN. */
#include <stddef.h>
#include <gantry/status.h>
#ifdef __cplusplus
extern "C" {
#endif

/* The value at place k of the n in ascending order, k from 0 to n-1. Leaves x in another order. */
double gt_select(double *x, size_t n, size_t k);
/* The value at place floor(fraction (n-1)), fraction from 0 to 1; NAN where n is 0. Leaves x in another order. */
double gt_quantile(double *x, size_t n, double fraction);
/* The value at place floor(n/2): the median of odd n, the upper of the middle two of even n; NAN where n is 0.
 * Leaves x in another order. */
double gt_upper_median(double *x, size_t n);
/* The median; of even n the mean of the middle two. Works on a copy; NAN where n is 0 or memory ends. */
double gt_median(const double *x, size_t n);

#ifdef __cplusplus
}
#endif
#endif
