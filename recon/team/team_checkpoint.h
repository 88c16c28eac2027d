#ifndef GT_RECON_TEAM_CHECKPOINT_H
#define GT_RECON_TEAM_CHECKPOINT_H
/* A checkpoint of a team holds whole arrays and knows nothing of members, so that any number of them can continue. */
#include "io/checkpoint.h"

/* As gt_checkpoint_write(), on a member's backend; all members call it, and member 0 writes. Its memory on the
 * host: all that is kept. */
gt_status gt_team_checkpoint_write(gt_backend *be, const char *path, const gt_checkpoint_line *run, int iteration,
                                   const gt_state_entry *kept);
#endif
