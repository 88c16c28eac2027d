#ifndef GT_SOLVERS_STEPS_MOMENTUM_GUARD_H
#define GT_SOLVERS_STEPS_MOMENTUM_GUARD_H
/* Private to solvers/. Momentum over inconsistent groups of subsets. After a pass whose data term rose by more than
 * the penalty fell, the momentum restarts.
 * From the second time on it is also halved, unless each rise began lower than the previous one. A pass whose data
 * term more than doubled is rejected. Without momentum groups at worst end in a limit cycle. */
#include "solvers/steps/grouped_pass.h"

/* Returns 1 if the data term rose by more than groups in a limit cycle do, or is NaN. */
int  gt_momentum_runs_away(const gt_grouped *s, const gt_grouped_found *pass);
/* Call after such a pass; prior: the penalty at its end. A rejected pass leaves x and its data term as they were. */
void gt_momentum_guard(gt_grouped *s, gt_grouped_found *pass, double prior);
#endif
