#ifndef GT_SOLVERS_ORDERED_SUBSETS_H
#define GT_SOLVERS_ORDERED_SUBSETS_H
#include <gantry/solver.h>

/* A pass of algebraic reconstruction over ordered subsets, S: each subset once, in an order of access,
 *   x <- P[ x + relax C_S A_S' R_S (b_S - A_S x) ],   R_S = 1/(A_S 1),  C_S = 1/(A_S' 1)
 * Andersen and Kak, Ultrason. Imaging 6 (1984) 81; in this form Jiang and Wang, IEEE Trans. Image Process. 12 (2003) 957.
 * R and C are 0 for rays that miss the volume and voxels that a subset hardly sees. Private to this room. */
enum gt_ordered_subsets_order { GT_OS_SEQUENTIAL, GT_OS_BIT_REVERSED, GT_OS_GOLDEN };
enum gt_ordered_subsets_keep { GT_OS_KEEP_AUTO, GT_OS_KEEP_YES, GT_OS_KEEP_NO };
extern const char *const gt_ordered_subsets_orders[], *const gt_ordered_subsets_keeps[];
/* order[0..n): the numbers 0 to n - 1 in the order of access. */
void gt_ordered_subsets_fill_order(enum gt_ordered_subsets_order kind, size_t n, size_t *order);

/* First in the options of every solver that sweeps. */
struct gt_ordered_subsets_options {
	int iterations, subsets, nonneg, order, keep;       /* subsets: 0 is one view each */
	int momentum;                                       /* of Nesterov, over iterations */
	double relax, reduce, threshold;                    /* threshold: below this part of the largest column sum, C is 0 */
	int anderson;                                       /* solvers/anderson.h */
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
	  .help = "keep the row and column sums of all subsets instead of computing them every time; auto: if half the free memory holds them" }

typedef struct gt_ordered_subsets gt_ordered_subsets;
gt_status gt_ordered_subsets_new (const gt_problem *p, const struct gt_ordered_subsets_options *o, const gt_array *x, gt_ordered_subsets **s);
void      gt_ordered_subsets_free(gt_ordered_subsets *s);
/* ahead: x is z + ahead (z - the z of the last call), of an iterate z. With momentum and one subset it then is z that the residual is of:
 * A is linear. */
void      gt_ordered_subsets_run   (gt_ordered_subsets *s, double relax, double ahead, gt_array *x);
void      gt_ordered_subsets_misfit(gt_ordered_subsets *s, const gt_array *x);     /* asks for |b - A x|^2 of all subsets, nothing else */
/* The sum of |b_S - A_S x|^2 that the subsets of the last of these two found; settles all that is asked for. */
double    gt_ordered_subsets_squares(gt_ordered_subsets *s);
gt_array *gt_ordered_subsets_seen  (gt_ordered_subsets *s);                        /* that A z, which the next call depends on; NULL: on nothing */
gt_array *gt_ordered_subsets_volume(gt_ordered_subsets *s);                        /* as large as x, for the caller between sweeps */

#endif
