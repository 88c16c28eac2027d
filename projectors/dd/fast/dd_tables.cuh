#ifndef GT_PROJECTORS_DD_FAST_DD_TABLES_CUH
#define GT_PROJECTORS_DD_FAST_DD_TABLES_CUH
/* Host tables of the fast pair. Kernels do not include this header; see dd_room.cuh. */
#include <gantry/threads.h>
#include "core/device/kept_tables.h"
#include "projectors/dd/fast/dd_fast.cuh"
/* Shares of forward blocks on the host, with all that they depend on besides the geometry. */
struct gt_dd_shares {
	gt_dd_share *share; /* from malloc(); NULL: none yet, or blocks are not few */
	int shares[GT_DD_SHAPES + 1], parts, counters;
	int max, processors; /* maximum number of parts of a tile; multiprocessors of the device */
	gt_dd_run run[2][GT_DD_SHAPES];
};
/* The tables of a geometry, the fields of gt_dd_fast that follow from them, and shares, which gt_dd_forward_share()
 * finds again. */
struct gt_dd_fast_host : gt_kept, gt_dd_fast_tables {
	gt_dd_fast f;
	int fits; /* 0: the geometry needs the branch-based kernels */
	mutable gt_dd_shares shares;
};
/* Fills h and the fields of f that follow from it; *fits: as above. */
gt_status gt_dd_fast_fill(gt_pool *pool, const gt_dd *d, gt_dd_fast_tables *h, gt_dd_fast *f, int *fits);
#endif
