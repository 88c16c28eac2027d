#ifndef GT_RECON_TEAM_RUN_H
#define GT_RECON_TEAM_RUN_H
/* One computation by several members (core/team/team.h). Every member runs the text that one alone would; member 0
 * is the caller's thread, and the only one that talks to the caller. */
#include "recon/job.h"
#include "recon/team/team_split.h"

/* What members share on the host. */
struct gt_recon_team {
	gt_split_spec split;
	float *w;                       /* weights of the data, made by member 0; NULL: 1 */
	char *weights;                  /* what they are */
};

/* What the model of times asks of a job; be: of a member. Borrows. */
gt_status gt_recon_model_case(const gt_recon_job *j, const gt_recon_extent *e, const gt_backend *be, gt_model_case *c);
/* text(j, be, e, to, f) on every member of the job's backend, which is a team; to: what the text makes of it. In a dry
 * run f->plan becomes what the member needs that needs most, and f->members says what each does. */
typedef gt_status gt_recon_rank_function(const gt_recon_job *j, gt_backend *be, const gt_recon_extent *e, void *to, gt_recon_found *f);
gt_status gt_recon_run_team(const gt_recon_job *j, const gt_recon_extent *e, gt_recon_rank_function *text, void *to, gt_recon_found *f);
#endif
