#ifndef GT_PREPARE_FLATNESS_H
#define GT_PREPARE_FLATNESS_H
#include "prepare/step.h"

/* Finds the a of p + a p^2 that makes a homogeneous object flattest in the central slice; private to prepare/. */
gt_status gt_prepare_flatness(gt_prepare_call *c);

#endif
