#ifndef GT_RECON_TEAM_ALIKE_H
#define GT_RECON_TEAM_ALIKE_H
/* Checks that all ranks compute the same problem. Ranks of other processes read their own files and options. */
#include "recon/team/team_run.h"
#include "team/team.h"

/* Collective. split: how the work is partitioned. GT_ERR_ARG names the first rank that differs, and the difference. */
gt_status gt_team_check_equal(const gt_team *t, gt_backend *be, const gt_recon_job *j, const gt_recon_extent *e,
                              const gt_split_spec *split);
#endif
