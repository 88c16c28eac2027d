#ifndef GT_RECON_CHECKPOINTING_H
#define GT_RECON_CHECKPOINTING_H
/* A run that is saved while it goes on, and one that is continued from there. */
#include <gantry/message.h>
#include <gantry/data.h>
#include <gantry/monitor.h>
#include "io/checkpoint.h"
#include "recon/divergence.h"
#include "recon/modules.h"

/* Of one scan. */
typedef struct {
	const gt_projections *p;
	const float *w;                 /* [view][row][column]; NULL: 1 */
	const char *weights, *start;
} gt_run_scan;
/* Which run it is: what has to be the same for it to be continued. */
typedef struct {
	const gt_listener *log;
	gt_type type;
	const char *command;            /* the command line, for the record */
	const gt_method *method;
	const gt_run_scan *scan;        /* [scans], which are computed together */
	size_t scans;
	const gt_grid *grid;
	const char *projector, *penalty, *backend;
} gt_run_identity;

typedef struct {
	const char *spec, *resume;      /* --checkpoint, --resume; NULL: not asked for */
	/* inner */
	const gt_listener *log;
	char *path;
	int every;
	gt_checkpoint *from;
	gt_checkpoint_line *run;
	char *failed;                   /* why the last one could not be written; NULL: it was */
} gt_checkpointing;

/* By the settings alone: can FILE of "FILE:every=10" be written, and is it none of these other files (NULL ends the
 * list)? Is `resume` a checkpoint? */
gt_status gt_checkpointing_check(const gt_checkpointing *c, const char *const *others);
/* Is there room on the disk for the image at least? GT_ERR_IO. What else is kept is known when the solver begins:
 * gt_checkpointing_resume() asks for that. */
gt_status gt_checkpointing_has_space(const char *spec, const gt_grid *grid);
/* Before the solver runs. GT_ERR_UNSUPPORTED names what differs from the run that `resume` is of. */
gt_status gt_checkpointing_open(gt_checkpointing *c, const gt_run_identity *run);
/* The first is the monitor's `resume`; the second is called after every iteration, with `end` after the last one. A
 * file that cannot be written is a remark, ends nothing, and is remembered as `failed` until one is written. own: what
 * the caller keeps beside the solver's state. */
enum { GT_RECON_STATE = 1 + GT_DIVERGENCE_STATE };
gt_status gt_checkpointing_resume(gt_checkpointing *c, const gt_state_entry *state, const gt_state_entry *own, int *done);
void      gt_checkpointing_save  (gt_checkpointing *c, const gt_progress *g, const gt_state_entry *own, int end);
gt_status gt_checkpointing_has   (const gt_checkpointing *c, const char *name, int *has);   /* 1: `resume` holds that array or number */
void      gt_checkpointing_free  (gt_checkpointing *c);
/* FILE of "FILE:every=10"; malloc'ed, NULL where it is wrong. */
char *gt_checkpointing_path(const char *spec);
/* The penalty of the run that `path` is of; malloc'ed. */
gt_status gt_checkpointing_penalty(const char *path, char **text);
/* The variants of kernels that it took, "built-in" for none; NULL: it does not say. */
gt_status gt_checkpointing_kernels(const char *path, char **text);
#endif
