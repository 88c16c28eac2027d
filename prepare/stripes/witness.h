#ifndef GT_PREPARE_STRIPES_WITNESS_H
#define GT_PREPARE_STRIPES_WITNESS_H
/* Is a column a stripe, or the peak of a body that is round about the axis? Private to prepare/. */
#include <stddef.h>

/* Columns of a stripe. */
typedef struct {
	size_t first, width;
} gt_stripe_place;

/* How far column k of the mean view, with all columns of a stripe of 1 to `broadest` columns that it is part of, lies
 * above (sign 1) or below (-1) what both sides of that stripe go on to by straight lines through two columns; 0: there
 * is none. A wall round about the axis goes on to one side of its peak, a stripe is off both. place:
 * columns of the stripe. Next to an end of the row one side tells; INFINITY: none. */
double gt_stripe_witness(const double *mean, size_t columns, size_t k, size_t broadest, double sign, gt_stripe_place *place);
/* A column may be off its neighbours by so much without a witness: what gains that differ from column to column are
 * usually off, robustly. scratch: columns. */
double gt_stripe_unwitnessed(const double *off, size_t columns, double *scratch);

#endif
