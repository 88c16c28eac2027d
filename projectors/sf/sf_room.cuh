#ifndef GT_PROJECTORS_SF_SF_ROOM_CUH
#define GT_PROJECTORS_SF_SF_ROOM_CUH
/* Has a block of the current device the shared memory for the kernel that gt_sf_back_make() made ready, as built in or
 * as tuned? Forward there is no state where it has not. Apart from what kernels include, whose text says whether a kept
 * variant is of this version. */
#include "projectors/sf/sf_cuda.cuh"
extern "C" int gt_sf_back_has_room(const gt_sf *d, int edges, const gt_sf_back_tuned *u);
#endif
