#ifndef GT_RECON_AGREEMENT_H
#define GT_RECON_AGREEMENT_H
/* Do the projections agree with their geometry? */
#include <gantry/data.h>
#include <gantry/message.h>

/* A remark where conjugate rays of a sample disagree, with the commands that mend `file` (NULL: there is none). threads: 0: one per processor. */
void gt_note_disagreement(const gt_listener *log, const gt_projections *p, const char *file, int threads);
/* A remark that names the columns whose mean over views and rows stands out from both neighbours': dead or saturated pixels. */
void gt_note_columns(const gt_listener *log, const gt_projections *p, const char *name);
#endif
