#ifndef GT_SOLVERS_GOLUB_KAHAN_H
#define GT_SOLVERS_GOLUB_KAHAN_H
#include <gantry/solver.h>

/* Bidiagonalisation of an operator: Golub and Kahan, SIAM J. Numer. Anal. 2 (1965) 205, in the form of Paige and
 * Saunders, ACM Trans. Math. Softw. 8 (1982) 43.
 * Weights act as an inner product of the data (Benbow, SIAM J. Matrix Anal. Appl. 21 (1999) 166), so their root is
 * not stored.
 * The vectors are stored unscaled, u as beta u and v as alpha v; the next step scales them. Memory: 2 volumes, 2
 * arrays as large as the data. Private to solvers/. */
typedef struct {
	const gt_linop *A;
	const gt_array *w;              /* NULL: 1 */
	gt_array *u, *t;                /* as large as the data; t: scratch, and W u for the adjoint */
	gt_array *v, *g;                /* volumes; g: scratch */
	double alpha, beta;             /* norms of the stored v and u */
} gt_golub_kahan;
/* Call gt_golub_kahan_free() even after a failure. */
gt_status gt_golub_kahan_new (const gt_problem *p, const gt_array *x, gt_golub_kahan *s);
void      gt_golub_kahan_free(gt_golub_kahan *s);
void      gt_golub_kahan_start(gt_golub_kahan *s, const gt_array *b, const gt_array *x);     /* u = b - A x, v = A'W u/|u| */
void      gt_golub_kahan_extend_data  (gt_golub_kahan *s);                  /* u = A v/|v| - |v| u/|u| */
void      gt_golub_kahan_begin(gt_golub_kahan *s);                          /* v = A'W u/|u| for the present u */
/* Computes v = A'W u/|u| - |u| v/|v| and the norms of both, which are 0 if the space is exhausted. */
void      gt_golub_kahan_extend_volume(gt_golub_kahan *s);
#endif
