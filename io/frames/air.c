/* Air beside the body: source and shutter change between flat field and views, and within a scan. Where columns at the
 * edges see no body in any view, each view is divided by a straight line through what both sides have: without it the
 * picture has an offset and a cup that no solver mends. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/try.h"
#include "io/frames/intensity.h"
#include "io/write_kit/volume_units.h"

/* Views that are looked at. */
enum { MOST_VIEWS = 64 };

static gt_status out_of_memory(void) { return gt_fail(GT_ERR_MEMORY, "air: out of memory"); }

gt_status gt_air_measure(const gt_intensity *x, const float *t, gt_air_level *level)
{
	double left, right;
	const gt_status st = gt_air_line(t, x->rows, x->columns, &x->air, &left, &right);
	if (st == GT_OK)
		*level = (gt_air_level){ (float)left, (float)right, 1 };
	return st;
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
		GT_TRY(gt_air_least(t, x->rows, x->columns, one));
		for (size_t c = 0; c < x->columns; c++)
			least[c] = isnan(one[c]) ? 0 : fmin(least[c], one[c]);
	}
	x->air = gt_air_columns_of(least, x->columns);
done:
	free(t);
	free(least);
	return st;
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
		GT_TRY(gt_air_columns_parse(air, x->columns, &x->air));
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
