#ifndef GT_ANALYTIC_CONSISTENCY_CONJUGATE_IMPL_H
#define GT_ANALYTIC_CONSISTENCY_CONJUGATE_IMPL_H
/* Pairs of conjugate rays, and how well they agree; private to analytic/. */
#include <gantry/scan.h>
#include <gantry/threads.h>

/* One line: measured by taps[0], and from the other end by the rest, whose weights sum to 1. u and v: pixels from the
 * central ray. */
typedef struct { size_t view; double u, v, weight; } gt_conjugate_tap;
typedef struct { gt_conjugate_tap tap[3]; int taps, group; } gt_conjugate_pair;
/* Pairs are dealt out to groups at random: their scatter is the uncertainty of what is fitted to all. */
enum { GT_CONJUGATE_GROUPS = 8 };

/* most: pairs, about. pairs: malloc'ed. u reaches to the farther end of the detector. slack: standard error of a
 * center beyond that of statistics, pixels; not 0 where half a turn lacks its last view, and the views at either end
 * are continued by that step. */
gt_status gt_conjugate_pairs(const gt_scan *scan, gt_pool *pool, size_t max, gt_conjugate_pair **pairs, size_t *count, double *slack);

/* The noise of a pixel by its value: medians of second differences along columns in classes of the value. */
enum { GT_CONJUGATE_BINS = 32 };
typedef struct {
	const gt_scan *scan;
	const float *data;
	gt_pool *pool;
	const gt_conjugate_pair *pair;
	size_t pairs;
	double bin_value[GT_CONJUGATE_BINS], bin_variance[GT_CONJUGATE_BINS];
	size_t bins;
	double value, noise;            /* root mean squares over the pairs' pixels */
} gt_conjugate_data;
gt_status gt_conjugate_noise(gt_conjugate_data *d);

/* Which pixel u, v is: column = center + columns u, row = row + rows v. */
typedef struct { int columns, rows; double center, row; } gt_conjugate_map;
/* How well pairs agree: cost is the mean of 9 log(1 + z^2/9), z the difference in its expected deviation. */
typedef struct { size_t pairs; double cost, group[GT_CONJUGATE_GROUPS], rms, expected; } gt_conjugate_misfit;
gt_status gt_conjugate_measure(const gt_conjugate_data *d, const gt_conjugate_map *map, gt_conjugate_misfit *misfit);
/* The center within the whole detector where the correlation of both ends is most significant. */
gt_status gt_conjugate_search(const gt_conjugate_data *d, gt_conjugate_map *map);
/* Moves map->center to the least cost near it; error: its standard error. */
gt_status gt_conjugate_refine(const gt_conjugate_data *d, gt_conjugate_map *map, double *error);
#endif
