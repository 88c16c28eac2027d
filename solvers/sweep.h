#ifndef GT_SOLVERS_SWEEP_H
#define GT_SOLVERS_SWEEP_H
#include "solvers/solver.h"

/* A pass of algebraic reconstruction over ordered subsets, S: each subset once, in an order of access,
 *   x <- P[ x + relax C_S A_S' R_S (b_S - A_S x) ],   R_S = 1/(A_S 1),  C_S = 1/(A_S' 1)
 * Andersen and Kak, Ultrason. Imaging 6 (1984) 81; in this form Jiang and Wang, IEEE Trans. Image Process. 12 (2003) 957.
 * R and C are 0 for rays that miss the volume and voxels that a subset hardly sees. Private to this room. */
enum gt_sweep_order { GT_SWEEP_SEQUENTIAL, GT_SWEEP_BIT_REVERSED, GT_SWEEP_GOLDEN };
enum gt_sweep_keep { GT_SWEEP_KEEP_AUTO, GT_SWEEP_KEEP_YES, GT_SWEEP_KEEP_NO };
extern const char *const gt_sweep_orders[], *const gt_sweep_keeps[];
/* order[0..n): the numbers 0 to n - 1 in the order of access. */
void gt_sweep_fill_order(enum gt_sweep_order kind, size_t n, size_t *order);

/* First in the options of every solver that sweeps. */
struct gt_sweep_options {
	int iterations, subsets, nonneg, order, keep;       /* subsets: 0 is one view each */
	int momentum;                                       /* of Nesterov, over iterations */
	double relax, reduce, threshold;                    /* threshold: below this part of the largest column sum, C is 0 */
};
gt_status gt_sweep_subsets(const void *options, size_t views, size_t *subsets);    /* as in gt_solver */
int       gt_sweep_nonneg (const void *options);

#define GT_SWEEP_AT(field) offsetof(struct gt_sweep_options, field)
#define GT_SWEEP_ITERATIONS                                                                                                   \
	{ .key = "iterations", .help = "passes over all the data", .kind = GT_INT, .at = GT_SWEEP_AT(iterations), .most = 1e6 }
#define GT_SWEEP_SUBSETS                                                                                                      \
	{ .key = "subsets", .help = "ordered subsets of the views: 1 is SIRT, 0 one view each (SART)", .kind = GT_INT,        \
	  .at = GT_SWEEP_AT(subsets), .most = 1e6 }
#define GT_SWEEP_RELAX { .key = "relax", .help = "step, below 2", .kind = GT_REAL, .at = GT_SWEEP_AT(relax), .most = 2 }
#define GT_SWEEP_REDUCE                                                                                                       \
	{ .key = "reduce", .help = "factor on the step after every iteration", .kind = GT_REAL, .at = GT_SWEEP_AT(reduce),    \
	  .most = 1 }
#define GT_SWEEP_NONNEG { .key = "nonneg", .help = "keep x >= 0", .kind = GT_FLAG, .at = GT_SWEEP_AT(nonneg) }
#define GT_SWEEP_MOMENTUM                                                                                                     \
	{ .key = "momentum",                                                                                                  \
	  .help = "begin each iteration ahead of x, as fista does; with several subsets it may diverge",                      \
	  .kind = GT_FLAG, .at = GT_SWEEP_AT(momentum) }
#define GT_SWEEP_ORDER                                                                                                        \
	{ .key = "order", .help = "in which subsets follow each other", .kind = GT_CHOICE, .at = GT_SWEEP_AT(order),          \
	  .names = gt_sweep_orders }
#define GT_SWEEP_THRESHOLD                                                                                                    \
	{ .key = "threshold", .help = "voxels whose column sum is below this part of the largest stay as they are",           \
	  .kind = GT_REAL, .at = GT_SWEEP_AT(threshold), .most = 1 }
#define GT_SWEEP_KEEP                                                                                                         \
	{ .key = "keep", .kind = GT_CHOICE, .at = GT_SWEEP_AT(keep), .names = gt_sweep_keeps,                                 \
	  .help = "keep the sums of all subsets instead of computing them every time; auto: if half the free memory holds them" }

typedef struct gt_sweep gt_sweep;
gt_status gt_sweep_new (const gt_problem *p, const struct gt_sweep_options *o, const gt_array *x, gt_sweep **s);
void      gt_sweep_free(gt_sweep *s);
/* ahead: x is z + ahead (z - the z of the last call), of an iterate z. With momentum and one subset it then is z that the residual is of:
 * A is linear. */
void      gt_sweep_run   (gt_sweep *s, double relax, double ahead, gt_array *x);
void      gt_sweep_misfit(gt_sweep *s, const gt_array *x);     /* asks for |b - A x|^2 of all subsets, nothing else */
/* The sum of |b_S - A_S x|^2 that the subsets of the last of these two found; settles all that is asked for. */
double    gt_sweep_squares(gt_sweep *s);
gt_array *gt_sweep_seen  (gt_sweep *s);                        /* that A z, which the next call depends on; NULL: on nothing */
gt_array *gt_sweep_volume(gt_sweep *s);                        /* as large as x, for the caller between sweeps */

#endif
