#ifndef GT_SOLVERS_STEPS_DUAL_STEP_H
#define GT_SOLVERS_STEPS_DUAL_STEP_H
/* Inside this room: how the dual step s of primal-dual methods falls (solvers/pdhg.c has the proofs).
 * Those proofs hold with any smaller constant of convexity too: a third lets s fall as 3/k, as fast as Nesterov's
 * momentum gains. Steps that became too small for the problem let the iterates circle about the minimum: so where
 * the cost rises above the lowest since s was 1, s is 1 again and q is W(A x - b), which is a plain step down from
 * x. That is how O'Donoghue and Candes, Found. Comput. Math. 15 (2015) 715, restart momentum; restarts of this
 * method: Applegate, Hinder, Lu and Lubin, Math. Program. 201 (2023) 133. It is done only if the cost is not above
 * that after the last such step: then those steps alone lower the cost, or there is a last one, from where on the
 * proofs hold as they stand. With sigma above 0 the constant is 1, s stops at that value, and nothing starts again. */

typedef struct {
	double min;                     /* of sigma; 0: it adapts */
	double sigma, theta;            /* theta is 0 where s begins */
	double begun, lowest, fine;     /* the cost after the step with which s began, the lowest since; no rise */
	int plain;                      /* 1: the norms in which the iterates are measured must not grow */
} gt_dual_step;
void gt_dual_step_next(gt_dual_step *s);
/* Does the cost rise? Then s begins anew. Else the next. */
void gt_dual_step_look(gt_dual_step *s, double cost);
#endif
