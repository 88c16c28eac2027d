#ifndef GT_RECON_DIVERGENCE_H
#define GT_RECON_DIVERGENCE_H
/* Divergence, and the best image of a run, on the device.
 *
 * Looked at is the cost; where the solver does not know it, its data term; else half the squared residual. A run has diverged when that
 *   is not finite, or
 *   rose RISES times in a row, to more than GROWTH times its lowest and by more than LEAST of the first (the residual: to more than FAR
 *   times its first), or
 * when nothing of it is known and the volume holds values that are not finite.
 * Ordered subsets end in a cycle about the solution and noise makes them wander: they rise too, but neither long nor far. What diverges
 * grows by a factor in every iteration. Numbers of another kind start anew.
 * Methods that tell their residual alone, as SIRT and SART, lower one with weights of their own: where the grid cuts the body short that of
 * the data may well rise on the way, and of theirs the newest image that has not gone FAR is the best.
 * The best image of the others is the iterate with the lowest. Where ordered subsets find it on their way from one iterate to the next, that of an
 * iterate is the mean of the passes that end and begin there, so that the start has none: it is the best until another has. The best is
 * copied on the device each time that there is a new one: a volume more, and no other traffic. */
#include <gantry/monitor.h>

#define GT_DIVERGENCE_RISES 5
#define GT_DIVERGENCE_GROWTH 1.5
#define GT_DIVERGENCE_LEAST 1e-6
#define GT_DIVERGENCE_FAR 1e4

typedef struct {
	gt_array *best;                 /* NULL: there was no room */
	/* Numbers, all as a checkpoint keeps them. */
	double best_iteration;          /* 0: the start */
	double best_value;
	double lowest, last, first;     /* of the values that were told */
	double kind, rises;
	char why[128];
} gt_divergence;

/* Begins with x as the best. Without room all works but the best image. */
void gt_divergence_start(gt_divergence *g, const gt_array *x);
void gt_divergence_free (gt_divergence *g);
/* After an iteration: NULL, or why the run has diverged; valid as long as g. */
const char *gt_divergence_look(gt_divergence *g, const gt_progress *p);

/* What a run depends on that is continued, all of it or without the image; the list's end too. */
#define GT_DIVERGENCE_BEST "best_image"
enum { GT_DIVERGENCE_STATE = 8 };
void gt_divergence_list(gt_divergence *g, int with_image, gt_state_entry list[GT_DIVERGENCE_STATE + 1]);
#endif
