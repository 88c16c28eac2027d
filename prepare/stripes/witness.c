/* Medians take the peak of a wall for a stripe. Of the stripes that a column may be part of the highest counts, since
 * lines next to others lead through columns of the same stripe. */
#include <math.h>
#include <gantry/order_statistics.h>
#include "prepare/stripes/witness.h"

/* Of what columns are off by, robustly. */
#define USUAL 3.0

/* From how many columns on both sides have to agree, and by what part of the height. */
enum { BROAD = 3 };
#define AGREES 0.5

typedef struct {
	double least, most;
} offs;

/* What columns first ... last are off the line that leads to them through the two columns next to `end`; 0 where one is
 * not off it, and the rest is not looked at. */
static int off_line(const double *mean, size_t first, size_t last, const double *end, ptrdiff_t to, double sign, offs *o)
{
	const double slope = *end - end[-to];
	for (size_t k = first; k <= last; k++) {
		const double off = sign * (mean[k] - *end - (double)((mean + k - end) * to) * slope);
		o->least = off < o->least ? off : o->least;
		o->most = off > o->most ? off : o->most;
		if (off <= 0)
			return 0;
	}
	return 1;
}

/* Of column k in a stripe of n columns from `first`; 0 or less: it is none. A plateau is off both lines alike, what is
 * round only where it is highest. */
static double height_of(const double *mean, size_t columns, size_t k, size_t first, size_t n, double sign)
{
	const size_t last = first + n - 1, from = n < BROAD ? k : first, to = n < BROAD ? k : last;
	offs o = { INFINITY, 0 };
	if (first >= 2 && !off_line(mean, from, to, mean + first - 1, 1, sign, &o))
		return o.least;
	if (last + 2 < columns && !off_line(mean, from, to, mean + last + 1, -1, sign, &o))
		return o.least;
	return n < BROAD || o.least >= AGREES * o.most ? o.least : 0;
}

double gt_stripe_witness(const double *mean, size_t columns, size_t k, size_t broadest, double sign, gt_stripe_place *place)
{
	double most = 0;
	*place = (gt_stripe_place){ k, 1 };
	for (size_t n = 1; n <= broadest; n++)
		for (size_t first = k + 1 < n ? 0 : k + 1 - n; first <= k && first + n <= columns; first++) {
			const double height = height_of(mean, columns, k, first, n, sign);
			if (height > most) {
				most = height;
				*place = (gt_stripe_place){ first, n };
			}
		}
	return most;
}

double gt_stripe_unwitnessed(const double *off, size_t columns, double *scratch)
{
	for (size_t k = 0; k < columns; k++)
		scratch[k] = fabs(off[k]);
	return USUAL * 1.4826 * gt_upper_median(scratch, columns);
}
