#ifndef GT_REGULARIZERS_SMOOTH_PRIOR_H
#define GT_REGULARIZERS_SMOOTH_PRIOR_H
/* Private to regularizers/. Penalties made of four passes, with the arrays 0: x, 1: direction, 2: gradient, 3:
 * majorizer (may be NULL). */
#include "regularizers/pass.h"

struct gt_smooth_passes { enum gt_pass value, gradient, majorize, line; };
/* Sets the strength and the weights of the axes of a call for this grid. */
void gt_pass_call_set(struct gt_pass_call *call, const gt_grid *grid, double strength);
/* call: the other arrays, and all numbers. own: NULL, or freed with the penalty, also if this call fails. */
gt_status gt_smooth_prior_new(struct gt_site *site, const struct gt_smooth_passes *passes, const struct gt_pass_call *call, int convex,
                              gt_array *own, gt_penalty **R);
#endif
