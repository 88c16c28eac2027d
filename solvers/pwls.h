#ifndef GT_SOLVERS_PWLS_H
#define GT_SOLVERS_PWLS_H
#include <gantry/solver.h>

/* Private to solvers/. Shared parts of penalised weighted least squares: the cost of <gantry/solver.h>, its gradient
 * over subsets, separable majorizers (Erdogan and Fessler, Phys. Med. Biol. 44 (1999) 2835) and Nesterov momentum. */

/* GT_ERR_ARG, with the solver's name, if R lacks one of the GT_HAS_... in `needs`. R = NULL has all. */
gt_status gt_pwls_needs(const char *solver, const gt_penalty *R, unsigned needs);

/* One array that fits the data of every subset, and the part that each of them uses. */
typedef struct { gt_array *whole, **of; size_t subsets; } gt_pwls_buffers;
gt_status gt_pwls_buffers_new (const gt_problem *p, gt_pwls_buffers *room);
void      gt_pwls_buffers_free(gt_pwls_buffers *room);

/* Makes an array for each subset, contiguous in `whole`. */
gt_status gt_pwls_table_new(const gt_problem *p, gt_pwls_buffers *table);
/* Returns the subset of a random step. Subsets are equally likely; equal seed and count give the same one. */
size_t    gt_pwls_pick(uint64_t seed, uint64_t count, size_t subsets);

/* Computes r = w_k (A_k x - b_k) and returns 1/2 <A_k x - b_k, r>. The later form sets *square = <A_k x - b_k, r>
 * after gt_reductions_wait(). */
double gt_pwls_residual(const gt_problem *p, size_t k, const gt_array *x, gt_array *r);
void   gt_pwls_residual_later(const gt_problem *p, size_t k, const gt_array *x, gt_array *r, double *square);
/* Computes g = sum of A_k' w_k (A_k x - b_k) over k = first, first + stride, ...; square[k] as above, after
 * gt_reductions_wait(). t: another volume, unused for one subset. */
void   gt_pwls_gradient(const gt_problem *p, size_t first, size_t stride, const gt_array *x, const gt_pwls_buffers *room, gt_array *t,
                        gt_array *g, double *square);
/* Computes d = sum of A_k' w_k A_k 1 over all subsets; diag(d) majorizes the Hessian of the data term if no entry of
 * A is negative. Overwrites one and r, and t as above. */
void   gt_pwls_denominator(const gt_problem *p, gt_array *const *r, gt_array *t, gt_array *one, gt_array *d);
/* Computes the largest value over the subsets, times their number, instead. It majorizes the Hessian that each subset
 * represents, the whole one, and that of any sum of subsets.
 * It equals the sum if all subsets see a voxel equally. If only some do, as at the ends of a helix, the sum would not
 * bound their steps. */
void   gt_pwls_denominator_of_subsets(const gt_problem *p, gt_array *const *r, gt_array *t, gt_array *one, gt_array *d);
/* Reports a pass over n steps: cost and data from the squares found on its way, which began at `before`, and penalty.
 * Waits for all pending reductions. */
void   gt_pwls_pass(const gt_problem *p, const double *square, const gt_array *before, const gt_array *x, gt_progress *progress);
/* Returns the denominator up to which voxels count as unseen and stay unchanged. */
double gt_pwls_threshold(const gt_array *d);
/* Returns 1.05 times the largest eigenvalue of A'WA, one subset, by the power method from u = 1, nearly its
 * eigenvector as A has no negative entries. Overwrites r and u. */
double gt_pwls_largest(const gt_problem *p, gt_array *r, gt_array *u);

/* A step from an extrapolated point, and its momentum. The three volumes are swapped, so the iterate's array
 * changes. */
typedef struct {
	gt_array *x;                    /* the iterate */
	gt_array *v;                    /* the previous iterate, then the extrapolated point */
	gt_array *g;                    /* the gradient at v, then the next iterate */
	const gt_array *d;              /* diagonal majorizer, or NULL: the number L */
	double L, min, t;               /* least: the threshold of d; t: 1: no momentum */
} gt_pwls_point;
double gt_pwls_momentum(gt_pwls_point *s);                      /* returns beta of the next extrapolation x + beta (x - previous) */
void   gt_pwls_step    (gt_pwls_point *s, double lo, double hi);/* g = v - g/d, clamped; d is not NULL */
/* Tests whether the momentum points uphill, <d (v - g), g - x> > 0 (O'Donoghue and Candes, Found. Comput. Math. 15
 * (2015) 715, gradient scheme, for projected steps). Overwrites v. After gt_reductions_wait() it does if side[0] >
 * side[1]. */
void   gt_pwls_uphill_later(gt_pwls_point *s, double side[2]);
void   gt_pwls_accept  (gt_pwls_point *s);                      /* g becomes x, x becomes v */

#endif
