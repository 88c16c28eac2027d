#ifndef GT_SOLVERS_ANDERSON_H
#define GT_SOLVERS_ANDERSON_H
#include <gantry/solver.h>
#include "core/basis/basis.h"

/* Anderson acceleration of a fixed-point iteration x <- T(x): Anderson, J. ACM 12 (1965) 547, type II of Walker and
 * Ni, SIAM J. Numer. Anal. 49 (2011) 1715. Let f = T(x) - x, and dT and df the differences of the last `depth`
 * iterations. Then
 *    x <- P[ T(x) - dT y ],   y = argmin |f - df y|,
 * by the normal equations, columns scaled to 1, with a Tikhonov term just above rounding. The fixed points are those
 * of P T. Memory: 2 depth + 1 volumes. Private to solvers/. */
enum { GT_ANDERSON_DEEPEST = 50 };
typedef struct {
	size_t depth;                   /* 0: no acceleration; the other members are unused */
	gt_basis *F, *T;                /* columns df and dT; column `next` holds f and T of the last point */
	gt_array *f;
	gt_array *numbers;              /* products df' df, then the three doubles below: state of the run */
	double *gram, *y, *factor;      /* on the host */
	double columns, next, size;     /* columns in use; index of the next one; |f| of the last point, negative if there is none */
} gt_anderson;

#define GT_ANDERSON(options, field)                                                                                                   \
	{ .key = "anderson", .kind = GT_INT, .at = offsetof(options, field), .max = GT_ANDERSON_DEEPEST,                              \
	  .help = "Anderson acceleration by the differences of N iterations (usually 4 to 10), two volumes each; 0: none" }

/* Call gt_anderson_free() even after a failure. Refuses arrays distributed over devices; a lack of memory is reported
 * with the solver's name. */
gt_status gt_anderson_new   (const char *solver, const gt_array *x, int depth, gt_anderson *a);
void      gt_anderson_free  (gt_anderson *a);
/* Replaces T(x) in next by the accelerated point, clamped to the bounds. Waits three times. */
void      gt_anderson_mix   (gt_anderson *a, const gt_array *x, double lo, double hi, gt_array *next);
/* Rejects the point of the last mix: `next` becomes T(x) again, and the differences are discarded. */
void      gt_anderson_undo  (gt_anderson *a, gt_array *next);
/* Replaces gt_anderson_mix() in solvers that know no cost. If |f| more than doubled, T of the bad point is discarded;
 * if it grew, the differences are. */
void      gt_anderson_guarded(gt_anderson *a, const gt_array *x, double lo, double hi, gt_array *next);

/* Fills list with the state of a run and returns the number of entries. Call gt_anderson_resume() after gt_resume(). */
enum { GT_ANDERSON_KEPT = 3 };
size_t    gt_anderson_kept  (const gt_anderson *a, gt_state_entry *list);
void      gt_anderson_resume(gt_anderson *a);

#endif
