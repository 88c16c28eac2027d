#ifndef GT_SOLVERS_NUMBERS_H
#define GT_SOLVERS_NUMBERS_H
#include <gantry/array.h>

/* Numbers of the host that a run is continued by, in an array of the device: written there without a copy. Private to
 * this room. */
void gt_number_put(gt_array *numbers, size_t at, double value);

#endif
