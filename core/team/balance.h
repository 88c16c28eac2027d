#ifndef GT_CORE_TEAM_BALANCE_H
#define GT_CORE_TEAM_BALANCE_H
/* Shares of unequal members: from measured times, by a few splits, to the one whose slowest member is fastest.
 * Knows nothing of what is shared: `things` are views or slices. */
#include "core/team/team.h"

enum { GT_BALANCE_SPLITS = 3, GT_BALANCE_POINTS = 8 };

/* What is known of one member: seconds for so many things. */
typedef struct { size_t n[GT_BALANCE_POINTS]; double seconds[GT_BALANCE_POINTS]; int points; } gt_balance_curve;
void   gt_balance_point(gt_balance_curve *c, size_t n, double seconds); /* the same n again: the mean of both */
double gt_balance_seconds(const gt_balance_curve *c, size_t n);         /* by lines between points, and beyond */
/* The shares of `things` whose greatest time is least, each at least 1; that time. things >= members. */
double gt_balance_solve(const gt_balance_curve *c, int ranks, size_t things, size_t *share);

typedef struct {
	size_t things;
	/* How long this member's part takes by the shares that the team has now; all members call it together. */
	gt_status (*measure)(gt_backend *be, void *self, double *seconds);
	void *self;
	/* On member 0; NULL: nobody is told. split: 0 before the first re-split. */
	void (*tell)(void *self, int split, int ranks, const size_t *share, const double *seconds);
} gt_balance_work;
/* Measures, splits anew at most GT_BALANCE_SPLITS times while that promises 3 %, and leaves the team with the
 * best shares that were measured. All members call it together; *share [members] of all. */
gt_status gt_balance_run(gt_backend *be, const gt_balance_work *w, size_t *share);
/* Shares of the team of this backend, as weights; all members call it together. */
gt_status gt_balance_set(gt_backend *be, const size_t *share);
#endif
