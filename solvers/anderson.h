#ifndef GT_SOLVERS_ANDERSON_H
#define GT_SOLVERS_ANDERSON_H
#include <gantry/solver.h>
#include "core/basis/basis.h"

/* Anderson's acceleration of a fixed-point iteration x <- T(x): Anderson, J. ACM 12 (1965) 547, in the form of type
 * II of Walker and Ni, SIAM J. Numer. Anal. 49 (2011) 1715. With f = T(x) - x, and the differences dT and df of so
 * many of the last iterations,
 *   x <- P[ T(x) - dT y ],   y = argmin |f - df y|
 * by the normal equations, columns scaled to 1, with a Tikhonov term just above rounding. The fixed points are those
 * of P T. Memory: twice `depth` volumes, and 1. Private to this room. */
enum { GT_ANDERSON_DEEPEST = 50 };
typedef struct {
	size_t depth;                   /* 0: no acceleration, and all else is unused */
	gt_basis *F, *T;                /* columns df and dT; in the one that is next, f and T of the last point */
	gt_array *f;
	gt_array *numbers;              /* products df' df, then the three below: for who continues */
	double *gram, *y, *factor;      /* on the host */
	double columns, next, size;     /* of differences; where the next goes; |f| of the last point, below 0: there is none */
} gt_anderson;

#define GT_ANDERSON(options, field)                                                                                                   \
	{ .key = "anderson", .kind = GT_INT, .at = offsetof(options, field), .max = GT_ANDERSON_DEEPEST,                              \
	  .help = "Anderson's acceleration by the differences of so many iterations (4 to 10 are usual), two volumes each; 0: none" }

/* gt_anderson_free() is due in either case. Refuses arrays that devices share, and by the solver's name what does not
 * fit. */
gt_status gt_anderson_new   (const char *solver, const gt_array *x, int depth, gt_anderson *a);
void      gt_anderson_free  (gt_anderson *a);
/* From T(x) in next: the accelerated point, clamped, in its place. Waits three times. */
void      gt_anderson_mix   (gt_anderson *a, const gt_array *x, double lo, double hi, gt_array *next);
/* The point that the last mix made is not taken: `next` is T(x) again, and differences begin anew. */
void      gt_anderson_undo  (gt_anderson *a, gt_array *next);
/* The same by |f|, for solvers that know no cost: where it more than doubled, what T made of the bad point is thrown
 * away; where it grew, differences begin anew. In place of gt_anderson_mix(). */
void      gt_anderson_guarded(gt_anderson *a, const gt_array *x, double lo, double hi, gt_array *next);

/* What a run is continued by, at list[0..): returns how many. After gt_resume(): gt_anderson_resume(). */
enum { GT_ANDERSON_KEPT = 3 };
size_t    gt_anderson_kept  (const gt_anderson *a, gt_state_entry *list);
void      gt_anderson_resume(gt_anderson *a);

#endif
