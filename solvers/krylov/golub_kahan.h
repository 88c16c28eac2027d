#ifndef GT_SOLVERS_GOLUB_KAHAN_H
#define GT_SOLVERS_GOLUB_KAHAN_H
#include <gantry/solver.h>

/* Bidiagonalisation of an operator, Golub and Kahan, SIAM J. Numer. Anal. 2 (1965) 205, in the form of Paige and
 * Saunders, ACM Trans. Math. Softw. 8 (1982) 43, for solvers that are built on it. Weights come in as an inner
 * product of the data, as in Benbow, SIAM J. Matrix Anal. Appl. 21 (1999) 166, so that no root of them is kept. Bases
 * are stored unscaled, u as beta u and v as alpha v: scaling them is part of the next step. Memory: 2 volumes, 2
 * arrays as large as the data. Private to this room. */
typedef struct {
	const gt_linop *A;
	const gt_array *w;              /* NULL: 1 */
	gt_array *u, *t;                /* data; t is scratch, and W u for the adjoint */
	gt_array *v, *g;                /* volumes; g is scratch */
	double alpha, beta;             /* norms of v and u as they are stored */
} gt_golub_kahan;
/* gt_golub_kahan_free() is due in either case. */
gt_status gt_golub_kahan_new (const gt_problem *p, const gt_array *x, gt_golub_kahan *s);
void      gt_golub_kahan_free(gt_golub_kahan *s);
void      gt_golub_kahan_start(gt_golub_kahan *s, const gt_array *b, const gt_array *x);     /* u = b - A x, v = A'W u/|u| */
void      gt_golub_kahan_extend_data  (gt_golub_kahan *s);                  /* u = A v/|v| - |v| u/|u| */
void      gt_golub_kahan_begin(gt_golub_kahan *s);                          /* v = A'W u/|u| from u as it is */
/* v = A'W u/|u| - |u| v/|v|, and the norms of both: 0 where nothing is left to find. */
void      gt_golub_kahan_extend_volume(gt_golub_kahan *s);
#endif
