#ifndef GT_SOLVERS_PROJECTED_TIKHONOV_H
#define GT_SOLVERS_PROJECTED_TIKHONOV_H
#include <stddef.h>
#include <gantry/status.h>

/* Least |B y - beta_1 e_1|^2 + lambda^2 |y|^2 with the lower bidiagonal B that k steps of Golub and Kahan leave, and
 * ways to choose lambda:
 *   GCV: generalised cross-validation (Golub, Heath and Wahba, Technometrics 21 (1979) 215) on this small problem,
 *     which tends to be too strong;
 *   weighted: with the freedoms counted by a weight, found on the way (Chung, Nagy and O'Leary, ETNA 28 (2008) 149);
 *   trace: generalised cross-validation of the whole problem, with the trace that a random vector estimates by a
 *     bidiagonalisation of its own (Golub and von Matt, J. Comput. Graph. Stat. 6 (1997) 1): the small problem knows
 *     the misfit, but not how many freedoms of the noise its solution has taken up. For white noise
 *     alone: errors of the model are not;
 *   discrepancy: the misfit is the noise; fixed: as given.
 * By the singular values of B (one-sided Jacobi: Hestenes, J. SIAM 6 (1958) 51). All on the host, in double. Private
 * to this room. */
enum gt_strength { GT_STRENGTH_WEIGHTED, GT_STRENGTH_GCV, GT_STRENGTH_DISCREPANCY, GT_STRENGTH_FIXED, GT_STRENGTH_TRACE };
typedef struct gt_projected {
	size_t max, k;                  /* steps at most, and those of the solution */
	double *alpha, *beta;           /* [most + 1], one behind the other: diagonal alpha[0..), below it beta[1..); beta[0] = |r| */
	double *W, *Q, *sigma, *c, *y;  /* B Q = W, columns of most + 1 and of most; singular values; U'(beta_1 e_1); y: the solution */
	double rest;                    /* what no y reaches of beta_1^2 */
	double weights;                 /* sum of the weights found, one for each k */
	struct gt_projected *random;    /* for trace: what gt_projected_probe() made of a random vector's alpha and beta; else NULL */
} gt_projected;
gt_status gt_projected_new (size_t max, gt_projected *p);
void      gt_projected_free(gt_projected *p);
/* p is of a random vector and ready to be another's `random`: with k steps. */
void      gt_projected_probe(gt_projected *p, size_t k);
/* y[0..k) and the misfit |B y - beta_1 e_1|^2. level: the noise's norm, or lambda. Call it with k = 1, 2, ... in
 * turn. */
double    gt_projected_solve(gt_projected *p, size_t k, enum gt_strength how, double level, double *lambda);

#endif
