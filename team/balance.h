#ifndef GT_TEAM_BALANCE_H
#define GT_TEAM_BALANCE_H
/* Load balance of different ranks: finds the partition that minimises the time of the slowest rank, by a few measured
 * partitions. `things` are views or slices. */
#include "team/team.h"

enum { GT_BALANCE_SPLITS = 3, GT_BALANCE_POINTS = 8 };

/* Measured times of one rank: seconds for n things. */
typedef struct { size_t n[GT_BALANCE_POINTS]; double seconds[GT_BALANCE_POINTS]; int points; } gt_balance_curve;
void   gt_balance_point(gt_balance_curve *c, size_t n, double seconds); /* a repeated n: averages */
double gt_balance_seconds(const gt_balance_curve *c, size_t n);         /* linear inter- and extrapolation */
/* Finds the numbers of things, at least 1 each, with the smallest maximum time; returns this time. things >= ranks. */
double gt_balance_solve(const gt_balance_curve *c, int ranks, size_t things, size_t *share);

typedef struct {
	size_t things;
	/* Measures the time of this rank for the current partition. Collective. */
	gt_status (*measure)(gt_backend *be, void *self, double *seconds);
	void *self;
	/* Progress callback on rank 0, or NULL. split: 0 before the first new partition. */
	void (*report)(void *self, int split, int ranks, const size_t *share, const double *seconds);
} gt_balance_work;
/* Measures, and repartitions at most GT_BALANCE_SPLITS times while the predicted gain is at least 3 %. Sets the best
 * measured partition. Collective; share: [ranks]. */
gt_status gt_balance_run(gt_backend *be, const gt_balance_work *w, size_t *share);
gt_status gt_balance_set(gt_backend *be, const size_t *share);
#endif
