#ifndef GT_SOLVERS_STEPS_GROUPED_PASS_H
#define GT_SOLVERS_STEPS_GROUPED_PASS_H
/* Inside this room: passes over ordered subsets by separable quadratic surrogates and Nesterov's momentum,
 *   x+ = P[ z - (G sum_S A_k' w_k (A_k z - b_k) + R'(z)) / d ],   z = x+ + beta (x+ - x),
 *   d = M max_k A_k'w_k A_k 1 + R's majorizer
 * where S is one of G groups of the M subsets: Kim, Ramani and Fessler, IEEE Trans. Med. Imaging 34 (2015) 167;
 * surrogates: Erdogan and Fessler, Phys. Med. Biol. 44 (1999) 2835. The momentum starts anew when the number of groups
 * changes, and with one, where it points uphill. With several it adds up what they disagree about, without end where
 * few views see the same: steps/momentum_guard.h.
 *
 * With one group the cost is that of the iterate, not of z: the data term is a parabola along the line of the last two
 * iterates and z, of which the value at the former and value and slope at z are known. */
#include "solvers/pwls.h"

typedef struct {
	const gt_problem *p;
	int momentum, restart;
	gt_pwls_point at;
	gt_array *own[2], *d, *t; /* volumes to free; the third of at is the caller's */
	gt_array *old;            /* x before the pass, where that has several steps */
	gt_pwls_buffers room;
	size_t groups, *order;
	double *square; /* of each subset: <r, w r> of the last residual, once settled */
	double data;    /* the data term of the pass before: with one group, at the iterate before */
	double share;   /* of the momentum that is made use of, with this number of groups */
	double lowest;  /* the data term before it rose last, with this number of groups */
	double prior;   /* the penalty at the iterate before the pass, where that has several steps */
} gt_grouped;

/* What one pass over the data found on its way: squares of a norm are there once settled. */
typedef struct {
	double data, penalty, gradient2, change2, side[2];
	double beta, along[2]; /* <data's gradient at z, z>, the same with x */
	int undone;
} gt_grouped_found;

/* x becomes the iterate, within the bounds. s: p, momentum and restart are set, all else 0; to be freed also after a
 * failure. */
gt_status gt_grouped_new (const char *solver, gt_array *x, gt_grouped *s);
void      gt_grouped_free(gt_grouped *s);
/* After what was kept is filled in. */
void      gt_grouped_begin(gt_grouped *s);
/* All groups once. first: the first pass with so many, after more. */
gt_grouped_found gt_grouped_pass(gt_grouped *s, size_t groups, int first);
#endif
