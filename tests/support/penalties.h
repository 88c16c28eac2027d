#ifndef GT_TESTS_PENALTIES_H
#define GT_TESTS_PENALTIES_H
#include <gantry/author/penalty.h>
/* Penalties made of backend operations only, so that they run on all backends. */
/* strength * sum of Huber's potential of x[i+1] - x[i] in memory order; limit = INFINITY: half squares. */
gt_penalty *gt_test_chain(const struct gt_penalty_ops *ops, const gt_array *x, double strength, double limit);
extern const struct gt_penalty_ops gt_test_chain_ops, gt_test_slopeless_ops, gt_test_lineless_ops;     /* all; without gradient; without line */
/* strength/2 |x|^2. */
gt_penalty *gt_test_square(const struct gt_penalty_ops *ops, const gt_array *x, double strength);
extern const struct gt_penalty_ops gt_test_square_ops, gt_test_prox_ops;                               /* all; the proximal step alone */
#endif
