#ifndef GT_SOLVERS_STEPS_LINE_STEP_H
#define GT_SOLVERS_STEPS_LINE_STEP_H
/* Private to solvers/. Line search for penalised weighted least squares with one subset: minimises parabolas that
 * majorize the cost (Fessler and Booth, IEEE Trans. Image Process. 8 (1999) 688), so it never rises. One forward
 * projection per step. */
#include <gantry/solver.h>

typedef struct {
	const gt_problem *p;
	int parabolas;                  /* maximum number */
	gt_array *x, *r, *q;            /* x; W (A x - b); scratch as large as r */
	double data;                    /* the data term at x */
} gt_line_step;
/* Recomputes r and the data term. */
void   gt_line_step_begin(gt_line_step *s);
/* Moves x, r and the data term one step along d; returns the step. afresh: recompute r instead of updating it, which
 * limits accumulated rounding. */
double gt_line_step_move(gt_line_step *s, const gt_array *d, int afresh);
#endif
