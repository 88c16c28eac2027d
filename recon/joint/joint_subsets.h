#ifndef GT_RECON_JOINT_SUBSETS_H
#define GT_RECON_JOINT_SUBSETS_H
/* Several scans of one object as one problem, with concatenated volumes. */
#include <gantry/grid.h>
#include <gantry/recon.h>

/* Allocates the volumes without filling them; a team partitions each by slices. */
gt_status gt_joint_volumes_new(gt_backend *be, gt_type type, const gt_grid *grid, size_t volumes, gt_array **x);
/* Joins subset k of all parts: a block-diagonal operator, concatenated data and weights; 1 if a scan has no weights.
 * Parts must have the same number of subsets. Borrows the parts' operators, and takes and frees their data and weights,
 * even on failure. Free *all before the parts. */
gt_status gt_joint_subsets_new(gt_subsets *part, size_t parts, gt_subsets *all);
#endif
