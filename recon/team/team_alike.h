#ifndef GT_RECON_TEAM_ALIKE_H
#define GT_RECON_TEAM_ALIKE_H
/* Do all members compute the same? Those of other processes have read their own files and options. */
#include "core/team/team.h"
#include "recon/team/team_run.h"

/* Called by all members together; split: how they share the work. GT_ERR_ARG: names the first member that differs,
 * and in what. */
gt_status gt_team_check_alike(const gt_team *t, gt_backend *be, const gt_recon_job *j, const gt_recon_extent *e,
                              const gt_split_spec *split);
#endif
