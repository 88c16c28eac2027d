#ifndef GT_SOLVERS_PWLS_H
#define GT_SOLVERS_PWLS_H
#include <gantry/solver.h>

/* Internal to solvers/. What the solvers of penalised weighted least squares share: the cost of <gantry/solver.h>, its
 * gradient over subsets, separable majorizers (Erdogan and Fessler, Phys. Med. Biol. 44 (1999) 2835) and Nesterov's
 * momentum. */

/* GT_ERR_ARG by the solver's name if R lacks one of the GT_HAS_... in `needs`. R = NULL has all. */
gt_status gt_pwls_needs(const char *solver, const gt_penalty *R, unsigned needs);

/* One array that every subset's data fit in, and the part that each of them uses. */
typedef struct { gt_array *whole, **of; size_t subsets; } gt_pwls_buffers;
gt_status gt_pwls_buffers_new (const gt_problem *p, gt_pwls_buffers *room);
void      gt_pwls_buffers_free(gt_pwls_buffers *room);

/* The same with an array for each subset, one after the other in `whole`. */
gt_status gt_pwls_table_new(const gt_problem *p, gt_pwls_buffers *table);
/* The subset of a random step: all are equally likely, and step `count` always has the same. */
size_t    gt_pwls_pick(uint64_t seed, uint64_t count, size_t subsets);

/* r = w_k (A_k x - b_k); returns 1/2 <A_k x - b_k, r>. later: <A_k x - b_k, r> in *square after
 * gt_reductions_wait(). */
double gt_pwls_residual(const gt_problem *p, size_t k, const gt_array *x, gt_array *r);
void   gt_pwls_residual_later(const gt_problem *p, size_t k, const gt_array *x, gt_array *r, double *square);
/* g = sum of A_k' w_k (A_k x - b_k) over k = first, first + stride, ...; square[k] as above, after
 * gt_reductions_wait(). t: another volume, not used where that is one subset. */
void   gt_pwls_gradient(const gt_problem *p, size_t first, size_t stride, const gt_array *x, const gt_pwls_buffers *room, gt_array *t,
                        gt_array *g, double *square);
/* d = sum of A_k' w_k A_k 1 over all subsets: diag(d) majorizes the Hessian of the data term where no entry of A is
 * negative. Overwrites one, r and t; of t as above. */
void   gt_pwls_denominator(const gt_problem *p, gt_array *const *r, gt_array *t, gt_array *one, gt_array *d);
/* The largest of any subset instead, times their number: majorizes what each subset stands for, the whole, and any sum
 * of them. Where all see a voxel alike it is the same; where only some see it, as at the ends of a helix, the other
 * does not hold their steps. */
void   gt_pwls_denominator_of_subsets(const gt_problem *p, gt_array *const *r, gt_array *t, gt_array *one, gt_array *d);
/* What a pass over n steps tells: cost and data by the squares found on its way, which began at `before`; penalty is
 * there. Waits for all that is asked for. */
void   gt_pwls_pass(const gt_problem *p, const double *square, const gt_array *before, const gt_array *x, gt_progress *progress);
/* Voxels where a denominator is not above this are as good as unseen and stay as they are. */
double gt_pwls_threshold(const gt_array *d);
/* The largest eigenvalue of A'WA, one subset, by the power method from u = 1 (nearly its eigenvector, since A has no
 * negative entries), and 5 % more. Overwrites r, u. */
double gt_pwls_largest(const gt_problem *p, gt_array *r, gt_array *u);

/* A step from an extrapolated point, and its momentum. The three volumes change places; which is the iterate
 * changes. */
typedef struct {
	gt_array *x;                    /* the iterate */
	gt_array *v;                    /* the one before, then the point extrapolated from both */
	gt_array *g;                    /* the gradient at v, then the next iterate */
	const gt_array *d;              /* diagonal majorizer, or NULL: L, a number */
	double L, min, t;               /* least: the threshold of d; t: 1 is no momentum */
} gt_pwls_point;
double gt_pwls_momentum(gt_pwls_point *s);                      /* beta of the next extrapolation x + beta (x - previous) */
void   gt_pwls_step    (gt_pwls_point *s, double lo, double hi);/* g = v - g/d, clamped; d is not NULL */
/* Does the momentum point uphill: <d (v - g), g - x> > 0? (O'Donoghue and Candes, Found. Comput. Math. 15 (2015) 715,
 * the gradient scheme, for projected steps.) Overwrites v. After gt_reductions_wait() it does if side[0] > side[1]. */
void   gt_pwls_uphill_later(gt_pwls_point *s, double side[2]);
void   gt_pwls_accept  (gt_pwls_point *s);                      /* g becomes x, x becomes v */

#endif
