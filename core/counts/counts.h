#ifndef GT_CORE_COUNTS_COUNTS_H
#define GT_CORE_COUNTS_COUNTS_H
/* Counts of photons that were transmitted, ray by ray: those expected behind a line integral l are exp(-l) +
 * background, those counted exp(-p) + background, both as parts of what is counted without a body. What the
 * likelihood of Poisson's numbers makes of them, to within a factor of these counts, which `weights` are:
 *   deviance twice the misfit, its negative logarithm less its least, m - y + y log(y/m) with m = expected, y = counted
 *   slope    the misfit's derivative by l
 *   optimal  the least curvature >= 0 of a parabola that touches the misfit at l and lies above it wherever the line
 *            integral is >= 0: Erdogan and Fessler, IEEE Trans. Med. Imaging 18 (1999) 801
 *   fisher   the expected second derivative at l, exp(-2l)/m
 * Computed in double. */
#include <gantry/array.h>
#ifdef __cplusplus
extern "C" {
#endif

enum gt_counts { GT_COUNTS_DEVIANCE, GT_COUNTS_SLOPE, GT_COUNTS_OPTIMAL, GT_COUNTS_FISHER };
/* out = weights times it (weights NULL: 1); out may be l. Arrays of one size, type and backend, not shared. */
void gt_counts_of(enum gt_counts what, double background, const gt_array *l, const gt_array *p, const gt_array *weights, gt_array *out);

#ifdef __cplusplus
}
#endif
#endif
