#ifndef GT_CORE_DEVICE_LOOPS_CPU_H
#define GT_CORE_DEVICE_LOOPS_CPU_H
/* Array operations of the CPU's struct gt_backend_ops; they use be->own. */
#include "core/device/backend.h"

void gt_cpu_map (gt_backend *be, gt_type t, enum gt_map op, size_t n, const void *x, const void *z, const double abc[3], void *y);
void gt_cpu_red (gt_backend *be, gt_type t, enum gt_red op, size_t n, const void *x, const void *y, size_t slot);
void gt_cpu_both(gt_backend *be, gt_type t, enum gt_both op, size_t n, const void *x, const void *z, void *y, size_t slot);
void gt_cpu_wait_reductions(gt_backend *be, size_t slots);
gt_status gt_cpu_gather(gt_backend *be);
void gt_cpu_catch_up(gt_backend *be);
void gt_cpu_catch_up_of(gt_backend *be, const void *p, size_t bytes);
#endif
