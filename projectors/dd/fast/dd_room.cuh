#ifndef GT_PROJECTORS_DD_FAST_DD_ROOM_CUH
#define GT_PROJECTORS_DD_FAST_DD_ROOM_CUH
/* Has a block of the current device the shared memory for the built-in kernels? dd_forward_cuda.cu, dd_adjoint_cuda.cu.
 * Apart from what kernels include, whose text says whether a kept variant is of this version. */
#include "projectors/dd/fast/dd_fast.cuh"
extern "C" int gt_dd_fast_forward_has_room(const gt_dd *d, const gt_dd_fast *f);
extern "C" int gt_dd_fast_adjoint_has_room(const gt_dd *d, const gt_dd_fast *f);
#endif
