#ifndef GT_PROJECTORS_DD_FAST_DD_ROOM_CUH
#define GT_PROJECTORS_DD_FAST_DD_ROOM_CUH
/* Checks whether a block of the current device has enough shared memory for the built-in kernels of dd_forward_cuda.cu
 * and dd_adjoint_cuda.cu. Kernels do not include this header, because a change of an included file invalidates cached
 * variants. */
#include "projectors/dd/fast/dd_fast.cuh"
extern "C" int gt_dd_fast_forward_has_room(const gt_dd *d, const gt_dd_fast *f);
extern "C" int gt_dd_fast_adjoint_has_room(const gt_dd *d, const gt_dd_fast *f);
#endif
