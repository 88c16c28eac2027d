#ifndef GT_RECON_DIVERGENCE_H
#define GT_RECON_DIVERGENCE_H
/* Divergence, and the best image of a run, on the device.
 *
 * What is watched is the cost; where the solver does not know it, its data term; else half the squared residual. A run has diverged when
 * that is not finite, or rose GT_DIVERGENCE_MIN_RISES times in a row and by then
 *   the cost or the data term is above GT_DIVERGENCE_MIN_GROWTH times its lowest, and above it by more than GT_DIVERGENCE_MIN_RISE of its first,
 *   half the squared residual is above GT_DIVERGENCE_MIN_RESIDUAL_GROWTH times its first; or
 * when none of them is known and the volume holds values that are not finite.
 * Ordered subsets end in a cycle about the solution and noise makes them wander: they rise too, but neither long nor far. What diverges
 * grows by a factor in every iteration. When the solver begins to tell another of the three, or the cost of one iterate after that
 * of points on the way, all starts anew.
 * Methods that tell their residual alone, as SIRT and SART, lower one with weights of their own: where the grid cuts the object short that of
 * the data may well rise on the way. Of these methods the newest image is the best, up to the same factor of the first residual.
 * Of the others the best image is the iterate with the lowest cost. Where ordered subsets find the cost on their way from one iterate to the
 * next, that of an iterate is the mean of the passes that end and begin there, so that the start has none: it is the best until another has one.
 * The best image is copied on the device each time that there is a new one: it takes a volume more, and no other traffic. */
#include <gantry/monitor.h>

#define GT_DIVERGENCE_MIN_RISES 5               /* iterations in a row */
#define GT_DIVERGENCE_MIN_GROWTH 1.5            /* of the lowest cost */
#define GT_DIVERGENCE_MIN_RISE 1e-6             /* of the first cost */
#define GT_DIVERGENCE_MIN_RESIDUAL_GROWTH 1e4   /* of the first squared residual */

typedef struct {
	gt_array *best;                 /* NULL: memory had no second volume */
	/* Numbers, all as a checkpoint keeps them. */
	double best_iteration;          /* 0: the start */
	double best_value;
	double lowest, last, first;     /* of the values that were told */
	double kind, rises;             /* which of them they are; how often in a row the value rose */
	char why[128];
} gt_divergence;

/* Begins with x as the best. Without memory for it all works but the best image. */
void gt_divergence_start(gt_divergence *d, const gt_array *x);
void gt_divergence_free (gt_divergence *d);
/* After an iteration: NULL, or why the run has diverged; valid as long as d. */
const char *gt_divergence_look(gt_divergence *d, const gt_progress *p);

/* The state that a continued run depends on, with or without the image, and the end of the list. */
#define GT_DIVERGENCE_BEST "best_image"
enum { GT_DIVERGENCE_STATE = 8 };
void gt_divergence_list(gt_divergence *d, int with_image, gt_state_entry list[GT_DIVERGENCE_STATE + 1]);
#endif
