#ifndef GT_PROJECTORS_DD_FAST_DD_TABLES_CUH
#define GT_PROJECTORS_DD_FAST_DD_TABLES_CUH
/* Host tables of the fast pair. Kernels do not include this header; see dd_room.cuh. */
#include <gantry/threads.h>
#include "projectors/dd/fast/dd_fast.cuh"
/* Fills h and the fields of f that follow from it. *fits 0: the geometry needs the branch-based kernels. */
gt_status gt_dd_fast_fill(gt_pool *pool, const gt_dd *d, gt_dd_fast_tables *h, gt_dd_fast *f, int *fits);
#endif
