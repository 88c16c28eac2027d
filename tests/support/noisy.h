#ifndef GT_TESTS_NOISY_H
#define GT_TESTS_NOISY_H
#include "tests/support/problem.h"
/* A noisy weighted problem, in subsets and as one, and solver runs on it. */
enum { GT_TEST_NOISY_SUBSETS = 6 };
struct gt_test_noisy {
	struct gt_test_problem p;
	gt_problem many, one;
	gt_linop *A;
	gt_array *b, *w, *bs[GT_TEST_NOISY_SUBSETS], *ws[GT_TEST_NOISY_SUBSETS], *start;
};
struct gt_test_noisy *gt_test_noisy(gt_backend *be, gt_type type);
void gt_test_noisy_free(struct gt_test_noisy *n);
void gt_test_noisy_penalty(struct gt_test_noisy *n, const gt_penalty *R, double lo, double hi);

/* Records of a monitor. */
struct gt_test_log {
	int calls, stop_at;
	double cost[2000], gradient[2000];
	gt_counters first, last;
	gt_array *seen;                 /* NULL, or a buffer for the last volume */
};
/* l: NULL, or the record of the run. */
gt_status gt_test_solve(const char *name, const char *text, const gt_problem *p, gt_array *x, struct gt_test_log *l);
void   gt_test_never_rises(const struct gt_test_log *l, const char *who);
/* Cost at x, and its gradient in g; for problems of one subset. */
double gt_test_cost(const gt_problem *p, const gt_array *x, gt_array *g);
double gt_test_apart(const gt_array *x, const gt_array *y);     /* RMS difference */
double gt_test_norm(const gt_array *x);
#endif
