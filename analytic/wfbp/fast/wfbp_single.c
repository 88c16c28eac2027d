/* Helical backprojection on the CPU in single precision: selection of the instruction set. Memory: none. */
#include "analytic/wfbp/fast/wfbp_single.h"
#include "core/vectors/sets.h"

GT_KERNEL_SETS(gt_wfbp_single)

const gt_wfbp_single_kernels *gt_wfbp_single_chosen(void) { return gt_wfbp_single_best(); }
