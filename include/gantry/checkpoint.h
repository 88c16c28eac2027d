#ifndef GANTRY_CHECKPOINT_H
#define GANTRY_CHECKPOINT_H
#include <gantry/solver_state.h>
#ifdef __cplusplus
extern "C" {
#endif

/* A run that can be continued, in a NetCDF file: lines of text that say which run it is, the iterations that it has
 * done, and what it keeps, in the type and with all bits that it has in memory. docs/files.md has the names in the
 * file. */
typedef struct { const char *name, *text; } gt_checkpoint_line;         /* name: small letters and _; a list ends with the name NULL */

/* Written under another name, then renamed: whatever ends the program, path holds what it held, or all of this. */
GT_API gt_status gt_checkpoint_write(const char *path, const gt_checkpoint_line *run, int iteration, const gt_state_entry *kept);

/* Is there room for checkpoints whose arrays have so many bytes, the next one beside the last until it takes its name?
 * GT_ERR_IO: how much is needed, how much is left. Ask before the first iteration. */
GT_API gt_status gt_checkpoint_has_space(const char *path, double bytes);

typedef struct gt_checkpoint gt_checkpoint;
/* GT_ERR_IO, GT_ERR_FORMAT: not there, no checkpoint, cut short. */
GT_API gt_status   gt_checkpoint_open(const char *path, gt_checkpoint **c);
GT_API void        gt_checkpoint_free(gt_checkpoint *c);
GT_API int         gt_checkpoint_iteration(const gt_checkpoint *c);
GT_API const char *gt_checkpoint_text(const gt_checkpoint *c, const char *name);       /* NULL: no such line */
GT_API gt_status   gt_checkpoint_has(const gt_checkpoint *c, const char *name, int *has);      /* a variable */
/* Fills in all that the list names; one with neither array nor value is passed over. GT_ERR_FORMAT where the file has
 * something else, of another size or type, or was damaged. */
GT_API gt_status   gt_checkpoint_fill(const gt_checkpoint *c, const gt_state_entry *kept);

#ifdef __cplusplus
}
#endif
#endif
