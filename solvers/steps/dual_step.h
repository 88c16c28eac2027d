#ifndef GT_SOLVERS_STEPS_DUAL_STEP_H
#define GT_SOLVERS_STEPS_DUAL_STEP_H
/* Private to solvers/. Decrease and restart of the dual step s of primal-dual methods (proofs: solvers/pdhg.c).
 * The proofs hold with any smaller convexity constant; a third of it lets s fall as 3/k, as fast as Nesterov momentum
 * gains. Steps that have become too small let the iterates oscillate about the minimum.
 * If the cost rises above its minimum since s was 1, s restarts at 1 and q at W(A x - b): a plain gradient step from
 * x. Cf. O'Donoghue and Candes, Found. Comput. Math. 15 (2015) 715, and, for this method, Applegate, Hinder, Lu and
 * Lubin, Math. Program. 201 (2023) 133.
 * A restart requires that the cost is not above the cost after the previous restart step. Either those steps alone
 * lower the cost, or there is a last one, after which the proofs apply. With sigma above 0 the constant is 1, s stops
 * at sigma, and nothing restarts. */

typedef struct {
	double min;                     /* sigma; 0: adaptive */
	double sigma, theta;            /* theta is 0 at a restart of s */
	double begun, lowest, fine;     /* cost after the first step of s; minimum since; tolerated increase */
	int plain;                      /* 1: the norms in which the iterates are measured must not grow */
} gt_dual_step;
void gt_dual_step_next(gt_dual_step *s);
/* Restarts s if the cost rises, else computes the next s. */
void gt_dual_step_update(gt_dual_step *s, double cost);
#endif
