/* Waygate's phoenix .pca. The file states neither the rotation direction nor the side of CalibValue. */
#include <math.h>
#include <string.h>
#include <gantry/author/constants.h>
#include "core/try.h"
#include "io/geometry/key_list.h"

static int probe(const gt_geometry_input *in)
{
	return gt_text_has_line(in->text, "[Geometry]") && gt_text_has_line(in->text, "FDD") && gt_text_has_line(in->text, "FOD");
}

static gt_status read_distances(gt_key_list *k, gt_lab_orbit *o)
{
	double magnified = 0, voxel = 0;
	int has_magnified, has_voxel;
	gt_status st = GT_OK;
	GT_TRY(gt_key_length(k, "Geometry", "FOD", &o->source_to_axis));
	GT_TRY(gt_key_length(k, "Geometry", "FDD", &o->source_to_detector));
	if (!(o->source_to_detector > o->source_to_axis))
		GT_TRY(gt_fail(GT_ERR_FORMAT, "FDD is %g mm and FOD %g mm: expected the first to be larger", o->source_to_detector,
		               o->source_to_axis));
	gt_geometry_took(k->in, "source to axis", o->source_to_axis, "mm", "FOD");
	gt_geometry_took(k->in, "source to detector", o->source_to_detector, "mm", "FDD");
	const double ratio = o->source_to_detector / o->source_to_axis;
	GT_TRY(gt_key_maybe(k, "Geometry", "Magnification", &magnified, &has_magnified));
	GT_TRY(gt_key_maybe(k, "Geometry", "VoxelSizeX", &voxel, &has_voxel));
	if (has_magnified && fabs(magnified - ratio) > 1e-3 * ratio)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "Magnification is %g, and FDD/FOD %g: expected one number", magnified, ratio));
	if (has_voxel && fabs(voxel * ratio - o->pitch[0]) > 1e-3 * o->pitch[0])
		GT_TRY(gt_fail(GT_ERR_FORMAT, "VoxelSizeX is %g mm, and the detector's pixel at the axis %g mm: expected one number", voxel,
		               o->pitch[0] / ratio));
done:
	return st;
}

static gt_status read_faults(gt_key_list *k, const gt_scan_size3 *size, gt_lab_orbit *o)
{
	const double middle[2] = { ((double)size->columns - 1) / 2, ((double)size->rows - 1) / 2 };
	double center[2] = { middle[0], middle[1] }, calibrated = 0, turned = 0, tilt = 0, shifts = 0;
	int there;
	gt_status st = GT_OK;
	GT_TRY(gt_key_maybe(k, "Geometry", "cx", &center[0], &there));
	GT_TRY(gt_key_maybe(k, "Geometry", "cy", &center[1], &there));
	GT_TRY(gt_key_maybe(k, "Geometry", "CalibValue", &calibrated, &there));
	GT_TRY(gt_key_maybe(k, "Geometry", "DetectorRot", &turned, &there));
	GT_TRY(gt_key_maybe(k, "Geometry", "Tilt", &tilt, &there));
	GT_TRY(gt_key_maybe(k, "DetectorShift", "Enable", &shifts, &there));
	if (fabs(tilt) > 1e-9)
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "Tilt is %g degrees: its axis is unknown; set it to 0, import, then correct the scan",
		               tilt));
	o->detector_offset[0] = (middle[0] - center[0]) * o->pitch[0];
	o->detector_offset[1] = (center[1] - middle[1]) * o->pitch[1];
	o->panel_roll = turned * GT_PI / 180;
	gt_geometry_note(k->in, "central ray at column %g, row %g from cx and cy", center[0], center[1]);
	if (calibrated != 0) {
		const double side = gt_geometry_offset(k->in, "CalibValue") ? -1 : 1;
		o->axis_offset = side * calibrated * o->pitch[0] * o->source_to_axis / o->source_to_detector;
		gt_geometry_took(k->in, "axis offset", calibrated, "columns", "CalibValue");
	}
	if (turned != 0)
		gt_geometry_took(k->in, "detector rolled by", turned, "degrees",
		                 "DetectorRot; gantry geometry --roll corrects it if the sign is wrong");
	if (shifts != 0)
		gt_geometry_note(k->in,
		                 "[DetectorShift] is on: the detector was moved between views, images are assumed to be corrected for it");
done:
	return st;
}

static gt_status read_views(gt_key_list *k, gt_scan_size3 *size)
{
	const gt_geometry_input *in = k->in;
	double sector = 0, mirror = 0;
	int there;
	gt_status st = GT_OK;
	GT_TRY(gt_key_size(k, "CT", "NumberImages", &size->views));
	GT_TRY(gt_key_number(k, "CT", "RotationSector", &sector));
	GT_TRY(gt_key_white(k, "Image", "FreeRay"));
	for (int i = 0; i < 2; i++) {
		const char *key = i ? "MirrorY" : "MirrorX";
		GT_TRY(gt_key_maybe(k, "Image", key, &mirror, &there));
		if (there && mirror != 0)
			gt_geometry_note(in, "%s is %g: the images are used as stored", key, mirror);
	}
	if (!(fabs(sector) > 0))
		GT_TRY(gt_fail(GT_ERR_FORMAT, "RotationSector is %g, expected the degrees of all views", sector));
	gt_geometry_note(in, "%zu views over %g degrees from NumberImages and RotationSector", size->views, sector);
	const double side = gt_geometry_direction(in, "phoenix scanners") ? -1 : 1;
	GT_TRY(gt_geometry_even_angles(in, size->views, 0, side * sector / (double)size->views));
done:
	return st;
}

static gt_status read_(gt_geometry_input *in)
{
	gt_key_list k = { .in = in };
	gt_lab_orbit o = { .parallel = 0 };
	gt_scan_size3 size = { 0, 0, 0 };
	gt_status st = GT_OK;
	GT_TRY(gt_keys_read(in, &k));
	GT_TRY(gt_key_size(&k, "Image", "DimX", &size.columns));
	GT_TRY(gt_key_size(&k, "Image", "DimY", &size.rows));
	GT_TRY(gt_key_length(&k, "Detector", "PixelsizeX", &o.pitch[0]));
	GT_TRY(gt_key_length(&k, "Detector", "PixelsizeY", &o.pitch[1]));
	gt_geometry_note(in, "detector of %zu rows x %zu columns from DimY and DimX, pixels of %g x %g mm from PixelsizeY and -X",
	                 size.rows, size.columns, o.pitch[1], o.pitch[0]);
	GT_TRY(read_distances(&k, &o));
	GT_TRY(read_faults(&k, &size, &o));
	GT_TRY(read_views(&k, &size));
	gt_keys_note_commas(&k);
	st = gt_geometry_make_lab(in, &o, &size);
done:
	gt_keys_free(&k);
	return st;
}

const gt_geometry_reader gt_geometry_phoenix = { "phoenix", probe, read_ };
