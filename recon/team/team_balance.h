#ifndef GT_RECON_TEAM_BALANCE_H
#define GT_RECON_TEAM_BALANCE_H
/* Ranges of heterogeneous ranks: cached for the problem, else measured on the first subset. */
#include "recon/job.h"
#include "recon/team/team_split.h"

typedef enum { GT_BALANCE_AUTO, GT_BALANCE_YES, GT_BALANCE_NO } gt_balance_mode;
/* auto: only for heterogeneous ranks. Collective, before any array is partitioned; sets the team's ranges. */
gt_status gt_team_balance(const gt_recon_job *j, gt_backend *be, const gt_recon_extent *e, const gt_split_spec *split);

/* Cached ranges: a line per class of problems in a file of the user's cache folder. Both do nothing if there is no such
 * file or it cannot be created. */
int  gt_ranges_recall  (const char *problem, int ranks, size_t *share);         /* 1: found */
void gt_ranges_remember(const char *problem, int ranks, const size_t *share);
#endif
