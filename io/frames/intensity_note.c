/* Notes on implausible counts. A single black view comes from a closed shutter or a lost exposure, many dark values
 * from a dark field of another exposure. */
#include <math.h>
#include <string.h>
#include "io/frames/intensity.h"
#include "io/write_kit/volume_units.h"

void gt_intensity_restart(gt_intensity *x)
{
	memset(x->seen, GT_UNREAD, x->views);
	x->floored = x->saturated = 0;
}

/* Largest plausible fraction of values without transmission: air and most of the object transmit more. */
#define MAX_DARK 0.3

gt_status gt_intensity_check(const gt_intensity *x, const char *path, double white)
{
	size_t lit = 0, black = 0;
	for (size_t v = 0; v < x->views; v++) {
		lit += x->seen[v] == GT_LIT;
		black += x->seen[v] == GT_BLACK;
	}
	const double view = (double)x->rows * (double)x->columns, dark = ((double)x->floored - (double)black * view) / ((double)lit * view);
	if (!(white > 0) || !(dark > MAX_DARK))
		return GT_OK;
	return gt_fail(GT_ERR_FORMAT,
	               "%s: %.0f %% of the values are at most 1/65536 of white=%g, expected counts; use --values line-integrals if they "
	               "are line integrals",
	               path, 100 * fmin(dark, 1), white);
}

void gt_intensity_note(const gt_intensity *x, const char *path, const gt_read_options *o)
{
	size_t black = 0, first = 0, read = 0;
	for (size_t v = 0; v < x->views; v++) {
		first = x->seen[v] == GT_BLACK && !black ? v : first;
		black += x->seen[v] == GT_BLACK;
		read += x->seen[v] != GT_UNREAD;
	}
	/* If all views are black, white or the dark field is wrong. */
	black = black == read ? 0 : black;
	const size_t view = x->rows * x->columns, all = x->views * view, dark = x->floored - (x->floored < black * view ? 0 : black * view);
	if (black)
		gt_read_note(o,
		             "%s: %zu of %zu views %s black, the first is view %zu (%s): no transmission above 1/65536 of white; remove "
		             "black views, or select others (--views)",
		             path, black, read, black == 1 ? "is" : "are", first, x->frames->name(x->frames, first));
	if (dark)
		gt_read_note(o, "%zu of %zu transmissions are below 1/65536: clipped to that value%s", dark, all,
		             100 * dark > all ? "; is the dark field of another exposure?" : "");
	if ((double)x->saturated > 1e-3 * (double)all)
		gt_read_note(o, "%zu of %zu pixels are saturated at %.0f counts: their transmission is underestimated", x->saturated, all,
		             x->frames->max);
}
