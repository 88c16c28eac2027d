#ifndef GT_TESTS_SMALL_H
#define GT_TESTS_SMALL_H
#include "tests/support/problem.h"
/* Small noisy problems and their exact minimisers, as references for iterative solvers. */

/* Records of a monitor. */
enum { GT_TEST_CALLS = 2000 };
struct gt_small_log {
	int calls, stop_at;
	gt_progress seen[GT_TEST_CALLS];
	gt_array *volumes[GT_TEST_CALLS]; /* copies of the iterates, for calls below `copies` */
	int copies;
	gt_counters first, last;
};

/* An inconsistent noisy problem with weights, some of them 0. */
struct gt_small_noisy {
	struct gt_test_problem p;
	gt_array *w[40], **own; /* own: volumes that gt_small_noisy_free() frees */
	size_t owned;
	int closes;             /* the backend too */
};
/* be: NULL opens GT_BACKEND. gt_small_noisy_free() closes it and fails the test if arrays are left. */
struct gt_small_noisy gt_small_noisy(gt_backend *be, gt_type type, size_t n, size_t views, size_t subsets, double noise);
void gt_small_noisy_free(struct gt_small_noisy *s);
/* A volume, and a start volume other than zero and the solution; the problem owns both. */
gt_array *gt_small_volume(struct gt_small_noisy *s);
gt_array *gt_small_start(struct gt_small_noisy *s);

/* strength/2 times the squared differences of successive voxels, by its gradient; strength/2 |x - centre|^2 by its proximal step. */
gt_penalty *gt_small_rough(const gt_array *x, double strength, int convex);
gt_penalty *gt_small_near_to(const gt_array *centre, double strength);

/* gt_solve() with these options; l may be NULL. */
gt_status gt_small_solve(const char *name, const char *text, const gt_problem *p, gt_array *x, struct gt_small_log *l);
/* x = the exact minimiser of 1/2 sum_k |A_k x - b_k|_w^2 + diagonal/2 |x - centre|^2 + rough/2 |differences|^2 in
 * the problem's box (double). The matrix is read off the operators. centre: NULL is 0. */
void gt_small_exact(const gt_problem *p, double diagonal, const gt_array *centre, double rough, gt_array *x);
/* 1/2 sum_k |A_k x - b_k|_w^2 + R(x); |x - y|/|y|. */
double gt_small_cost(const gt_problem *p, const gt_array *x);
double gt_small_distance(const gt_array *x, const gt_array *y);
#endif
