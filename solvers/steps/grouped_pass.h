#ifndef GT_SOLVERS_STEPS_GROUPED_PASS_H
#define GT_SOLVERS_STEPS_GROUPED_PASS_H
/* Private to solvers/. Passes over ordered subsets by separable quadratic surrogates and Nesterov momentum:
 *    x+ = P[ z - (G sum_S A_k' w_k (A_k z - b_k) + R'(z)) / d ],   z = x+ + beta (x+ - x),
 *    d = M max_k A_k'w_k A_k 1 + R's majorizer.
 * S is one of G groups of the M subsets: Kim, Ramani and Fessler, IEEE Trans. Med. Imaging 34 (2015) 167; for the
 * surrogates see Erdogan and Fessler, Phys. Med. Biol. 44 (1999) 2835.
 * The momentum restarts when the number of groups changes, and, with one group, if it points uphill. With several
 * groups it accumulates their inconsistencies, without bound if few views see the same: steps/momentum_guard.h.
 *
 * With one group the cost belongs to the iterate, not to z. The data term is a parabola along the line through the
 * last two iterates and z. The value at the former and value and slope at z determine it. */
#include "solvers/pwls.h"

typedef struct {
	const gt_problem *p;
	int momentum, restart;
	gt_pwls_point at;
	gt_array *own[2], *d, *t; /* volumes to free; the caller owns the third of `at` */
	gt_array *old;            /* x before the pass, if it has several steps */
	gt_pwls_buffers room;
	size_t groups, *order;
	double *square; /* per subset: <r, w r> of the last residual, valid after a wait */
	double data;    /* data term of the previous pass; with one group, at the previous iterate */
	double share;   /* fraction of the momentum used with this number of groups */
	double lowest;  /* data term before its last rise, with this number of groups */
	double prior;   /* penalty at the iterate before the pass, if it has several steps */
} gt_grouped;

/* Results of one pass over the data; squared norms are valid after a wait. */
typedef struct {
	double data, penalty, gradient2, change2, side[2];
	double beta, along[2]; /* <gradient of the data term at z, z>, and the product with x */
	int undone;
} gt_grouped_found;

/* Clamps x to the bounds as the iterate. s: p, momentum and restart are set, the rest is 0. Free it even after a
 * failure. */
gt_status gt_grouped_new (const char *solver, gt_array *x, gt_grouped *s);
void      gt_grouped_free(gt_grouped *s);
/* Call after the state is filled in. */
void      gt_grouped_begin(gt_grouped *s);
/* Runs all groups once. first: the first pass with this number of groups, after a larger one. */
gt_grouped_found gt_grouped_pass(gt_grouped *s, size_t groups, int first);
#endif
