#ifndef GT_SOLVERS_TWO_WAYS_H
#define GT_SOLVERS_TWO_WAYS_H
#include <gantry/solver.h>
#include "solvers/krylov/arnoldi.h"

/* The Krylov space of A B, in the data, or of B A, in volumes, for a projector A and any backprojector B, with weights
 * of the data as an inner product (see solvers/gmres.c). Private to this room. */
typedef struct gt_two_ways {
	const gt_problem *p;
	const char *name;
	int ab;           /* or ba */
	gt_arnoldi space; /* of data, or of volumes */
	gt_array *t;      /* a volume, or an array like the data */
	gt_array *root;   /* of the weights, for ab; else NULL */
	double first;     /* what falls, at the start */
} gt_two_ways;
/* Vector 0 = b - A x, or B of it, weighted; *squares = |b - A x|^2, weighted, there when it returns what falls:
 * |vector 0|. */
double gt_two_ways_begin(gt_two_ways *s, const gt_array *x, double *squares);
/* So many steps, unless what falls comes to `stop`, from `left`; then x is the best of the space. *moved: |x - x
 * before|^2, there after the next wait. */
void   gt_two_ways_cycle(gt_two_ways *s, int steps, double stop, double left, gt_array *x, double *moved);

#endif
