/* Options of readers and writers: defaults, and sizes of earlier library versions. */
#include <math.h>
#include "core/arguments.h"
#include "geometry/scan.h"
#include "io/dispatch.h"
#include "io/write_kit/volume_units.h"

const gt_read_options gt_read_defaults = {
	.size = sizeof(gt_read_options),
	.axis = NAN,
	.pixel = NAN,
	.unit = GT_UNIT_AUTO,
	.slope = NAN,
	.offset = NAN,
	.position = GT_POSITION_AUTO,
};
const gt_write_options gt_write_defaults = { .size = sizeof(gt_write_options), .unit = GT_UNIT_AUTO };

gt_status gt_complete_read_options(const char *path, const gt_read_options *o, gt_read_options *full)
{
	*full = gt_read_defaults;
	return gt_options_complete(path, "gt_read_options", o, full, sizeof *full);
}

gt_status gt_complete_write_options(const char *path, const gt_write_options *o, gt_write_options *full)
{
	*full = gt_write_defaults;
	return gt_options_complete(path, "gt_write_options", o, full, sizeof *full);
}

gt_status gt_read_axis(gt_scan *scan, const gt_read_options *o)
{
	double was;
	const gt_status st = isnan(o->axis) ? GT_OK : gt_scan_move_axis(scan, o->axis, &was);
	if (st == GT_OK && !isnan(o->axis))
		gt_read_note(o, "the axis is at column %g, as requested (%.6g in the file)", o->axis, was);
	return st;
}
