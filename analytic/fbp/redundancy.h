#ifndef GT_ANALYTIC_FBP_REDUNDANCY_H
#define GT_ANALYTIC_FBP_REDUNDANCY_H
/* Directions of the views on their circle, and redundancy weights. Angles in rad, counter-clockwise seen from +z. */
#include <stddef.h>
#include <gantry/status.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Short scan: t in [0, range] since the first angle, fan angle beta (counter-clockwise from the central ray), range =
 * pi + 2 delta. Conjugates (t, beta) and (t + pi + 2 beta, -beta) sum to 1 for |beta| <= delta; larger beta counts as
 * delta. Parker, Med. Phys. 9 (1982) 254, with delta of the scanned range instead of the fan. */
double gt_parker_weight(double t, double beta, double range);

/* Displaced detector on a full rotation: conjugates beta and -beta sum to 2. 0 for beta <= -overlap, 2 for beta >=
 * overlap (the long side has positive beta). Wang, Med. Phys. 29 (2002) 1634, with a sine for the transition. */
double gt_offset_weight(double beta, double overlap);

/* Coverage of a circle of `period` (2 pi; pi if opposite directions are equivalent). */
typedef struct {
	int full;               /* 1: covers the circle */
	double first;           /* start of the range, half a step before its first direction (0 if full) */
	double range;           /* first to last direction plus half a step at either end; period if full */
	double step;            /* median distance of neighbours */
	double hole;            /* largest distance of neighbours inside the range */
} gt_coverage;

/* Directions in any order, over any number of rotations. A circle with gaps up to `closes` is full too; the views at
 * both ends of a gap are weighted by half of it. Each weight[n] is half the way to each neighbour. Equal directions
 * share it. The weights sum to the range. GT_ERR_MEMORY. */
gt_status gt_directions_cover(const double *direction, size_t n, double period, double closes, gt_coverage *c, double *weight);

#ifdef __cplusplus
}
#endif
#endif
