#ifndef GT_CORE_DEVICE_LOCKED_H
#define GT_CORE_DEVICE_LOCKED_H
#include <gantry/array.h>

/* Like gt_locked_new() and gt_locked_free() without a reference to the backend: for memory that the backend keeps. */
void *gt_locked_take(gt_backend *be, size_t bytes, const char *what);
void  gt_locked_give(gt_backend *be, void *p);
#endif
