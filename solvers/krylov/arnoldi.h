#ifndef GT_SOLVERS_ARNOLDI_H
#define GT_SOLVERS_ARNOLDI_H
#include <gantry/solver.h>
#include "core/basis/basis.h"

/* Orthonormal basis of the Krylov space of a square operator M by Gram-Schmidt applied twice (Giraud, Langou and
 * Rozloznik, Comput. Math. Appl. 50 (2005) 1069).
 * Minimises |r - M V y| over it by Givens rotations: Saad and Schultz, SIAM J. Sci. Stat. Comput. 7 (1986) 856. The
 * basis is on the device, the projected problem on the host. Private to solvers/. */
typedef struct {
	gt_basis *V;                    /* `most` + 1 vectors */
	size_t max, k;                  /* maximum number of steps; steps made */
	double *R, *c, *s, *g, *y;      /* R: columns of most + 1; rotations; rotated right side; coefficients and scratch */
	double first;                   /* |r| */
} gt_arnoldi;
/* Call gt_arnoldi_free() even after a failure. who: name in the message for a lack of memory. */
gt_status gt_arnoldi_new  (const char *who, const gt_array *model, size_t max, gt_arnoldi *a);
void      gt_arnoldi_free (gt_arnoldi *a);
/* Normalises r in vector 0. Returns |r|. */
double    gt_arnoldi_start(gt_arnoldi *a);
/* Makes one step from M times vector k in vector k + 1. Waits three times. Returns |r - M V y|, 0 if the space is
 * exhausted. */
double    gt_arnoldi_step (gt_arnoldi *a);
/* Adds V y with minimum |r - M V y| of k steps to w. Returns |V y|^2. */
double    gt_arnoldi_add  (gt_arnoldi *a, gt_array *w);

/* Sets c and s so that [c s; s -c] (a, b)' = (r, 0)'; returns r. */
double    gt_rotation(double a, double b, double *c, double *s);

#endif
