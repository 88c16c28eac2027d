#ifndef GT_RECON_TEAM_RUN_H
#define GT_RECON_TEAM_RUN_H
/* One computation by several ranks (team/team.h). Every rank runs the function of a single backend. Rank 0 is the
 * caller's thread, and the only one that calls back. */
#include "recon/job.h"
#include "recon/team/team_split.h"

/* Host data shared by the ranks of a process. */
struct gt_recon_team {
	gt_split_spec split;
	float *w;                       /* weights of the data, made by rank 0; NULL: 1 */
	char *weights;                  /* their description */
};

/* Fills in a case of the time model; be: backend of a rank. Borrows. */
gt_status gt_recon_model_case(const gt_recon_job *j, const gt_recon_extent *e, const gt_backend *be, gt_model_case *c);
/* Runs text(j, be, e, to, f) on every rank of the job's backend, which is a team; to: passed on. A dry run sets f->plan
 * to the estimate of the rank that needs most, and f->ranks to a description of each rank. */
typedef gt_status gt_recon_rank_function(const gt_recon_job *j, gt_backend *be, const gt_recon_extent *e, void *to, gt_recon_found *f);
gt_status gt_recon_run_team(const gt_recon_job *j, const gt_recon_extent *e, gt_recon_rank_function *text, void *to, gt_recon_found *f);
#endif
