#ifndef GT_RECON_JOINT_H
#define GT_RECON_JOINT_H
/* Several scans that are one computation. */
#include "recon/recon.h"
#include "recon/team/team_run.h"

/* State of one scan: choices, computed voxels, and host data shared by the ranks. */
typedef struct {
	gt_recon *r;
	gt_volume *v;
	gt_recon_extent e;
	struct gt_recon_team shared;
} gt_joint_scan;
typedef struct { size_t scans; gt_joint_scan *scan; } gt_joint;

/* The whole of it on one backend, with the job, the extent and what was found of the first scan; to: the gt_joint, of
 * which members of a team read all but what the first of them finds of other scans. Volumes are there in the end. */
gt_recon_rank_function gt_joint_rank;
#endif
