#ifndef GT_TEAM_SPLIT_H
#define GT_TEAM_SPLIT_H
/* Operator on shared arrays: A = sum over ranks of local operators. A rank gathers the input of its local operator. The
 * outputs are added in the order of ranks. Exactly adjoint if the local operators are. */
#include <gantry/linop.h>
#include "team/team.h"

/* Block of an array [n][each]: things first ... first+n-1, and elements low ... low+wide-1 of each thing. */
typedef struct { size_t first, n, low, wide; } gt_block;
/* Side of an operator: x holds slices, y views. own: block owned by each rank, whole things in rank order. local:
 * block accessed by the local operator of the rank, dense [n][wide]. Both have gt_ranks() entries; they are
 * copied. */
typedef struct { size_t each, n; const gt_block *own, *local; } gt_split_side;

/* Owns `local` from here on, also on failure. local NULL: the blocks of this rank are empty, and it adds nothing. All
 * such operators of a backend share one buffer. */
gt_status gt_split_new(const gt_split_side side[2], gt_backend *be, gt_type type, gt_linop *local, gt_linop **A);
#endif
