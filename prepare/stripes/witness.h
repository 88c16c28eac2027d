#ifndef GT_PREPARE_STRIPES_WITNESS_H
#define GT_PREPARE_STRIPES_WITNESS_H
/* Is a column a stripe, or the peak of a body that is round about the axis? Private to prepare/. */
#include <stddef.h>

/* How far column k of the mean view lies above (sign 1) or below (-1) what both sides of it go on to by straight lines
 * through two columns, of which the nearer one is up to `reach` away; less than 0: one side does not say so. A wall
 * round about the axis goes on to one side of its peak, a stripe is off both. INFINITY: too near an edge to tell. */
double gt_stripe_witness(const double *mean, size_t columns, size_t k, size_t reach, double sign);
/* A column may be off its neighbours by so much without a witness: what gains that differ from column to column are
 * usually off, robustly. scratch: columns. */
double gt_stripe_unwitnessed(const double *off, size_t columns, double *scratch);

#endif
