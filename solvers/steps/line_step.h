#ifndef GT_SOLVERS_STEPS_LINE_STEP_H
#define GT_SOLVERS_STEPS_LINE_STEP_H
/* Inside this room: steps along a direction down the cost of penalised weighted least squares with one subset, by
 * minimising parabolas that lie above it (Fessler and Booth, IEEE Trans. Image Process. 8 (1999) 688), so that it never
 * rises. One forward projection a step. */
#include <gantry/solver.h>

typedef struct {
	const gt_problem *p;
	int parabolas;                  /* at most */
	gt_array *x, *r, *q;            /* x; W (A x - b); what the step works in, as large as r */
	double data;                    /* the data term at x */
} gt_line_step;
/* r and the data term, afresh. */
void   gt_line_step_begin(gt_line_step *s);
/* x, r and the data term a step along d further; returns the step. afresh: r is computed, not updated, as rounding adds
 * up. */
double gt_line_step_move(gt_line_step *s, const gt_array *d, int afresh);
#endif
