#ifndef GT_CORE_VECTORS_LINOP_STEP_H
#define GT_CORE_VECTORS_LINOP_STEP_H
/* Steps of solvers along A'y, which an operator may take while it computes A'y, to save passes over memory. */
#include <gantry/linop.h>

/* A step along g = A'y from another volume or from x itself: x = from + a w g, clamped to [lo, hi]. */
typedef struct { double a, lo, hi; const gt_array *w, *from; } gt_step;
/* Takes the step; g is scratch. The result has the bits of gt_adjoint() and gt_take_step(). */
void gt_adjoint_step(const gt_linop *A, const gt_array *y, const gt_step *s, gt_array *g, gt_array *x);
void gt_take_step   (const gt_step *s, const gt_array *g, gt_array *x);

/* Takes a step of volumes that are single runs of memory. */
typedef void (*gt_adjoint_step_of)(void *self, const gt_array *y, const gt_step *s, gt_array *x);
void gt_linop_set_step(gt_linop *A, gt_adjoint_step_of step);
#endif
