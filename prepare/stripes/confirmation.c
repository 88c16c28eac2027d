/* Confirms stripes from both sides, because a median takes the peak of a wall for a stripe. The highest of all stripes
 * that contain a column counts, because lines from an adjacent column can lead through the same stripe. */
#include <math.h>
#include "core/order_statistics.h"
#include "prepare/stripes/confirmation.h"

/* Multiple of the robust deviation of columns from their neighbours. */
#define USUAL 3.0

/* Minimum width of stripes whose two sides must agree, and the fraction of the height within which they do. */
enum { BROAD = 3 };
#define AGREES 0.5

typedef struct {
	double min, max;
} offs;

/* Columns of a side to which a line is fitted if they lie on it within the deviation of gains. Gains tilt a line
 * through two columns by more than the height of a broad stripe. */
enum { SIDE = 4 };
#define ON_LINE 2.0

/* Line through *end and the column next to it. */
static gt_stripe_line through_two(const double *end, ptrdiff_t to) { return (gt_stripe_line){ *end, *end - end[-to] }; }

/* columns: number of columns on this side. */
static gt_stripe_line through_more(const double *end, ptrdiff_t to, size_t columns, double usual)
{
	const double middle = 0.5 * (SIDE - 1);
	double mean = 0, slope = 0;
	if (columns < SIDE)
		return through_two(end, to);
	for (ptrdiff_t i = 0; i < SIDE; i++) {
		mean += end[-i * to] / SIDE;
		slope += end[-i * to] * (middle - (double)i) * 12 / (SIDE * (SIDE * SIDE - 1));
	}
	for (ptrdiff_t i = 0; i < SIDE; i++)
		if (fabs(end[-i * to] - mean - slope * (middle - (double)i)) > ON_LINE * usual)
			return through_two(end, to);
	return (gt_stripe_line){ mean + slope * middle, slope };
}

gt_stripe_sides gt_stripe_sides_of(const double *mean, size_t columns, double usual, double *scratch)
{
	gt_stripe_line *before = (gt_stripe_line *)scratch, *behind = before + columns;
	for (size_t k = 1; k < columns; k++)
		before[k] = through_more(mean + k, 1, k + 1, usual);
	for (size_t k = 0; k + 1 < columns; k++)
		behind[k] = through_more(mean + k, -1, columns - k, usual);
	return (gt_stripe_sides){ mean, columns, usual, { before, behind } };
}

/* Returns the deviation of column k from the line that extends to it from column `end`. */
static double off_line(const double *mean, size_t k, gt_stripe_line line, size_t end, double sign)
{
	const double steps = k > end ? (double)(k - end) : (double)(end - k);
	return sign * (mean[k] - line.at_end - steps * line.slope);
}

/* Adds the deviations of columns first ... last; stops and returns 0 at the first column that does not deviate. */
static int off_lines(const double *mean, size_t first, size_t last, gt_stripe_line line, size_t end, double sign, offs *o)
{
	for (size_t k = first; k <= last; k++) {
		const double off = off_line(mean, k, line, end, sign);
		o->min = off < o->min ? off : o->min;
		o->max = off > o->max ? off : o->max;
		if (off <= 0)
			return 0;
	}
	return 1;
}

/* Returns the height of column k in a stripe if it exceeds `least`; else a number that does not. A plateau deviates
 * equally from both lines, a round object only at its peak. */
static double height_of(const gt_stripe_sides *s, size_t k, gt_stripe_place stripe, double sign, int more, double min)
{
	const size_t n = stripe.width, first = stripe.first, behind = first + n;
	const size_t from = n < BROAD ? k : first, to = n < BROAD ? k : behind - 1;
	const int sides[2] = { first >= 2, behind + 1 < s->columns };
	const size_t end[2] = { first - 1, behind };
	gt_stripe_line line[2];
	offs o = { INFINITY, 0 };
	for (int side = 0; side < 2; side++) {
		if (!sides[side])
			continue;
		line[side] = more ? s->line[side][end[side]] : through_two(s->mean + end[side], side ? -1 : 1);
		/* The column itself must deviate. */
		if (off_line(s->mean, k, line[side], end[side], sign) <= min)
			return min;
	}
	for (int side = 0; side < 2; side++)
		if (sides[side] && !off_lines(s->mean, from, to, line[side], end[side], sign, &o))
			return o.min;
	return n < BROAD || o.min >= AGREES * o.max ? o.min : 0;
}

double gt_stripe_confirmed(const gt_stripe_sides *sides, size_t k, size_t broadest, double sign, gt_stripe_place *place)
{
	double max = sides->usual;
	*place = (gt_stripe_place){ k, 1 };
	for (size_t n = 1; n <= broadest; n++)
		for (size_t first = k + 1 < n ? 0 : k + 1 - n; first <= k && first + n <= sides->columns; first++)
			for (int more = 0; more <= (n >= BROAD); more++) {
				const double height = height_of(sides, k, (gt_stripe_place){ first, n }, sign, more, max);
				if (height > max) {
					max = height;
					*place = (gt_stripe_place){ first, n };
				}
			}
	return max > sides->usual ? max : 0;
}

/* Columns on either side of a parabola's stripe, and its maximum width: more columns have another curvature. */
enum { BENT_SIDE = 4, BENT_BROADEST = 5 };
/* Allowed deviation of columns from the fit, as a fraction of the step; maximum fraction of the step for deviations
 * within those of gains. */
#define FITS 0.15
#define MAX_OFF 0.33

/* Returns the step at the edge of a stripe between linear extrapolations from outside and from inside. */
static double edge(const double *outside, ptrdiff_t in)
{
	return 1.5 * outside[in] - 0.5 * outside[2 * in] - 1.5 * outside[0] + 0.5 * outside[-in];
}

typedef struct {
	double step, bend, off; /* change of the parabola from the centre to a side; largest deviation of a column from the fit */
} parabola;

static parabola fit(const double *mean, gt_stripe_place stripe)
{
	const size_t first = stripe.first - BENT_SIDE, n = stripe.width + 2 * BENT_SIDE;
	const double middle = 0.5 * (double)(n - 1), columns = (double)n, inner = (double)stripe.width;
	double x2 = 0, x4 = 0, inner2 = 0, y0 = 0, y1 = 0, y2 = 0, across = 0, norm = 0;
	for (size_t i = 0; i < n; i++) {
		const double x = (double)i - middle, y = mean[first + i];
		const int in = i >= BENT_SIDE && i < BENT_SIDE + stripe.width;
		x2 += x * x;
		x4 += x * x * x * x;
		inner2 += in ? x * x : 0;
		y0 += y;
		y1 += x * y;
		y2 += x * x * y;
	}
	/* The component of the step orthogonal to parabolas a + b x^2 determines its height. */
	const double determinant = columns * x4 - x2 * x2, a = (inner * x4 - inner2 * x2) / determinant,
		     b = (inner2 * columns - inner * x2) / determinant;
	for (size_t i = 0; i < n; i++) {
		const double x = (double)i - middle, in = i >= BENT_SIDE && i < BENT_SIDE + stripe.width, rest = in - a - b * x * x;
		across += rest * mean[first + i];
		norm += rest * rest;
	}
	const double step = across / norm, level = (y0 * x4 - y2 * x2) / determinant - step * a,
		     second = (y2 * columns - y0 * x2) / determinant - step * b, reach = 0.5 * (inner + BENT_SIDE);
	parabola p = { step, second * reach * reach, 0 };
	for (size_t i = 0; i < n; i++) {
		const double x = (double)i - middle, in = i >= BENT_SIDE && i < BENT_SIDE + stripe.width;
		p.off = fmax(p.off, fabs(mean[first + i] - level - y1 / x2 * x - second * x * x - step * in));
	}
	return p;
}

gt_stripe_step gt_stripe_step_of(const gt_stripe_sides *s, size_t k, size_t broadest)
{
	gt_stripe_step found = { { k, 1 }, 0, 0 };
	double best = INFINITY;
	for (size_t n = BROAD; n <= broadest && n <= BENT_BROADEST; n++)
		for (size_t first = k + 1 < n ? 0 : k + 1 - n; first <= k && first + n + BENT_SIDE <= s->columns; first++) {
			if (first < BENT_SIDE)
				continue;
			const double left = edge(s->mean + first - 1, 1), right = edge(s->mean + first + n, -1);
			const double min = fmin(fabs(left), fabs(right));
			if (left * right <= 0 || min < fmax(s->usual, AGREES * fmax(fabs(left), fabs(right))))
				continue;
			const gt_stripe_place stripe = { first, n };
			const parabola p = fit(s->mean, stripe);
			const double height = fabs(p.step), allowed = fmax(FITS * height, fmin(ON_LINE * s->usual, MAX_OFF * height));
			if (height > s->usual && min >= AGREES * height && p.off <= allowed && p.off < best * height) {
				best = p.off / height;
				found = (gt_stripe_step){ stripe, p.step, fabs(p.bend) > s->usual };
			}
		}
	return found;
}

double gt_stripe_unconfirmed(const double *off, size_t columns, double *scratch)
{
	for (size_t k = 0; k < columns; k++)
		scratch[k] = fabs(off[k]);
	return USUAL * 1.4826 * gt_upper_median(scratch, columns);
}
