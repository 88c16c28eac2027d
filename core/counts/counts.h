#ifndef GT_CORE_COUNTS_COUNTS_H
#define GT_CORE_COUNTS_COUNTS_H
/* Poisson likelihood of transmitted photons, ray by ray. Relative to the blank-scan counts, the expected counts are
 * m = exp(-l) + background, the measured counts y = exp(-p) + background. The misfit is m - y + y log(y/m). The
 * functions omit the factor of the blank-scan counts, which `weights` contains:
 *   deviance twice the misfit
 *   slope    derivative of the misfit by l
 *   optimal  smallest curvature >= 0 of a parabola that touches the misfit at l and majorizes it for line integrals
 *            >= 0: Erdogan and Fessler, IEEE Trans. Med. Imaging 18 (1999) 801
 *   fisher   expected second derivative at l, exp(-2l)/m
 * Computed in double. */
#include <gantry/array.h>
#ifdef __cplusplus
extern "C" {
#endif

enum gt_counts { GT_COUNTS_DEVIANCE, GT_COUNTS_SLOPE, GT_COUNTS_OPTIMAL, GT_COUNTS_FISHER };
/* out = weights (NULL: 1) times the function; out may be l. Arrays of equal size, type and backend, not shared. */
void gt_counts_of(enum gt_counts what, double background, const gt_array *l, const gt_array *p, const gt_array *weights, gt_array *out);

#ifdef __cplusplus
}
#endif
#endif
