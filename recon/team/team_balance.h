#ifndef GT_RECON_TEAM_BALANCE_H
#define GT_RECON_TEAM_BALANCE_H
/* Shares of unequal members: what was found for such a problem before, else measured on the first subset. */
#include "recon/job.h"
#include "recon/team/team_split.h"

typedef enum { GT_BALANCE_AUTO, GT_BALANCE_YES, GT_BALANCE_NO } gt_balance_mode;
/* auto: where members are unlike. All members call it together, before anything is shared; it sets the team's
 * shares. */
gt_status gt_team_balance(const gt_recon_job *j, gt_backend *be, const gt_recon_extent *e, const gt_split_spec *split);

/* Shares that were found: a line for each class of problems in a file of the user's cache. Both do nothing
 * where there is no such file, or none can be made. */
int  gt_ranges_recall  (const char *problem, int ranks, size_t *share);         /* 1: it had them */
void gt_ranges_remember(const char *problem, int ranks, const size_t *share);
#endif
