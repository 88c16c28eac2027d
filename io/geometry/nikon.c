/* Nikon's and X-Tek's .xtekct. The images are corrected already: WhiteLevel is their blank-scan value. Signs are those
 * of the Core Imaging Library. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/author/constants.h>
#include "core/try.h"
#include "io/geometry/key_list.h"

#define MAX_ROLL_DIFFERENCE (0.01 * GT_PI / 180)

static int probe(const gt_geometry_input *in) { return gt_text_has_line(in->text, "[XTekCT]"); }

/* The axis in older files: offsets in mm at the upper and the lower edge of the detector. */
typedef struct {
	int is_there;
	double offset, roll;
} old_axis;

/* GT_ERR_FORMAT: one of the keys is missing. */
static gt_status read_old_axis(gt_key_list *k, const gt_lab_orbit *o, double height, old_axis *a)
{
	double top = 0, bottom = 0;
	int has_top, has_bottom;
	gt_status st = GT_OK;
	GT_TRY(gt_key_maybe(k, "XTekCT", "CentreOfRotationTop", &top, &has_top));
	GT_TRY(gt_key_maybe(k, "XTekCT", "CentreOfRotationBottom", &bottom, &has_bottom));
	if (has_top != has_bottom && (top != 0 || bottom != 0))
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s is missing, but %s is %g: expected both",
		               has_top ? "CentreOfRotationBottom" : "CentreOfRotationTop",
		               has_top ? "CentreOfRotationTop" : "CentreOfRotationBottom", has_top ? top : bottom));
	a->is_there = top != 0 || bottom != 0;
	a->offset = (top + bottom) / 2 * o->source_to_axis / o->source_to_detector;
	a->roll = -atan2(top - bottom, height);
done:
	return st;
}

static gt_status check_agreement(const old_axis *old, double offset, double roll, double pitch)
{
	if (old->is_there && offset != 0 && fabs(offset - old->offset) > 1e-3 * fmax(fabs(offset), pitch))
		return gt_fail(GT_ERR_FORMAT,
		               "ObjectOffsetX is %g mm, but CentreOfRotationTop and -Bottom give %g mm at the axis: "
		               "expected one of them",
		               offset, old->offset);
	if (old->is_there && roll != 0 && fabs(roll - old->roll) > MAX_ROLL_DIFFERENCE)
		return gt_fail(GT_ERR_FORMAT,
		               "ObjectRoll is %g degrees, but CentreOfRotationTop and -Bottom give %g degrees: expected one of them",
		               roll * GT_DEGREES, old->roll * GT_DEGREES);
	return GT_OK;
}

/* Newer files give the axis at the object, older ones at the detector. Some have both, with 0 for unknown. */
static gt_status read_axis(gt_key_list *k, gt_lab_orbit *o, double height)
{
	double offset = 0, roll = 0, tilt = 0, automatic = 0;
	int unused;
	old_axis old;
	gt_status st = GT_OK;
	GT_TRY(gt_key_maybe(k, "XTekCT", "ObjectOffsetX", &offset, &unused));
	GT_TRY(gt_key_maybe(k, "XTekCT", "ObjectRoll", &roll, &unused));
	GT_TRY(gt_key_maybe(k, "XTekCT", "ObjectTilt", &tilt, &unused));
	GT_TRY(gt_key_maybe(k, "XTekCT", "AutomaticCentreOfRotation", &automatic, &unused));
	GT_TRY(read_old_axis(k, o, height, &old));
	roll *= GT_PI / 180;
	GT_TRY(check_agreement(&old, offset, roll, o->pitch[0]));
	o->axis_offset = offset != 0 ? offset : old.offset;
	o->axis_roll = roll != 0 ? roll : old.roll;
	o->axis_tilt = tilt * GT_PI / 180;
	if (offset != 0)
		gt_geometry_took(k->in, "axis offset", offset, "mm at the axis", "ObjectOffsetX");
	else if (old.is_there)
		gt_geometry_took(k->in, "axis offset", old.offset, "mm at the axis", "CentreOfRotationTop and CentreOfRotationBottom");
	else
		gt_geometry_note(k->in, "axis at the detector centre: the file has no offset%s",
		                 automatic != 0 ? "; AutomaticCentreOfRotation is 1, so the vendor's software has yet to determine it"
		                                : "");
	if (o->axis_roll != 0 || o->axis_tilt != 0)
		gt_geometry_note(k->in, "the axis is rolled by %.6g degrees and inclined by %.6g, from %s and ObjectTilt",
		                 o->axis_roll * GT_DEGREES, o->axis_tilt * GT_DEGREES,
		                 roll != 0 ? "ObjectRoll" : "the two centres of rotation");
done:
	return st;
}

static gt_status read_panel(gt_key_list *k, gt_lab_orbit *o, gt_scan_size3 *size)
{
	static const char *const regions[][2] = { { "RegionStartX", "RegionStartY" }, { "RegionPixelsX", "RegionPixelsY" } };
	int there;
	gt_status st = GT_OK;
	GT_TRY(gt_key_size(k, "XTekCT", "DetectorPixelsX", &size->columns));
	GT_TRY(gt_key_size(k, "XTekCT", "DetectorPixelsY", &size->rows));
	GT_TRY(gt_key_length(k, "XTekCT", "DetectorPixelSizeX", &o->pitch[0]));
	GT_TRY(gt_key_length(k, "XTekCT", "DetectorPixelSizeY", &o->pitch[1]));
	GT_TRY(gt_key_maybe(k, "XTekCT", "DetectorOffsetX", &o->detector_offset[0], &there));
	GT_TRY(gt_key_maybe(k, "XTekCT", "DetectorOffsetY", &o->detector_offset[1], &there));
	gt_geometry_note(
		k->in,
		"detector of %zu rows x %zu columns from DetectorPixelsY and -X, pixels of %.6g x %.6g mm from DetectorPixelSizeY and -X",
		size->rows, size->columns, o->pitch[1], o->pitch[0]);
	if (o->detector_offset[0] != 0 || o->detector_offset[1] != 0)
		gt_geometry_note(k->in, "detector moved by %g mm and %g mm from DetectorOffsetX and DetectorOffsetY", o->detector_offset[0],
		                 o->detector_offset[1]);
	for (int i = 0; i < 2; i++) {
		const size_t all = i ? size->rows : size->columns;
		double start = 0, pixels = (double)all;
		GT_TRY(gt_key_maybe(k, "XTekCT", regions[0][i], &start, &there));
		GT_TRY(gt_key_maybe(k, "XTekCT", regions[1][i], &pixels, &there));
		if (start != 0 || (pixels != 0 && pixels != (double)all))
			gt_geometry_note(k->in, "%s %g and %s %g define a region of the vendor's reconstruction: ignored", regions[0][i],
			                 start, regions[1][i], pixels);
	}
done:
	return st;
}

/* Folder of the images; without an entry, the folder of the file. */
static gt_status read_images(gt_key_list *k, gt_geometry *g)
{
	const char *folder = gt_key_text(k, "XTekCT", "InputFolderName"), *name = gt_key_text(k, "XTekCT", "Name");
	const char *separator = gt_key_text(k, "XTekCT", "InputSeparator");
	const gt_status st = gt_key_white(k, "XTekCT", "WhiteLevel");
	if (st != GT_OK)
		return st;
	if (!(g->images = gt_geometry_beside(k->in, folder ? folder : "")))
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	if (name)
		gt_geometry_note(k->in, "images %s%s0001.tif and on, from Name and InputSeparator", name, separator ? separator : "");
	return GT_OK;
}

static gt_status read_(gt_geometry_input *in)
{
	gt_key_list k = { .in = in };
	gt_lab_orbit o = { .parallel = 0 };
	gt_scan_size3 size = { 0, 0, 0 };
	double first = 0, step = 0;
	gt_status st = GT_OK;
	GT_TRY(gt_keys_read(in, &k));
	GT_TRY(gt_key_size(&k, "XTekCT", "Projections", &size.views));
	GT_TRY(gt_key_length(&k, "XTekCT", "SrcToObject", &o.source_to_axis));
	GT_TRY(gt_key_length(&k, "XTekCT", "SrcToDetector", &o.source_to_detector));
	if (!(o.source_to_detector > o.source_to_axis))
		GT_TRY(gt_fail(GT_ERR_FORMAT, "SrcToDetector is %g mm and SrcToObject %g mm: expected the first to be larger",
		               o.source_to_detector, o.source_to_axis));
	gt_geometry_took(in, "source to axis", o.source_to_axis, "mm", "SrcToObject");
	gt_geometry_took(in, "source to detector", o.source_to_detector, "mm", "SrcToDetector");
	GT_TRY(read_panel(&k, &o, &size));
	GT_TRY(read_axis(&k, &o, (double)size.rows * o.pitch[1]));
	GT_TRY(gt_key_number(&k, "XTekCT", "InitialAngle", &first));
	GT_TRY(gt_key_number(&k, "XTekCT", "AngularStep", &step));
	if (step == 0 && size.views > 1)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "AngularStep is 0, expected an angle between views"));
	gt_geometry_note(in, "%zu views from Projections, at %g degrees and every %g on, from InitialAngle and AngularStep", size.views,
	                 first, step);
	GT_TRY(read_images(&k, in->g));
	gt_keys_note_commas(&k);
	GT_TRY(gt_geometry_even_angles(in, size.views, first, step));
	st = gt_geometry_make_lab(in, &o, &size);
done:
	gt_keys_free(&k);
	return st;
}

const gt_geometry_reader gt_geometry_nikon = { "nikon", probe, read_ };
