/* Scanners with XML parameters: Diondo, YXLON, and Elekta's XVI. Signs that a file does not determine come from the
 * options or the images. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/author/constants.h>
#include "core/text.h"
#include "core/try.h"
#include "io/geometry/input.h"
#include "io/geometry/xml_numbers.h"

static gt_status whole(const gt_geometry_input *in, const gt_xml_node *root, const char *path, size_t *size)
{
	double value = 0;
	const gt_status st = gt_xml_number(in, root, path, NULL, &value);
	return st == GT_OK ? gt_size_of(in, path, value, size) : st;
}

/* Axis offset at the detector; its side is undetermined. */
static void take_offset(const gt_geometry_input *in, double at_detector, const char *key, gt_lab_orbit *o)
{
	if (at_detector == 0)
		return;
	o->axis_offset = (gt_geometry_offset(in, key) ? -1 : 1) * at_detector * o->source_to_axis / o->source_to_detector;
	gt_geometry_took(in, "axis offset", at_detector, "mm at the detector", key);
}

static gt_status turn(const gt_geometry_input *in, const gt_scan_size3 *size, double first, double range, const char *of)
{
	const double side = gt_geometry_direction(in, of) ? -1 : 1;
	gt_geometry_note(in, "%zu views over %g degrees from %g on; %zu rows x %zu columns", size->views, range, first, size->rows,
	                 size->columns);
	return gt_geometry_even_angles(in, size->views, side * first, side * range / (double)size->views);
}

static int probe_diondo(const gt_geometry_input *in)
{
	return in->text[strspn(in->text, " \t\r\n\xef\xbb\xbf")] == '<' && strstr(in->text, "<Geometrie") &&
	       strstr(in->text, "<ProjectionDimX");
}

static gt_status read_diondo(gt_geometry_input *in)
{
	static const char *const off[] = { "HelixMode", "Laminography" };
	const double none = 0;
	gt_lab_orbit o = { .parallel = 0 };
	gt_scan_size3 size = { 0, 0, 0 };
	gt_xml_node *root = NULL;
	double offset = 0;
	gt_status st = GT_OK;
	GT_TRY(gt_xml_read(in->path, in->text, in->bytes, &root));
	for (int i = 0; i < 2; i++) {
		const gt_xml_node *n = gt_xml_anywhere(root, off[i]);
		const int is_on = n ? gt_boolean_of(n->text) : 0;
		if (is_on < 0)
			GT_TRY(gt_fail(GT_ERR_FORMAT, "line %ld: %s is '%.20s', expected true or false", n->line, off[i], n->text));
		if (is_on)
			GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "line %ld: %s is '%.20s': only circular scans are read", n->line, off[i],
			               n->text));
	}
	GT_TRY(whole(in, root, "ProjectionDimX", &size.columns));
	GT_TRY(whole(in, root, "ProjectionDimY", &size.rows));
	GT_TRY(whole(in, root, "ProjectionCount", &size.views));
	GT_TRY(gt_xml_length(in, root, "ProjectionPixelSizeX", &o.pitch[0]));
	GT_TRY(gt_xml_length(in, root, "ProjectionPixelSizeY", &o.pitch[1]));
	GT_TRY(gt_xml_distances(in, root, "SourceObjectDist", "SourceDetectorDist", &o));
	GT_TRY(gt_xml_number(in, root, "ProjectionCenterOffsetX", &none, &offset));
	take_offset(in, offset, "ProjectionCenterOffsetX", &o);
	in->g->white = 65535;
	gt_geometry_note(in, "blank-scan counts: assumed 65535, as in Diondo's images");
	GT_TRY(turn(in, &size, 0, 360, "Diondo scanners"));
	st = gt_geometry_make_lab(in, &o, &size);
done:
	gt_xml_free(root);
	return st;
}

const gt_geometry_reader gt_geometry_diondo = { "diondo", probe_diondo, read_diondo };

static int probe_yxlon(const gt_geometry_input *in)
{
	return in->text[strspn(in->text, " \t\r\n\xef\xbb\xbf")] == '<' && strstr(in->text, "ConeBeamScanParameter") &&
	       strstr(in->text, "<Fdd");
}

static gt_status read_yxlon_faults(const gt_geometry_input *in, const gt_xml_node *root, gt_lab_orbit *o)
{
	static const char *const tilts[] = { "DetectorTiltA", "DetectorTiltB", "DetectorTiltC" };
	const double none = 0, one = 1;
	double pitch = 1, offset[2] = { 0, 0 }, tilt = 0, center = 0;
	gt_status st = GT_OK;
	for (int i = 0; i < 3; i++) {
		GT_TRY(gt_xml_number(in, root, tilts[i], &none, &tilt));
		if (tilt != 0)
			GT_TRY(gt_fail(GT_ERR_UNSUPPORTED,
			               "%s is %g degrees: its axis is unknown; set it to 0, import, then correct the scan", tilts[i],
			               tilt));
	}
	const gt_xml_node *flip = gt_xml_anywhere(root, "DetectorFlipDirections");
	if (flip && *flip->text && strcmp(flip->text, "None") && strcmp(flip->text, "0"))
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED,
		               "line %ld: DetectorFlipDirections is '%.20s', expected None (gantry geometry --reverse-columns)", flip->line,
		               flip->text));
	GT_TRY(gt_xml_number(in, root, "PixelPitch", &one, &pitch));
	GT_TRY(gt_xml_number(in, root, "HorizontalDetectorOffset", &none, &offset[0]));
	GT_TRY(gt_xml_number(in, root, "VerticalDetectorOffset", &none, &offset[1]));
	GT_TRY(gt_xml_number(in, root, "YoCenter", &none, &center));
	if (center != 0)
		gt_geometry_note(in, "YoCenter is %g: its meaning is unknown: ignored", center);
	take_offset(in, -offset[0] * pitch, "HorizontalDetectorOffset", o);
	o->detector_offset[1] = -offset[1] * pitch;
	if (offset[1] != 0)
		gt_geometry_took(in, "detector moved along the axis by", o->detector_offset[1], "mm", "VerticalDetectorOffset");
done:
	return st;
}

static gt_status read_yxlon(gt_geometry_input *in)
{
	const double none = 0, full = 360;
	gt_lab_orbit o = { .parallel = 0 };
	gt_scan_size3 size = { 0, 0, 0 };
	gt_xml_node *root = NULL;
	double first = 0, range = 360;
	gt_status st = GT_OK;
	GT_TRY(gt_xml_read(in->path, in->text, in->bytes, &root));
	const gt_xml_node *path = gt_xml_anywhere(root, "ScanTrajectory"), *pixel = gt_xml_anywhere(root, "PixelSize"),
			  *image = gt_xml_anywhere(root, "ProjectionSize");
	if (!path || !pixel || !image)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s is missing", !path ? "ScanTrajectory" : !pixel ? "PixelSize" : "ProjectionSize"));
	if (path->type && strcmp(path->type, "CircleTrajectory"))
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "line %ld: ScanTrajectory is a %s: only circular scans are read", path->line,
		               path->type));
	GT_TRY(whole(in, image, "Width", &size.columns));
	GT_TRY(whole(in, image, "Height", &size.rows));
	GT_TRY(gt_xml_length(in, pixel, "Width", &o.pitch[0]));
	GT_TRY(gt_xml_length(in, pixel, "Height", &o.pitch[1]));
	GT_TRY(whole(in, path, "NumberOfProjections", &size.views));
	GT_TRY(gt_xml_distances(in, path, "Fod", "Fdd", &o));
	GT_TRY(gt_xml_number(in, path, "StartAngle", &none, &first));
	GT_TRY(gt_xml_number(in, path, "Rotation", &full, &range));
	if (range == 0)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "Rotation is 0, expected the degrees of all views"));
	GT_TRY(read_yxlon_faults(in, root, &o));
	GT_TRY(turn(in, &size, first, range, "YXLON scanners"));
	st = gt_geometry_make_lab(in, &o, &size);
done:
	gt_xml_free(root);
	return st;
}

const gt_geometry_reader gt_geometry_yxlon = { "yxlon", probe_yxlon, read_yxlon };

static int probe_varian(const gt_geometry_input *in)
{
	return in->text[strspn(in->text, " \t\r\n\xef\xbb\xbf")] == '<' && strstr(in->text, "<ImagerSizeX") && strstr(in->text, "<SID");
}

static gt_status read_varian(gt_geometry_input *in)
{
	const double none = 0;
	gt_lab_orbit o = { .parallel = 0 };
	gt_scan_size3 size = { 0, 0, 0 };
	gt_xml_node *root = NULL;
	double lateral = 0, velocity = 0, rate = 0;
	gt_status st = GT_OK;
	GT_TRY(gt_xml_read(in->path, in->text, in->bytes, &root));
	GT_TRY(gt_xml_distances(in, root, "SAD", "SID", &o));
	GT_TRY(whole(in, root, "ImagerSizeX", &size.columns));
	GT_TRY(whole(in, root, "ImagerSizeY", &size.rows));
	GT_TRY(gt_xml_length(in, root, "ImagerResX", &o.pitch[0]));
	GT_TRY(gt_xml_length(in, root, "ImagerResY", &o.pitch[1]));
	GT_TRY(gt_xml_number(in, root, "ImagerLat", &none, &lateral));
	GT_TRY(gt_xml_number(in, root, "Velocity", &none, &velocity));
	GT_TRY(gt_xml_number(in, root, "FrameRate", &none, &rate));
	take_offset(in, lateral, "ImagerLat", &o);
	GT_TRY(gt_varian_angles(in, rate > 0 ? 0.9 * fabs(velocity / rate) : 0, &size.views, &in->g->angle));
	const double side = gt_geometry_direction(in, "Varian accelerators") ? -1 : 1;
	for (size_t v = 0; v < size.views; v++)
		in->g->angle[v] *= side * GT_PI / 180;
	st = gt_geometry_make_lab(in, &o, &size);
done:
	gt_xml_free(root);
	return st;
}

const gt_geometry_reader gt_geometry_varian = { "varian", probe_varian, read_varian };

static int probe_elekta(const gt_geometry_input *in)
{
	return in->text[strspn(in->text, " \t\r\n\xef\xbb\xbf")] == '<' && strstr(in->text, "<Frame") &&
	       (strstr(in->text, "<GantryAngle") || strstr(in->text, "<antryAngle"));
}

/* Accepts element names that lost their first letter in anonymisation. */
static gt_status of_frame(const gt_geometry_input *in, const gt_xml_node *frame, const char *name, double *value)
{
	char other[32];
	snprintf(other, sizeof other, "%s", name + 1);
	if (name[0] == 'U' || name[0] == 'V')
		snprintf(other, sizeof other, "%c%s", name[0], name + 2);
	return gt_xml_number(in, frame, gt_xml_find(frame, name) || !gt_xml_find(frame, other) ? name : other, NULL, value);
}

static gt_status read_elekta(gt_geometry_input *in)
{
	size_t views = 0;
	gt_scan_size3 size;
	gt_rtk_view *view = NULL;
	gt_xml_node *root = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_xml_read(in->path, in->text, in->bytes, &root));
	const gt_xml_node *first = gt_xml_anywhere(root, "Frame");
	for (const gt_xml_node *f = first; f; f = gt_xml_again(f))
		views++;
	if (!views)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "has no Frame, expected one for each view"));
	GT_TRY(gt_geometry_size(in, views, 0, 0, &size));
	if (!(view = calloc(views, sizeof *view)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	views = 0;
	for (const gt_xml_node *f = first; f; f = gt_xml_again(f)) {
		gt_rtk_view *w = &view[views++];
		w->sid = 1000;
		w->sdd = 1536;
		GT_TRY(gt_fail_in(of_frame(in, f, "GantryAngle", &w->gantry), "frame %zu", views));
		GT_TRY(gt_fail_in(of_frame(in, f, "UCentre", &w->projection[0]), "frame %zu", views));
		GT_TRY(gt_fail_in(of_frame(in, f, "VCentre", &w->projection[1]), "frame %zu", views));
		w->gantry *= GT_PI / 180;
		w->projection[0] = -w->projection[0];
		w->projection[1] = -w->projection[1];
	}
	/* The panel is 409.6 mm wide, independent of the binning. */
	const double pitch = isnan(in->o.column_pitch) ? 409.6 / (double)size.columns : in->o.column_pitch;
	const gt_rtk_image image = { { pitch, pitch }, { -((double)size.columns - 1) / 2 * pitch, -((double)size.rows - 1) / 2 * pitch } };
	gt_geometry_note(in, "%zu views from GantryAngle, UCentre and VCentre of each Frame, with RTK's signs", views);
	gt_geometry_note(in, "source to axis 1000 mm and to detector 1536 mm, as for every XVI; pixels of %.6g mm%s", pitch,
	                 isnan(in->o.column_pitch) ? ", of a panel of 409.6 mm" : ", as requested");
	in->g->white = 65536; /* blank-scan counts of XVI's own images */
	st = gt_scan_of_rtk(view, &size, &image, &in->g->scan);
done:
	free(view);
	gt_xml_free(root);
	return st;
}

const gt_geometry_reader gt_geometry_elekta = { "elekta", probe_elekta, read_elekta };
