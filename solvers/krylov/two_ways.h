#ifndef GT_SOLVERS_TWO_WAYS_H
#define GT_SOLVERS_TWO_WAYS_H
#include <gantry/solver.h>
#include "solvers/krylov/arnoldi.h"

/* Krylov space of A B in the data, or of B A in volumes, for a projector A and any backprojector B. Weights act as an
 * inner product of the data (see solvers/gmres.c). Private to solvers/. */
typedef struct gt_two_ways {
	const gt_problem *p;
	const char *name;
	int ab;           /* 1: A B; 0: B A */
	gt_arnoldi space; /* arrays like the data, or volumes */
	gt_array *t;      /* a volume, or an array like the data */
	gt_array *root;   /* root of the weights, for ab; else NULL */
	double first;     /* initial norm of the minimised residual */
} gt_two_ways;
/* Sets vector 0 to the weighted b - A x, or B of it, and returns its norm, which is the minimised residual. *squares:
 * weighted |b - A x|^2, valid on return. */
double gt_two_ways_begin(gt_two_ways *s, const gt_array *x, double *squares);
/* Makes `steps` steps, or fewer if the minimised residual falls from `left` to `stop`. x becomes the minimiser.
 * *moved: |x - x before|^2, valid after the next wait. */
void   gt_two_ways_cycle(gt_two_ways *s, int steps, double stop, double left, gt_array *x, double *moved);

#endif
