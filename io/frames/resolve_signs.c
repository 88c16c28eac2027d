/* Resolves undetermined signs of a geometry file by the images: with the right signs both measurements of a line
 * agree. */
#include <math.h>
#include <stdlib.h>
#include <gantry/consistency.h>
#include "core/try.h"
#include "io/frames/resolve_signs.h"
#include "io/geometry/geometry_files.h"
#include "io/view_reader.h"
#include "io/write_kit/volume_units.h"

/* Minimum ratio of the disagreement of the next choice to that of the best. */
#define DISTINCT 1.5
enum { ROWS = 8, MOST = 1 << 28 };

static gt_status read_rows(gt_view_reader *v, size_t first, size_t rows, float **out)
{
	const double n = (double)v->size[0] * (double)rows * (double)v->size[2];
	const gt_status st = n > MOST ? gt_fail(GT_ERR_MEMORY, "too many views to compare them") : GT_OK;
	if (st != GT_OK)
		return st;
	if (!(*out = malloc((size_t)n * sizeof **out)))
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory", v->path);
	return gt_view_reader_read(v, 0, v->size[0], first, rows, *out);
}

/* Disagreement of conjugate rays relative to the noise; NAN: cannot be determined. */
static double disagreement(const gt_geometry *g, size_t first, size_t rows, const float *data, gt_pool *pool)
{
	gt_conjugate_report r;
	gt_scan *s = NULL;
	double found = NAN;
	if (gt_scan_clone(gt_geometry_scan(g), &s) != GT_OK)
		return NAN;
	s->rows = rows;
	s->row_center -= (double)first;
	if (gt_conjugate_check(s, data, pool, &r) == GT_OK && r.cases && r.item[0].pairs)
		found = r.item[0].rms / r.item[0].expected;
	gt_scan_free(s);
	return found;
}

static const char *options_of(unsigned open)
{
	return open == GT_GEOMETRY_DIRECTION ? "--direction" : open == GT_GEOMETRY_OFFSET ? "--axis-side" : "--direction and --axis-side";
}

gt_status gt_resolve_signs(gt_view_reader *v, gt_geometry *g, const gt_read_options *o)
{
	const unsigned open = gt_geometry_open(g);
	const size_t rows = v->size[1] < ROWS ? v->size[1] : ROWS, middle = (size_t)fmax(0, gt_geometry_scan(g)->row_center + 0.5);
	const size_t from = middle > rows / 2 ? middle - rows / 2 : 0, first = from + rows > v->size[1] ? v->size[1] - rows : from;
	unsigned best = 0, now = 0;
	double ratio[4] = { NAN, NAN, NAN, NAN }, second = INFINITY;
	float *data = NULL;
	gt_pool *pool = NULL;
	gt_status st = GT_OK;
	if (!open)
		return GT_OK;
	GT_TRY(gt_pool_new(0, &pool));
	GT_TRY(read_rows(v, first, rows, &data));
	for (unsigned take = 0; take < 4; take++) {
		if (take & ~open)
			continue;
		GT_TRY(gt_geometry_reverse(g, take ^ now));
		now = take;
		ratio[take] = disagreement(g, first, rows, data, pool);
		if (!(ratio[best] <= ratio[take]))
			best = take;
	}
	for (unsigned take = 0; take < 4; take++)
		if (take != best && !(take & ~open))
			second = fmin(second, ratio[take]);
	if (!(ratio[best] * DISTINCT < second))
		GT_TRY(gt_fail(
			GT_ERR_UNSUPPORTED,
			"%s: the images do not determine %s: conjugate rays agree equally well with every choice, or none are measured "
			"(ratio %.3g, next %.3g): expected %s (as-file or reversed)",
			v->path,
			open == GT_GEOMETRY_DIRECTION ? "the rotation direction"
			: open == GT_GEOMETRY_OFFSET  ? "the side of the axis"
						      : "rotation direction and side of the axis",
			ratio[best], second, options_of(open)));
	GT_TRY(gt_geometry_reverse(g, best ^ now));
	if (open & GT_GEOMETRY_DIRECTION)
		gt_read_note(o, "rotation direction determined from the images: %s",
		             best & GT_GEOMETRY_DIRECTION ? "against the file's angles" : "along the file's angles");
	if (open & GT_GEOMETRY_OFFSET)
		gt_read_note(o, "side of the axis determined from the images: %s columns", best & GT_GEOMETRY_OFFSET ? "lower" : "higher");
	gt_read_note(o, "conjugate rays disagree by %.3g times the noise, for the next choice by %.3g times", ratio[best], second);
done:
	gt_pool_free(pool);
	free(data);
	return st;
}
