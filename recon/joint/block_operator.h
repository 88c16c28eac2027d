#ifndef GT_RECON_JOINT_BLOCK_OPERATOR_H
#define GT_RECON_JOINT_BLOCK_OPERATOR_H
#include <gantry/linop.h>
#include "core/device/backend.h"

/* Makes the operator with A[0], A[1], ... on its diagonal. Its arrays concatenate the blocks' arrays; in a team they
 * are runs (core/partition/partition.h). Borrows the blocks, which share backend and type; copies the list.
 * GT_ERR_MEMORY. */
gt_status gt_block_operator_new(gt_linop *const *A, size_t blocks, gt_linop **out);
/* Returns block i of such an array, n elements from `first` on, as an array that owns nothing. */
gt_array gt_block_of(const gt_array *all, size_t i, size_t first, size_t n);

#endif
