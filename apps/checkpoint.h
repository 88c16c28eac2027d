#ifndef GT_APPS_CHECKPOINT_H
#define GT_APPS_CHECKPOINT_H
/* A run that is saved while it goes on, and one that is continued from there. */
#include "apps/guard.h"
#include "apps/method.h"
#include "core/monitor.h"
#include "io/checkpoint.h"

/* Which run it is: what has to be the same for it to be continued. */
typedef struct {
	const cli_call *call;
	const app_method *method;
	const gt_projections *p;
	const float *w;                 /* of all cells; NULL: 1 */
	const gt_grid *grid;
	const char *projector, *weights, *penalty, *start, *backend;
} app_run;

typedef struct {
	const char *spec, *resume;      /* --checkpoint, --resume; NULL: not asked for */
	/* inner */
	const cli_call *call;
	char *path;
	int every;
	gt_checkpoint *from;
	gt_checkpoint_line *run;
} app_checkpoint;

/* By the options alone: can FILE of "FILE:every=10" be written, and is it none of these files (NULL: the list's end)? Is --resume a
 * checkpoint? */
gt_status app_checkpoint_check(const app_checkpoint *c, const char *const *others);
/* Before the solver runs. GT_ERR_UNSUPPORTED names what differs from the run that --resume is of. */
gt_status app_checkpoint_open(app_checkpoint *c, const app_run *run);
/* The monitor's `resume`, and after every iteration: `end`, the last one. A file that cannot be written is a remark, no end. own: what
 * the caller keeps beside. */
enum { APP_OWN_KEPT = 1 + APP_GUARD_KEPT };
gt_status app_checkpoint_resume(app_checkpoint *c, const gt_kept *kept, const gt_kept *own, int *done);
void      app_checkpoint_save  (app_checkpoint *c, const gt_progress *g, const gt_kept *own, int end);
gt_status app_checkpoint_has   (const app_checkpoint *c, const char *name, int *has);   /* what is continued, such an array or number */
void      app_checkpoint_free  (app_checkpoint *c);
/* The penalty of the run that `path` is of; malloc'ed. */
gt_status app_checkpoint_penalty(const char *path, char **text);
#endif
