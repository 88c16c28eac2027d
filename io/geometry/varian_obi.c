/* Varian's on-board imager: ProjectionInfo.xml. Its images, .hnd or .hnc, are in the same folder or below Scan0, and
 * contain the angles. Signs are RTK's. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/author/constants.h>
#include <gantry/io.h>
#include "core/try.h"
#include "io/frames/frame_folder.h"
#include "io/frames/hnd_file.h"
#include "io/geometry/input.h"
#include "io/geometry/xml_numbers.h"

/* RTK's default blank-scan counts. */
static const double usual_white = 139000;

static int probe(const gt_geometry_input *in)
{
	return in->text[strspn(in->text, " \t\r\n\xef\xbb\xbf")] == '<' && strstr(in->text, "<CalibratedSAD") &&
	       strstr(in->text, "<CalibratedSID");
}

static gt_status read_images(const gt_geometry_input *in, const char *name, gt_frame_folder *f)
{
	const gt_read_options o = gt_read_defaults;
	char *path = gt_geometry_beside(in, name);
	gt_status st = path ? gt_frame_folder_read(path, 1, &o, f) : gt_fail(GT_ERR_MEMORY, "out of memory");
	if (st == GT_OK && (!f->scan.n || !gt_is_hnd(f->scan.path[0])))
		st = gt_fail(GT_ERR_FORMAT, "%s: has no images .hnd or .hnc, which hold the angles of the views", path);
	if (st == GT_OK)
		in->g->images = path;
	else
		free(path);
	return st;
}

/* Angles of all views; size and pixel pitch of the first, with which all must agree. */
static gt_status read_heads(const gt_geometry_input *in, const gt_file_list *files, gt_rtk_view *view, gt_scan_size3 *size, double pitch[2])
{
	for (size_t v = 0; v < files->n; v++) {
		gt_xim x;
		const gt_status st = gt_hnd_open(files->path[v], &x);
		if (st != GT_OK)
			return st;
		const double angle = gt_xim_real_at(x.bytes + GT_HND_ANGLE);
		const double own[2] = { gt_xim_real_at(x.bytes + GT_HND_PITCH_X), gt_xim_real_at(x.bytes + GT_HND_PITCH_Y) };
		const size_t rows = x.rows, columns = x.columns;
		gt_xim_close(&x);
		if (!(fabs(angle) <= 3600))
			return gt_fail(GT_ERR_FORMAT, "%s: its angle is %g degrees: expected at most 3600", files->path[v], angle);
		if (!(own[0] > 1e-4 && own[0] < 100 && own[1] > 1e-4 && own[1] < 100))
			return gt_fail(GT_ERR_FORMAT, "%s: its pixels are %g x %g mm: expected 0.0001 to 100 mm", files->path[v], own[0],
			               own[1]);
		if (v && (rows != size->rows || columns != size->columns || own[0] != pitch[0] || own[1] != pitch[1]))
			return gt_fail(GT_ERR_FORMAT, "%s: %zu x %zu pixels of %g x %g mm, expected %zu x %zu of %g x %g as in %s",
			               files->path[v], rows, columns, own[0], own[1], size->rows, size->columns, pitch[0], pitch[1],
			               files->path[0]);
		*size = (gt_scan_size3){ files->n, rows, columns };
		memcpy(pitch, own, sizeof own);
		view[v].gantry = angle * GT_PI / 180;
	}
	gt_geometry_note(in, "%zu views from %g to %g degrees, pixels of %g x %g mm, from the image headers", files->n,
	                 view[0].gantry * 180 / GT_PI, view[files->n - 1].gantry * 180 / GT_PI, pitch[0], pitch[1]);
	return GT_OK;
}

/* Position of the panel centre: for a half fan the panel is displaced. */
static gt_status read_offsets(const gt_geometry_input *in, const gt_xml_node *root, double offset[2])
{
	const double none = 0;
	double lateral = 0;
	gt_status st = GT_OK;
	const gt_xml_node *fan = gt_xml_anywhere(root, "FanType");
	GT_TRY(gt_xml_number(in, root, "CalibratedDetectorOffsetX", &none, &offset[0]));
	GT_TRY(gt_xml_number(in, root, "CalibratedDetectorOffsetY", &none, &offset[1]));
	GT_TRY(gt_xml_number(in, root, "DetectorPosLat", &none, &lateral));
	if (!fan)
		gt_geometry_note(in, "FanType is missing: taken as a full fan");
	else if (!strcmp(fan->text, "HalfFan"))
		offset[0] += lateral;
	gt_geometry_took(in, "panel moved along columns by", offset[0], "mm",
	                 fan && !strcmp(fan->text, "HalfFan") ? "CalibratedDetectorOffsetX + DetectorPosLat (HalfFan)"
	                                                      : "CalibratedDetectorOffsetX");
	gt_geometry_took(in, "panel moved along the axis by", offset[1], "mm", "CalibratedDetectorOffsetY");
done:
	return st;
}

static gt_status read(gt_geometry_input *in)
{
	gt_frame_folder f = { .first = 0 };
	gt_xml_node *root = NULL;
	gt_rtk_view *view = NULL;
	gt_scan_size3 size = { 0, 0, 0 };
	gt_lab_orbit o = { .parallel = 0 };
	double pitch[2] = { 0, 0 }, offset[2] = { 0, 0 };
	gt_status st = GT_OK;
	GT_TRY(gt_xml_read(in->path, in->text, in->bytes, &root));
	GT_TRY(gt_xml_distances(in, root, "CalibratedSAD", "CalibratedSID", &o));
	GT_TRY(read_offsets(in, root, offset));
	if (read_images(in, "Scan0", &f) != GT_OK) {
		gt_frame_folder_free(&f);
		GT_TRY(read_images(in, ".", &f));
	}
	if (!(view = calloc(f.scan.n, sizeof *view)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	GT_TRY(read_heads(in, &f.scan, view, &size, pitch));
	for (size_t v = 0; v < size.views; v++) {
		view[v].sid = o.source_to_axis;
		view[v].sdd = o.source_to_detector;
		view[v].projection[0] = offset[0];
		view[v].projection[1] = offset[1];
	}
	const gt_rtk_image image = { { pitch[0], pitch[1] },
		                     { -((double)size.columns - 1) / 2 * pitch[0], -((double)size.rows - 1) / 2 * pitch[1] } };
	if (isnan(in->g->white) || !(in->g->white > 0))
		in->g->white = usual_white;
	gt_geometry_note(in, "angles and offsets have RTK's signs; the white level is %g counts unless --white sets it", in->g->white);
	st = gt_scan_of_rtk(view, &size, &image, &in->g->scan);
done:
	free(view);
	gt_frame_folder_free(&f);
	gt_xml_free(root);
	return st;
}

const gt_geometry_reader gt_geometry_obi = { "obi", probe, read };
