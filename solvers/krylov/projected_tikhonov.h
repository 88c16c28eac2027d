#ifndef GT_SOLVERS_PROJECTED_TIKHONOV_H
#define GT_SOLVERS_PROJECTED_TIKHONOV_H
#include <stddef.h>
#include <gantry/status.h>

/* Minimises |B y - beta_1 e_1|^2 + lambda^2 |y|^2 with the lower bidiagonal B of k Golub-Kahan steps. Selects lambda:
 * - GCV: generalised cross-validation (Golub, Heath and Wahba, Technometrics 21 (1979) 215) on the projected problem,
 *   which tends to oversmooth
 * - weighted: GCV with weighted degrees of freedom; the weight is estimated (Chung, Nagy, O'Leary, ETNA 28 (2008) 149)
 * - trace: GCV of the full problem. A random vector with a bidiagonalisation of its own estimates the trace (Golub and
 *   von Matt, J. Comput. Graph. Stat. 6 (1997) 1). The projected problem has the right misfit, but not the degrees of
 *   freedom fitted to noise. Assumes white noise; model errors are not white
 * - discrepancy: the misfit equals the noise norm
 * - fixed: the given lambda
 *
 * Uses the singular values of B (one-sided Jacobi: Hestenes, J. SIAM 6 (1958) 51), on the host, in double. Private to
 * solvers/. */
enum gt_strength { GT_STRENGTH_WEIGHTED, GT_STRENGTH_GCV, GT_STRENGTH_DISCREPANCY, GT_STRENGTH_FIXED, GT_STRENGTH_TRACE };
typedef struct gt_projected {
	size_t max, k;                  /* maximum number of steps; steps of the solution */
	double *alpha, *beta;           /* [most + 1], contiguous: diagonal alpha[0..), subdiagonal beta[1..); beta[0] = |r| */
	double *W, *Q, *sigma, *c, *y;  /* B Q = W, columns of most + 1 and of most; singular values; U'(beta_1 e_1); y: the solution */
	double rest;                    /* part of beta_1^2 that no y fits */
	double weights;                 /* sum of the estimated weights, one for each k */
	struct gt_projected *random;    /* for trace: result of gt_projected_probe() for a random vector's alpha and beta; else NULL */
} gt_projected;
gt_status gt_projected_new (size_t max, gt_projected *p);
void      gt_projected_free(gt_projected *p);
/* Prepares p, whose alpha and beta belong to a random vector, as another problem's `random`, with k steps. */
void      gt_projected_probe(gt_projected *p, size_t k);
/* Computes y[0..k) and returns the misfit |B y - beta_1 e_1|^2. level: norm of the noise, or lambda. Call it with k =
 * 1, 2, ... in sequence. */
double    gt_projected_solve(gt_projected *p, size_t k, enum gt_strength how, double level, double *lambda);

#endif
