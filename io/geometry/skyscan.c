/* Bruker's SkyScan .log. The nominal camera pixel is off by some per cent: the pitch is the image's pixel size times
 * the magnification. Uncertain are the direction in which the optical axis is counted, and the rotation direction. */
#include <math.h>
#include <string.h>
#include <gantry/author/constants.h>
#include "core/text.h"
#include "core/try.h"
#include "io/geometry/key_list.h"

static int probe(const gt_geometry_input *in)
{
	return gt_text_has_line(in->text, "[Acquisition]") && gt_text_has_line(in->text, "Object to Source (mm)");
}

static gt_status read_distances(gt_key_list *k, gt_lab_orbit *o)
{
	double pixel = 0, camera = 0;
	int there;
	gt_status st = GT_OK;
	GT_TRY(gt_key_length(k, "Acquisition", "Object to Source (mm)", &o->source_to_axis));
	GT_TRY(gt_key_length(k, "Acquisition", "Camera to Source (mm)", &o->source_to_detector));
	if (!(o->source_to_detector > o->source_to_axis))
		GT_TRY(gt_fail(GT_ERR_FORMAT, "Camera to Source is %g mm and Object to Source %g mm: expected the first to be larger",
		               o->source_to_detector, o->source_to_axis));
	GT_TRY(gt_key_length(k, "Acquisition", "Image Pixel Size (um)", &pixel));
	GT_TRY(gt_key_maybe(k, "System", "Camera Pixel Size (um)", &camera, &there));
	const double ratio = o->source_to_detector / o->source_to_axis;
	o->pitch[0] = o->pitch[1] = pixel / 1000 * ratio;
	gt_geometry_took(k->in, "source to axis", o->source_to_axis, "mm", "Object to Source");
	gt_geometry_took(k->in, "source to detector", o->source_to_detector, "mm", "Camera to Source");
	gt_geometry_took(k->in, "pixels of", o->pitch[0], "mm", "Image Pixel Size, magnified");
	if (there)
		gt_geometry_note(k->in, "Camera Pixel Size, %g um without binning, is nominal: not used", camera);
done:
	return st;
}

/* Axis from the user's later alignment, and row of the central ray. */
static gt_status read_center(gt_key_list *k, const gt_scan_size3 *size, gt_lab_orbit *o)
{
	const double middle = ((double)size->rows - 1) / 2;
	double shift = 0, line = middle;
	int has_shift, has_line;
	gt_status st = GT_OK;
	GT_TRY(gt_key_maybe(k, "Reconstruction", "Postalignment", &shift, &has_shift));
	GT_TRY(gt_key_maybe(k, "Acquisition", "Optical Axis (line)", &line, &has_line));
	if (has_shift && shift != 0) {
		const double side = gt_geometry_offset(k->in, "Postalignment") ? -1 : 1;
		o->axis_offset = side * shift * o->pitch[0] * o->source_to_axis / o->source_to_detector;
		gt_geometry_took(k->in, "axis offset", shift, "columns", "Postalignment");
	} else {
		gt_geometry_note(k->in, "axis at the detector centre: the file has no Postalignment");
	}
	if (has_line && fabs(line - middle) > 1)
		gt_geometry_note(k->in,
		                 "Optical Axis is line %g of %zu; its direction of counting is unknown: uses the middle row (gantry "
		                 "geometry --row-offset %g or %g changes it)",
		                 line, size->rows, line - middle, middle - line);
done:
	return st;
}

static gt_status read_views(gt_key_list *k, const gt_scan_size3 *size)
{
	const gt_geometry_input *in = k->in;
	const char *direction = gt_key_text(k, "Acquisition", "Rotation Direction");
	const char *flat = gt_key_text(k, "Acquisition", "Flat Field Correction");
	double first = 0, step = 0, bits = 16;
	int there;
	gt_status st = GT_OK;
	if (!direction)
		direction = gt_key_text(k, "Acquisition", "Gantry direction");
	GT_TRY(gt_key_number(k, "Acquisition", "Rotation Step (deg)", &step));
	GT_TRY(gt_key_maybe(k, "Acquisition", "Scanning Start Angle", &first, &there));
	GT_TRY(gt_key_maybe(k, "Acquisition", "Depth (bits)", &bits, &there));
	if (!(fabs(step) > 0))
		GT_TRY(gt_fail(GT_ERR_FORMAT, "Rotation Step is 0 degrees, expected an angle between views"));
	gt_geometry_note(in, "%zu views from Number of Files, at %g degrees and every %g on from Rotation Step%s%s", size->views, first,
	                 step, direction ? ", direction " : "", direction ? direction : "");
	const int corrected = flat && *flat ? gt_boolean_of(flat) : 0;
	if (corrected < 0)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "Flat Field Correction is '%.40s', expected ON or OFF", flat));
	if (corrected && bits >= 8 && bits <= 16) {
		in->g->white = ldexp(1, (int)bits);
		gt_geometry_took(in, "blank-scan counts", in->g->white, "", "Depth (Flat Field Correction is ON)");
	} else {
		gt_geometry_note(in, "Flat Field Correction is %s: flat fields are needed", flat ? flat : "missing");
	}
	const double side = gt_geometry_direction(in, "SkyScan scanners") ? -1 : 1;
	GT_TRY(gt_geometry_even_angles(in, size->views, first, side * step));
done:
	return st;
}

static gt_status read_(gt_geometry_input *in)
{
	double parts = 1;
	int there;
	gt_scan_size3 size = { 0, 0, 0 };
	gt_lab_orbit o = { .parallel = 0 };
	gt_key_list k = { .in = in };
	gt_status st = GT_OK;
	GT_TRY(gt_keys_read(in, &k));
	GT_TRY(gt_key_size(&k, "Acquisition", "Number of Files", &size.views));
	GT_TRY(gt_key_size(&k, "Acquisition", "Number of Rows", &size.rows));
	GT_TRY(gt_key_size(&k, "Acquisition", "Number of Columns", &size.columns));
	gt_geometry_note(in, "images of %zu rows x %zu columns from Number of Rows and Number of Columns", size.rows, size.columns);
	GT_TRY(gt_key_maybe(&k, "Acquisition", "Number of connected scans", &parts, &there));
	if (there && parts > 1)
		gt_geometry_note(in, "this is one of %g connected scans, each with its own file", parts);
	GT_TRY(read_distances(&k, &o));
	GT_TRY(read_center(&k, &size, &o));
	gt_keys_note_commas(&k);
	GT_TRY(read_views(&k, &size));
	st = gt_geometry_make_lab(in, &o, &size);
done:
	gt_keys_free(&k);
	return st;
}

const gt_geometry_reader gt_geometry_skyscan = { "skyscan", probe, read_ };
