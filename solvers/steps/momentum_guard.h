#ifndef GT_SOLVERS_STEPS_MOMENTUM_GUARD_H
#define GT_SOLVERS_STEPS_MOMENTUM_GUARD_H
/* Inside this room: momentum over groups of subsets that disagree. After a pass on whose way the data term
 * rose, by more than the penalty fell, it starts anew, from the second time only half as much unless each rise
 * began lower than the one before; a pass on whose way that more than doubled is not made. Without momentum
 * groups circle at worst. */
#include "solvers/steps/grouped_pass.h"

/* Did the data term rise, by more than groups circle? Also where it is no number. */
int  gt_momentum_runs_away(const gt_grouped *s, const gt_grouped_found *pass);
/* After such a pass; prior: the penalty at its end. One that is not made leaves x and its data term as they were. */
void gt_momentum_guard(gt_grouped *s, gt_grouped_found *pass, double prior);
#endif
