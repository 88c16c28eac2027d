#ifndef GT_SOLVERS_NUMBERS_H
#define GT_SOLVERS_NUMBERS_H
#include <gantry/array.h>

/* Host numbers of a run's state, written to a device array without a copy. Private to solvers/. */
void gt_number_put(gt_array *numbers, size_t at, double value);

#endif
