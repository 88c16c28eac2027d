#ifndef GT_SOLVERS_ARNOLDI_H
#define GT_SOLVERS_ARNOLDI_H
#include <gantry/solver.h>
#include "core/basis/basis.h"

/* An orthonormal basis of the Krylov space of any square operator M, by Gram and Schmidt twice (Giraud, Langou and
 * Rozloznik, Comput. Math. Appl. 50 (2005) 1069), and the least |r - M V y| on it by rotations: Saad and Schultz,
 * SIAM J. Sci. Stat. Comput. 7 (1986) 856. The basis is on the device; what is small is on the host. Private to this
 * room. */
typedef struct {
	gt_basis *V;                    /* `most` + 1 vectors */
	size_t max, k;                  /* steps at most, and made */
	double *R, *c, *s, *g, *y;      /* R: columns of most + 1; rotations; the right side, rotated; coefficients and scratch */
	double first;                   /* |r| */
} gt_arnoldi;
/* gt_arnoldi_free() is due in either case. who: for what does not fit. */
gt_status gt_arnoldi_new  (const char *who, const gt_array *model, size_t max, gt_arnoldi *a);
void      gt_arnoldi_free (gt_arnoldi *a);
/* From r in vector 0, which is scaled to 1. Returns |r|. */
double    gt_arnoldi_start(gt_arnoldi *a);
/* With M times vector k in vector k + 1: one step. Waits three times. Returns |r - M V y|, which is 0 where the space
 * is exhausted. */
double    gt_arnoldi_step (gt_arnoldi *a);
/* w = w + V y with the least |r - M V y| of k steps. Returns |V y|^2. */
double    gt_arnoldi_add  (gt_arnoldi *a, gt_array *w);

/* [c s; s -c] (a, b)' = (r, 0)'; returns r. */
double    gt_rotation(double a, double b, double *c, double *s);

#endif
