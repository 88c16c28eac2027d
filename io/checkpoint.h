#ifndef GT_IO_CHECKPOINT_H
#define GT_IO_CHECKPOINT_H
#include <gantry/author/solver_state.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Checkpoint of a run in a NetCDF file: lines of text that identify the run, the number of iterations, and the state.
 * State keeps its type and all bits. docs/files.md has the names in the file. */
typedef struct { const char *name, *text; } gt_checkpoint_line;         /* name: lower-case letters, _; NULL ends */

/* Writes a temporary file, then renames it: path always holds the previous checkpoint or a complete new one. */
gt_status gt_checkpoint_write(const char *path, const gt_checkpoint_line *run, int iteration, const gt_state_entry *kept);

/* Checks the free disk space for a checkpoint with arrays of this size next to the previous one. GT_ERR_IO states
 * required and free space. Call it before the first iteration. */
gt_status gt_checkpoint_has_space(const char *path, double bytes);

typedef struct gt_checkpoint gt_checkpoint;
/* GT_ERR_IO, GT_ERR_FORMAT: missing, truncated, or not a checkpoint. */
gt_status   gt_checkpoint_open(const char *path, gt_checkpoint **c);
void        gt_checkpoint_free(gt_checkpoint *c);
int         gt_checkpoint_iteration(const gt_checkpoint *c);
const char *gt_checkpoint_text(const gt_checkpoint *c, const char *name);       /* NULL: no such line */
gt_status   gt_checkpoint_has(const gt_checkpoint *c, const char *name, int *has);      /* a variable */
/* Fills all entries of the list; an entry without array and value is skipped. GT_ERR_FORMAT: another name, size or
 * type, or a damaged file. */
gt_status   gt_checkpoint_fill(const gt_checkpoint *c, const gt_state_entry *kept);

#ifdef __cplusplus
}
#endif
#endif
