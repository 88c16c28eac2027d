#ifndef GT_PREPARE_FLATNESS_H
#define GT_PREPARE_FLATNESS_H
#include "prepare/step.h"

/* p + a p^2 with the a that makes the body, taken to be homogeneous, flattest in its middle slice; private to
 * prepare/. */
gt_status gt_prepare_flatness(gt_prepare_call *c);

#endif
