/* Options of orbits: tilt of the axis, panel and thickness of the plate, and the flying focal spot. */
#include <math.h>
#include <stdlib.h>
#include <gantry/author/constants.h>
#include "apps/commands/orbit_options.h"
#include "geometry/scan.h"

/* Angles that add up to 90 degrees within rounding. */
#define SAME_ANGLE 1e-6

/* Degrees; NAN: none given. */
static double tilt_of(const tilted_options *o) { return isnan(o->tilt) ? 90 - o->beam_to_axis : o->tilt; }

int tilted_given(const tilted_options *o) { return !(isnan(tilt_of(o)) && isnan(o->thickness) && o->panel < 0); }

gt_status tilted_apply(const tilted_options *o, const char *name, int is_lamino, gt_orbit *orbit)
{
	const double tilt = tilt_of(o);
	if (is_lamino && isnan(tilt))
		return gt_fail(GT_ERR_ARG, "--%s: not given: expected it, or --beam-to-axis", name);
	if (!is_lamino && tilted_given(o))
		return gt_fail(GT_ERR_ARG, "--%s, --beam-to-axis, --panel and --thickness: expected with make lamino", name);
	if (!isnan(o->tilt) && !isnan(o->beam_to_axis) && fabs(o->tilt + o->beam_to_axis - 90) > SAME_ANGLE)
		return gt_fail(GT_ERR_ARG,
		               "--%s %g and --beam-to-axis %g degrees contradict each other: expected a sum of 90; give one of them", name,
		               o->tilt, o->beam_to_axis);
	if (is_lamino)
		orbit->tilt = tilt * GT_PI / 180;
	if (o->panel >= 0)
		orbit->panel = (gt_panel)o->panel;
	if (!isnan(o->thickness))
		orbit->thickness = o->thickness;
	return GT_OK;
}

void tilted_note(const cli_call *call, const tilted_options *o, const gt_scan *scan)
{
	const double tilt = tilt_of(o);
	gt_grid grid;
	char text[256];
	if (isnan(tilt))
		return;
	cli_note(call, "the axis is tilted by %.6g degrees; %.6g degrees between central ray and axis", tilt, 90 - tilt);
	if (gt_grid_default(scan, &grid) != GT_OK)
		return;
	gt_grid_print(&grid, text, sizeof text);
	cli_note(call, "default grid %s", text);
}

gt_status app_place_axis(double axis, double column_offset, gt_orbit *orbit)
{
	if (isnan(axis))
		return GT_OK;
	if (!isnan(column_offset))
		return gt_fail(GT_ERR_ARG, "--axis and --column-offset cannot be combined");
	orbit->column_offset = axis - ((double)orbit->columns - 1) / 2;
	return gt_axis_check(axis, orbit->columns);
}

gt_status app_parse_spot(const char *text, double (**spot)[3], size_t *spots)
{
	size_t n = 1;
	for (const char *c = text; *c; c++)
		n += *c == ';';
	if (!(*spot = calloc(n, sizeof **spot)))
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	*spots = n;
	const char *c = text;
	for (size_t i = 0; i < n; i++)
		for (int a = 0; a < 3; a++) {
			char *end;
			(*spot)[i][a] = strtod(c, &end);
			const char wanted = a < 2 ? ',' : i + 1 < n ? ';' : 0;
			if (end == c || *end != wanted || !isfinite((*spot)[i][a]))
				return gt_fail(GT_ERR_ARG,
				               "--spot=%s: expected three numbers X,R,Z for each position, positions separated by ';'",
				               text);
			c = end + 1;
		}
	return GT_OK;
}
