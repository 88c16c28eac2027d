#ifndef GT_PROJECTORS_SF_SF_ROOM_CUH
#define GT_PROJECTORS_SF_SF_ROOM_CUH
/* Checks whether a block of the current device has enough shared memory for the kernel of gt_sf_back_make(), built in
 * or tuned. The forward direction has no state if it has not. Kernels do not include this header, because a change of
 * an included file invalidates cached variants. */
#include "projectors/sf/sf_cuda.cuh"
extern "C" int gt_sf_back_has_room(const gt_sf *d, int edges, const gt_sf_back_tuned *u);
#endif
