#ifndef GT_CORE_PENALTY_H
#define GT_CORE_PENALTY_H
/* State of penalties, for gt_solve(). */
#include <gantry/author/penalty.h>

/* Appends the entries of R, as ops->state() has them; returns their number, 0 for R = NULL. */
size_t gt_penalty_state(const gt_penalty *R, gt_state_entry *list);
#endif
