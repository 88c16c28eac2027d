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

#define APP_GUARD_RISES 5
#define APP_GUARD_GROWTH 1.5
#define APP_GUARD_LEAST 1e-6
#define APP_GUARD_FAR 1e4

typedef struct {
	gt_array *best;                 /* NULL: there was no room */
	/* Numbers, all as a checkpoint keeps them. */
	double best_iteration;          /* 0: the start */
	double best_value;
	double lowest, last, first;     /* of the values that were told */
	double kind, rises;
	char why[128];
} app_guard;

/* Begins with x as the best. Without room all works but the best image. */
void app_guard_start(app_guard *g, const gt_array *x);
void app_guard_free (app_guard *g);
/* After an iteration: NULL, or why the run has diverged; valid as long as g. */
const char *app_guard_look(app_guard *g, const gt_progress *p);

/* What a run depends on that is continued, all of it or without the image; the list's end too. */
#define APP_GUARD_BEST "best_image"
enum { APP_GUARD_KEPT = 8 };
void app_guard_list(app_guard *g, int with_image, gt_state_entry list[APP_GUARD_KEPT + 1]);
#endif
