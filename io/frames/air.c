/* Air beside the body: source and shutter change between flat field and views, and within a scan. Where columns at the
 * edges see no body in any view, each view is divided by a straight line through what both sides have: without it the
 * picture has an offset and a cup that no solver mends. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/order_statistics.h>
#include "core/try.h"
#include "io/frames/intensity.h"
#include "io/write_kit/volume_units.h"

/* Air is above this part of the brightest of a view; so many columns at least; views that are looked at; bands of
 * rows. */
#define AIR_FROM 0.85
enum { LEAST_COLUMNS = 8, MOST_VIEWS = 64, BANDS = 16 };

static gt_status out_of_memory(void) { return gt_fail(GT_ERR_MEMORY, "air: out of memory"); }

static double median_of_columns(const gt_intensity *x, const float *t, size_t first, size_t n, double *scratch)
{
	for (size_t r = 0; r < x->rows; r++)
		for (size_t c = 0; c < n; c++)
			scratch[r * n + c] = t[r * x->columns + first + c];
	return gt_median(scratch, x->rows * n);
}

gt_status gt_air_measure(const gt_intensity *x, const float *t, gt_air_level *level)
{
	const size_t most = x->air.left > x->air.right ? x->air.left : x->air.right, last = x->columns - 1;
	double *scratch = malloc(x->rows * most * sizeof *scratch), left = NAN, right = NAN;
	if (!scratch)
		return out_of_memory();
	if (x->air.left)
		left = median_of_columns(x, t, 0, x->air.left, scratch);
	if (x->air.right)
		right = median_of_columns(x, t, x->columns - x->air.right, x->air.right, scratch);
	free(scratch);
	/* A line through the middles of both sides. */
	if (x->air.left && x->air.right) {
		const double a = (double)(x->air.left - 1) / 2, b = (double)last - (double)(x->air.right - 1) / 2,
			     slope = (right - left) / (b - a);
		left -= slope * a;
		right = left + slope * (double)last;
	} else {
		left = right = x->air.left ? left : right;
	}
	if (!(left > 0) || !(right > 0))
		return gt_fail(GT_ERR_FORMAT,
		               "columns that should be air have no light: a transmission of %.3g at the left edge, %.3g at the right one",
		               left, right);
	*level = (gt_air_level){ (float)left, (float)right, 1 };
	return GT_OK;
}

/* For every column the least of its medians over bands of rows, as a part of the view's brightest: noise is gone, and
 * a body in a few rows shows. */
static gt_status least_of_columns(const gt_intensity *x, const float *t, double *least)
{
	const size_t bands = x->rows < BANDS ? x->rows : BANDS;
	double *band = malloc((x->rows / bands + 1) * sizeof *band), *all = malloc(bands * x->columns * sizeof *all);
	gt_status st = GT_OK;
	if (!band || !all)
		GT_TRY(out_of_memory());
	for (size_t c = 0; c < x->columns; c++) {
		least[c] = INFINITY;
		for (size_t b = 0; b < bands; b++) {
			const size_t first = b * x->rows / bands, end = (b + 1) * x->rows / bands;
			for (size_t r = first; r < end; r++)
				band[r - first] = t[r * x->columns + c];
			all[c * bands + b] = gt_upper_median(band, end - first);
			least[c] = fmin(least[c], all[c * bands + b]);
		}
	}
	const double brightest = gt_quantile(all, bands * x->columns, 0.99);
	for (size_t c = 0; c < x->columns; c++)
		least[c] /= brightest > 0 ? brightest : NAN;
done:
	free(band);
	free(all);
	return st;
}

/* Columns from the edge on which are air, less some at the body's blurred edge. Beams are brighter in the middle:
 * columns near the body tell more of what is behind it than those at the edge. */
static size_t outer(const double *least, size_t n, int from_right)
{
	size_t air = 0;
	while (air < n && least[from_right ? n - 1 - air : air] > AIR_FROM)
		air++;
	const size_t blurred = air / 8 < 2 ? 2 : air / 8;
	return air < n && air >= LEAST_COLUMNS + blurred ? air - blurred : 0;
}

static gt_status find(gt_intensity *x)
{
	const size_t looked = x->views < MOST_VIEWS ? x->views : MOST_VIEWS;
	float *t = malloc(x->rows * x->columns * sizeof *t);
	double *least = malloc(2 * x->columns * sizeof *least), *one = least + x->columns;
	gt_status st = GT_OK;
	if (!t || !least)
		GT_TRY(out_of_memory());
	for (size_t c = 0; c < x->columns; c++)
		least[c] = INFINITY;
	for (size_t i = 0; i < looked; i++) {
		GT_TRY(gt_intensity_transmission(x, looked > 1 ? i * (x->views - 1) / (looked - 1) : 0, 0, x->rows, t));
		GT_TRY(least_of_columns(x, t, one));
		for (size_t c = 0; c < x->columns; c++)
			least[c] = isnan(one[c]) ? 0 : fmin(least[c], one[c]);
	}
	x->air = (gt_air_columns){ outer(least, x->columns, 0), outer(least, x->columns, 1) };
done:
	free(t);
	free(least);
	return st;
}

static gt_status parse(const gt_intensity *x, const char *air, gt_air_columns *out)
{
	int end = 0;
	if (sscanf(air, "%zu,%zu%n", &out->left, &out->right, &end) == 2 && !air[end] && !strchr(air, '-') && out->left + out->right > 0 &&
	    out->left < x->columns && out->right < x->columns - out->left)
		return GT_OK;
	return gt_fail(GT_ERR_ARG,
	               "air %s: expected auto, no, or how many of the %zu columns are air at the left and the right edge, as in 20,30", air,
	               x->columns);
}

static gt_status tell(gt_intensity *x, int found, const gt_read_options *o)
{
	float *t = malloc(x->rows * x->columns * sizeof *t);
	gt_air_level level;
	gt_status st = GT_OK;
	char where[96];
	if (!t)
		return out_of_memory();
	GT_TRY(gt_intensity_transmission(x, 0, 0, x->rows, t));
	GT_TRY(gt_air_measure(x, t, &level));
	snprintf(where, sizeof where, "%zu columns at the left and %zu at the right edge", x->air.left, x->air.right);
	gt_read_note(o, "air %s %s: every view is divided by it (%.4g to %.4g of the flat field in the first one%s)",
	             found ? "found in" : "in", where, (double)level.at_left, (double)level.at_right,
	             found ? "; where the body reaches there: --air no" : "");
done:
	free(t);
	return st;
}

gt_status gt_intensity_set_air(gt_intensity *x, const char *air, int without_white, const gt_read_options *o)
{
	const int automatic = !air || !strcmp(air, "auto");
	gt_status st = GT_OK;
	if (air && !strcmp(air, "no"))
		return without_white
		               ? gt_fail(GT_ERR_ARG,
		                         "neither flat fields nor a level of white, and air is not to be looked for: expected one of them "
		                         "(--flat, --white, --air)")
		               : GT_OK;
	if (automatic)
		GT_TRY(find(x));
	else
		GT_TRY(parse(x, air, &x->air));
	if (x->air.left + x->air.right == 0 && without_white)
		GT_TRY(gt_fail(
			GT_ERR_FORMAT,
			"no flat fields, and no columns at the edges that are air in all views: expected flat fields beside the images "
			"(--flat), or the counts without a body (--white)"));
	if (x->air.left + x->air.right == 0) {
		gt_read_note(o, "no columns at the edges are air in all views: the level is that of the flat field");
		goto done;
	}
	if (!(x->level = calloc(x->views, sizeof *x->level)))
		GT_TRY(out_of_memory());
	GT_TRY(tell(x, automatic, o));
done:
	return st;
}
