#ifndef GT_PREPARE_STRIPES_CONFIRMATION_H
#define GT_PREPARE_STRIPES_CONFIRMATION_H
/* Separates stripes from peaks of objects that are round about the axis; private to prepare/. */
#include <stddef.h>

/* Columns of a stripe. */
typedef struct {
	size_t first, width;
} gt_stripe_place;

/* Linear extrapolation of one side of a stripe, from its last column. */
typedef struct {
	double at_end, slope;
} gt_stripe_line;

/* The mean view and its lines; line[0] ends before a stripe and line[1] after it, one for each possible adjacent
 * column. */
typedef struct {
	const double   *mean;
	size_t          columns;
	double          usual;
	gt_stripe_line *line[2];
} gt_stripe_sides;
/* Doubles of scratch per column. */
enum { GT_STRIPE_SIDES = 4 };

/* usual: result of gt_stripe_unconfirmed(). */
gt_stripe_sides gt_stripe_sides_of(const double *mean, size_t columns, double usual, double *scratch);
/* Returns the confirmed height of a stripe at column k of the mean view; 0: none. Stripes of 1 to `broadest` columns
 * that contain k are tried. All their columns must lie above (sign 1) or below (-1) the linear extrapolations from
 * both sides. Two columns make a line; for stripes of three and more, further columns on that line make it. A wall
 * round about the axis continues to one side of its peak, a stripe does not. Next to the end of a row one side
 * suffices; without any, INFINITY. place: columns of the highest stripe. */
double gt_stripe_confirmed(const gt_stripe_sides *sides, size_t k, size_t broadest, double sign, gt_stripe_place *place);
/* A signed step on a parabola; bent: the object curves by more than gains deviate, so linear extrapolation fails. */
typedef struct {
	gt_stripe_place place;
	double          height;
	int             bent;
} gt_stripe_step;
/* Returns the stripe of three to five columns around column k that fits best as a step on a parabola. The parabola
 * passes through it and four columns on either side. height 0: no step exceeds `usual`, or none fits. */
gt_stripe_step gt_stripe_step_of(const gt_stripe_sides *sides, size_t k, size_t broadest);
/* Returns the deviation that a column may have without confirmation: a multiple of the robust deviation. scratch:
 * columns. */
double gt_stripe_unconfirmed(const double *off, size_t columns, double *scratch);

#endif
