#ifndef GT_SOLVERS_ORDERED_SUBSETS_H
#define GT_SOLVERS_ORDERED_SUBSETS_H
#include <gantry/solver.h>

/* Pass of algebraic reconstruction over ordered subsets S, each once in an access order:
 *    x <- P[ x + relax C_S A_S' R_S (b_S - A_S x) ],   R_S = 1/(A_S 1),  C_S = 1/(A_S' 1)
 * Andersen and Kak, Ultrason. Imaging 6 (1984) 81; in this form Jiang and Wang, IEEE Trans. Image Process. 12 (2003)
 * 957.
 * R and C are 0 for rays outside the volume and for voxels that a subset hardly sees. Private to solvers/. */
enum gt_ordered_subsets_order { GT_OS_SEQUENTIAL, GT_OS_BIT_REVERSED, GT_OS_GOLDEN };
enum gt_ordered_subsets_keep { GT_OS_KEEP_AUTO, GT_OS_KEEP_YES, GT_OS_KEEP_NO };
extern const char *const gt_ordered_subsets_orders[], *const gt_ordered_subsets_keeps[];
/* Fills order[0..n) with the numbers 0 to n - 1 in access order. */
void gt_ordered_subsets_fill_order(enum gt_ordered_subsets_order kind, size_t n, size_t *order);

/* The options of every solver with ordered subsets begin with this struct. */
struct gt_ordered_subsets_options {
	int iterations, subsets, nonneg, order, keep;       /* subsets: 0 is one view each */
	int momentum;                                       /* Nesterov momentum over iterations */
	double relax, reduce, threshold;                    /* threshold: C is 0 below this fraction of the largest column sum */
	int anderson;                                       /* depth, solvers/anderson.h */
};
gt_status gt_ordered_subsets_subsets(const void *options, size_t views, size_t *subsets);    /* as in gt_solver */
int       gt_ordered_subsets_nonneg (const void *options);

#define GT_OS_AT(field) offsetof(struct gt_ordered_subsets_options, field)
#define GT_OS_ITERATIONS                                                                                                   \
	{ .key = "iterations", .help = "passes over all the data", .kind = GT_INT, .at = GT_OS_AT(iterations), .max = 1e6 }
#define GT_OS_SUBSETS                                                                                                      \
	{ .key = "subsets", .help = "ordered subsets of the views; 1: all views at once, 0: one view each", .kind = GT_INT,        \
	  .at = GT_OS_AT(subsets), .max = 1e6 }
#define GT_OS_RELAX { .key = "relax", .help = "step length (relaxation), below 2", .kind = GT_REAL, .at = GT_OS_AT(relax), .max = 1.99 }
#define GT_OS_REDUCE                                                                                                       \
	{ .key = "reduce", .help = "factor on the step length after every iteration", .kind = GT_REAL, .at = GT_OS_AT(reduce),    \
	  .max = 1 }
#define GT_OS_NONNEG { .key = "nonneg", .help = "keep x >= 0", .kind = GT_FLAG, .at = GT_OS_AT(nonneg) }
#define GT_OS_MOMENTUM                                                                                                     \
	{ .key = "momentum",                                                                                                  \
	  .help = "extrapolate x before each iteration, as fista does; with several subsets it may diverge",                      \
	  .kind = GT_FLAG, .at = GT_OS_AT(momentum) }
#define GT_OS_ORDER                                                                                                        \
	{ .key = "order", .help = "order in which subsets follow each other", .kind = GT_CHOICE, .at = GT_OS_AT(order),          \
	  .names = gt_ordered_subsets_orders }
#define GT_OS_THRESHOLD                                                                                                    \
	{ .key = "threshold", .help = "voxels whose column sum is below this part of the largest are not changed",           \
	  .kind = GT_REAL, .at = GT_OS_AT(threshold), .max = 1 }
#define GT_OS_KEEP                                                                                                         \
	{ .key = "keep", .kind = GT_CHOICE, .at = GT_OS_AT(keep), .names = gt_ordered_subsets_keeps,                                 \
	  .help = "keep the row and column sums of all subsets instead of computing them every time; auto: of subsets that fit" }

typedef struct gt_ordered_subsets gt_ordered_subsets;
gt_status gt_ordered_subsets_new (const gt_problem *p, const struct gt_ordered_subsets_options *o, const gt_array *x, gt_ordered_subsets **s);
void      gt_ordered_subsets_free(gt_ordered_subsets *s);
/* Runs a pass from another volume, or from x, to x. ahead: it is z + ahead (z - z of the last call) for iterates z.
 * With momentum and one subset the residual reported is that of z, because A is linear. */
void      gt_ordered_subsets_run   (gt_ordered_subsets *s, double relax, double ahead, const gt_array *from,
                                    gt_array *x);
void      gt_ordered_subsets_misfit(gt_ordered_subsets *s, const gt_array *x); /* only starts the reductions for |b - A x|^2 */
/* Returns the sum of |b_S - A_S x|^2 over the subsets of the last of these two calls. Waits for all pending
 * reductions. */
double    gt_ordered_subsets_squares(gt_ordered_subsets *s);
gt_array *gt_ordered_subsets_seen  (gt_ordered_subsets *s); /* A z if the next call depends on it, else NULL */
gt_array *gt_ordered_subsets_volume(gt_ordered_subsets *s); /* for the caller between passes */

#endif
