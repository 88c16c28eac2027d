#ifndef GT_RECON_JOINT_H
#define GT_RECON_JOINT_H
/* Joint reconstruction of several scans. */
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

/* Runs the joint computation on one backend, with the job, the extent and the results of the first scan; to: the
 * gt_joint. Only the first rank writes the results of other scans. */
gt_recon_rank_function gt_joint_rank;
#endif
