#ifndef GT_RECON_JOINT_SUBSETS_H
#define GT_RECON_JOINT_SUBSETS_H
/* Several scans of one object as one problem: one volume for each, one after the other. */
#include <gantry/grid.h>
#include <gantry/subsets.h>

/* The volumes, not filled; of a team each shared by slices. */
gt_status gt_joint_volumes_new(gt_backend *be, gt_type type, const gt_grid *grid, size_t volumes, gt_array **x);
/* Subset k of all: operators side by side, data and weights one after the other, 1 where a scan has no weights. Of as
 * many subsets each. The operators of the parts are borrowed, their data and weights are taken and freed, also when
 * this call fails; *all is then to be freed before the parts are. */
gt_status gt_joint_subsets_new(gt_subsets *part, size_t parts, gt_subsets *all);
#endif
