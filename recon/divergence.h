#ifndef GT_RECON_DIVERGENCE_H
#define GT_RECON_DIVERGENCE_H
/* Divergence of a run, and its best image, on the device.
 *
 * Monitors the cost; if the solver does not know it, the data term; else half the squared residual. A run has diverged
 * if the value, or a volume without any of them, is not finite. It has also diverged if the value is too large after
 * GT_DIVERGENCE_MIN_RISES rises in a row. A cost or data term is too large above GT_DIVERGENCE_MIN_GROWTH times its
 * lowest value, if it exceeds that by more than GT_DIVERGENCE_MIN_RISE of the first. Half the squared residual is too
 * large above GT_DIVERGENCE_MIN_RESIDUAL_GROWTH times its first value.
 * Ordered subsets end in a limit cycle and noise perturbs them: their cost rises too, but neither long nor far. A
 * diverging cost grows by a factor in every iteration. Monitoring restarts if the solver reports another kind of value.
 * Methods that report their residual alone, such as SIRT and SART, minimise a weighted one. On a truncated object the
 * unweighted residual may rise on the way. Their newest image is the best, up to GT_DIVERGENCE_MIN_RESIDUAL_GROWTH
 * times the first residual. For other methods the best image is the iterate with the lowest cost. Ordered subsets
 * accumulate the cost between two iterates. The cost of an iterate is then the mean of the passes that end and begin
 * there. The start has none and is the best until another iterate has one.
 * Every new best image is copied on the device, which takes one more volume and no other traffic. */
#include <gantry/author/monitor.h>

#define GT_DIVERGENCE_MIN_RISES 5               /* iterations in a row */
#define GT_DIVERGENCE_MIN_GROWTH 1.5            /* relative to the lowest cost */
#define GT_DIVERGENCE_MIN_RISE 1e-6             /* relative to the first cost */
#define GT_DIVERGENCE_MIN_RESIDUAL_GROWTH 1e4   /* relative to the first squared residual */

typedef struct {
	gt_array *best;                 /* NULL: no memory for a second volume */
	/* Numbers, all as a checkpoint keeps them. */
	double best_iteration;          /* 0: the start */
	double best_value;
	double lowest, last, first;     /* lowest, last and first reported value */
	double kind, rises;             /* kind of value; number of rises in a row */
	char why[128];
} gt_divergence;

/* Begins with x as the best image. Without memory for it, only the best image is missing. */
void gt_divergence_start(gt_divergence *d, const gt_array *x);
void gt_divergence_free (gt_divergence *d);
/* Call it after an iteration. Returns NULL, or why the run has diverged; valid as long as d. */
const char *gt_divergence_update(gt_divergence *d, const gt_progress *p);

/* Lists the state that a continued run depends on, with or without the image. */
#define GT_DIVERGENCE_BEST "best_image"
enum { GT_DIVERGENCE_STATE = 8 };
void gt_divergence_list(gt_divergence *d, int with_image, gt_state_entry list[GT_DIVERGENCE_STATE + 1]);
#endif
