#ifndef GT_RECON_CHECKPOINTING_H
#define GT_RECON_CHECKPOINTING_H
/* Writes checkpoints of a run, and continues a run from one. */
#include <gantry/message.h>
#include <gantry/data.h>
#include <gantry/author/monitor.h>
#include "io/checkpoint.h"
#include "recon/divergence.h"
#include "recon/modules.h"

/* One scan. */
typedef struct {
	const gt_projections *p;
	const float *w;                 /* [view][row][column]; NULL: 1 */
	const char *weights, *start;
} gt_run_scan;
/* Identity of a run: a checkpoint continues it only if all of this is equal. */
typedef struct {
	const gt_listener *log;
	gt_type type;
	const char *command;            /* the command line, for the record */
	const gt_method *method;
	const gt_run_scan *scan;        /* [scans], computed together */
	size_t scans;
	const gt_grid *grid;
	const char *projector, *penalty, *backend;
	const char *outside;            /* mode of the object outside the grid; NULL: no */
} gt_run_identity;

typedef struct {
	const char *spec, *resume;      /* --checkpoint, --resume; NULL: not requested */
	/* inner */
	const gt_listener *log;
	char *path;
	int every;
	gt_checkpoint *from;
	gt_checkpoint_line *run;
	char *failed;                   /* why the last one was not written; NULL: it was */
} gt_checkpointing;

/* Checks the settings: FILE of "FILE:every=10" is writable and differs from `others` (ends with NULL), and `resume` is
 * a checkpoint. */
gt_status gt_checkpointing_check(const gt_checkpointing *c, const char *const *others);
/* GT_ERR_IO if the disk has no space for the image. gt_checkpointing_resume() checks the whole state, which is known
 * when the solver begins. */
gt_status gt_checkpointing_has_space(const char *spec, const gt_grid *grid);
/* Call it before the solver runs. GT_ERR_UNSUPPORTED names the difference from the run of `resume`. */
gt_status gt_checkpointing_open(gt_checkpointing *c, const gt_run_identity *run);
/* Serve the monitor: gt_checkpointing_resume() is its `resume`; call gt_checkpointing_save() after every iteration,
 * with `end` after the last one. A failed write is a warning and does not end the run; `failed` keeps it until one
 * succeeds. `own` is state of the caller in addition to the solver's state. */
enum { GT_RECON_STATE = 1 + GT_DIVERGENCE_STATE };
gt_status gt_checkpointing_resume(gt_checkpointing *c, const gt_state_entry *state, const gt_state_entry *own, int *done);
void      gt_checkpointing_save  (gt_checkpointing *c, const gt_progress *g, const gt_state_entry *own, int end);
gt_status gt_checkpointing_has   (const gt_checkpointing *c, const char *name, int *has);   /* 1: `resume` holds it */
void      gt_checkpointing_free  (gt_checkpointing *c);
/* Returns FILE of "FILE:every=10"; malloc'ed, NULL if the text is wrong. */
char *gt_checkpointing_path(const char *spec);
/* text: penalty of the run that wrote `path`; malloc'ed. */
gt_status gt_checkpointing_penalty(const char *path, char **text);
/* text: kernel variants of that run, "built-in" for none, malloc'ed; NULL if the file does not name them. */
gt_status gt_checkpointing_kernels(const char *path, char **text);
#endif
