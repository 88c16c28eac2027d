#ifndef GT_ANALYTIC_CONSISTENCY_CONJUGATE_IMPL_H
#define GT_ANALYTIC_CONSISTENCY_CONJUGATE_IMPL_H
/* Pairs of conjugate rays and their agreement; private to analytic/. */
#include <gantry/scan.h>
#include <gantry/threads.h>

/* One line: taps[0] measures it; the other taps measure it from the other end, with weights that sum to 1. u and v:
 * pixels from the central ray. */
typedef struct { size_t view; double u, v, weight; } gt_conjugate_tap;
typedef struct { gt_conjugate_tap tap[3]; int taps, group; } gt_conjugate_pair;
/* Pairs are assigned to groups at random: the groups' scatter is the uncertainty of a fit to all pairs. */
enum { GT_CONJUGATE_GROUPS = 8 };

/* Finds about `max` pairs, malloc'ed. u extends to the farther end of the detector. slack: additional standard error of
 * a center, pixels. It is not 0 if a scan over 180 degrees lacks its last view; the views at both ends are then
 * extrapolated by this step. */
gt_status gt_conjugate_pairs(const gt_scan *scan, gt_pool *pool, size_t max, gt_conjugate_pair **pairs, size_t *count, double *slack);

/* Noise of a pixel as a function of its value: medians of second differences along columns, in bins of the value. */
enum { GT_CONJUGATE_BINS = 32 };
typedef struct {
	const gt_scan *scan;
	const float *data;
	gt_pool *pool;
	const gt_conjugate_pair *pair;
	size_t pairs;
	double bin_value[GT_CONJUGATE_BINS], bin_variance[GT_CONJUGATE_BINS];
	size_t bins;
	double value, noise;            /* RMS over the pairs' pixels */
} gt_conjugate_data;
gt_status gt_conjugate_noise(gt_conjugate_data *d);

/* Pixel of u, v: column = center + columns u, row = row + rows v. */
typedef struct { int columns, rows; double center, row; } gt_conjugate_map;
/* Disagreement of pairs: cost is the mean of 9 log(1 + z^2/9), z the difference relative to its expected deviation. */
typedef struct { size_t pairs; double cost, group[GT_CONJUGATE_GROUPS], rms, expected; } gt_conjugate_misfit;
gt_status gt_conjugate_measure(const gt_conjugate_data *d, const gt_conjugate_map *map, gt_conjugate_misfit *misfit);
/* Finds the center within the whole detector with the most significant correlation of both ends. */
gt_status gt_conjugate_search(const gt_conjugate_data *d, gt_conjugate_map *map);
/* Moves map->center to the nearest minimum of the cost; error: its standard error. */
gt_status gt_conjugate_refine(const gt_conjugate_data *d, gt_conjugate_map *map, double *error);
#endif
