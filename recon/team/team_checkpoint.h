#ifndef GT_RECON_TEAM_CHECKPOINT_H
#define GT_RECON_TEAM_CHECKPOINT_H
/* A checkpoint of a team holds whole arrays and no information on ranks, so that any number of ranks can continue. */
#include "io/checkpoint.h"

/* Like gt_checkpoint_write(). Collective; rank 0 writes. Takes host memory for all that is kept. */
gt_status gt_team_checkpoint_write(gt_backend *be, const char *path, const gt_checkpoint_line *run, int iteration,
                                   const gt_state_entry *kept);
#endif
