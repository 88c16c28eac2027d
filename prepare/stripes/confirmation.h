#ifndef GT_PREPARE_STRIPES_WITNESS_H
#define GT_PREPARE_STRIPES_WITNESS_H
/* Is a column a stripe, or the peak of a body that is round about the axis? Private to prepare/. */
#include <stddef.h>

/* Columns of a stripe. */
typedef struct {
	size_t first, width;
} gt_stripe_place;

/* Where the side of a stripe goes on to, from its last column on. */
typedef struct {
	double at_end, slope;
} gt_stripe_line;

/* The mean view and its lines; line: before a stripe, behind it, of each column that may be the next to it. */
typedef struct {
	const double   *mean;
	size_t          columns;
	double          usual;
	gt_stripe_line *line[2];
} gt_stripe_sides;
/* Doubles of scratch per column. */
enum { GT_STRIPE_SIDES = 4 };

/* usual: what gains differ by, of gt_stripe_unwitnessed(). */
gt_stripe_sides gt_stripe_sides_of(const double *mean, size_t columns, double usual, double *scratch);
/* How far column k of the mean view, with all columns of a stripe of 1 to `broadest` columns that it is part of, lies
 * above (sign 1) or below (-1) what both sides of that stripe go on to by straight lines through two columns, or from
 * stripes of three on through more where they lie on a line but for what gains differ by; 0: no more than that. A wall
 * round about the axis goes on to one side of its peak, a stripe is off both. place: columns of the stripe. Next to an
 * end of the row one side tells; INFINITY: none. */
double gt_stripe_witness(const gt_stripe_sides *sides, size_t k, size_t broadest, double sign, gt_stripe_place *place);
/* A stripe as a step, signed, on a parabola; bent: the body bends by more than gains differ, so that no lines tell. */
typedef struct {
	gt_stripe_place place;
	double          height;
	int             bent;
} gt_stripe_step;
/* The one of three to five columns, column k among them, that a parabola through it and four columns on either side
 * fits best. height 0: there is none above `usual`, or these columns are no parabola with a step. */
gt_stripe_step gt_stripe_step_of(const gt_stripe_sides *sides, size_t k, size_t broadest);
/* A column may be off its neighbours by so much without a witness: what gains that differ from column to column are
 * usually off, robustly. scratch: columns. */
double gt_stripe_unwitnessed(const double *off, size_t columns, double *scratch);

#endif
