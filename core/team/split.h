#ifndef GT_CORE_TEAM_SPLIT_H
#define GT_CORE_TEAM_SPLIT_H
/* An operator on shared arrays, A = sum over members of local operators: a member fetches what its own one maps
 * from, and all add up what theirs map to, in the order of members. Exactly adjoint if the local operators are. */
#include <gantry/linop.h>
#include "core/team/team.h"

/* Of an array [n][each], of `each` elements per thing: things first ... first+n-1, and of each the elements low
 * ... low+wide-1. */
typedef struct { size_t first, n, low, wide; } gt_block;
/* The two sides of an operator: x are slices, y are views. own: whose elements are whose, whole things in the
 * order of members; local: what a member's operator maps from and to, as dense arrays [n][wide]. Arrays of
 * gt_ranks() blocks, copied. */
typedef struct { size_t each, n; const gt_block *own, *local; } gt_split_side;

/* Takes `local` over, also when this call fails. NULL: this member's blocks are empty, and it adds nothing. The
 * memory that is used while it runs is shared by all such operators of a backend. */
gt_status gt_split_new(const gt_split_side side[2], gt_backend *be, gt_type type, gt_linop *local, gt_linop **A);
/* Says that an operator takes arrays that a team shares. */
void gt_linop_take_shared(gt_linop *A);
#endif
