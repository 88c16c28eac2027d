/* Zeiss' and Xradia's .txrm: geometry from its streams. The sign of the view shifts is uncertain. Flags state whether
 * the images are already shifted. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/author/constants.h>
#include "core/try.h"
#include "io/frames/ole2_file.h"
#include "io/geometry/input.h"

static int probe(const gt_geometry_input *in) { return in->bytes > 512 && !memcmp(in->text, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 8); }

static gt_status one(const gt_ole2 *f, const char *name, int integer, double *value)
{
	size_t found = 0;
	const gt_status st = gt_ole2_numbers(f, name, integer, 1, value, &found);
	return st != GT_OK || found ? st : gt_fail(GT_ERR_FORMAT, "%s is empty, expected a number", name);
}

static gt_status read_size(const gt_geometry_input *in, const gt_ole2 *f, gt_scan_size3 *size)
{
	double columns, rows, views, taken, mode = 0;
	gt_status st = GT_OK;
	GT_TRY(one(f, "ImageInfo/ImageWidth", 1, &columns));
	GT_TRY(one(f, "ImageInfo/ImageHeight", 1, &rows));
	GT_TRY(one(f, "ImageInfo/NoOfImages", 1, &views));
	taken = views;
	if (one(f, "ImageInfo/ImagesTaken", 1, &taken) != GT_OK || !(taken >= 1 && taken <= views))
		taken = views;
	if (one(f, "ImageInfo/AcquisitionMode", 1, &mode) == GT_OK && mode != 0)
		gt_geometry_note(in, "ImageInfo/AcquisitionMode is %g, expected 0 (projections)", mode);
	GT_TRY(gt_size_of(in, "ImageInfo/ImageWidth", columns, &size->columns));
	GT_TRY(gt_size_of(in, "ImageInfo/ImageHeight", rows, &size->rows));
	GT_TRY(gt_size_of(in, "ImageInfo/NoOfImages", taken, &size->views));
	gt_geometry_note(in, "%zu views of %zu rows x %zu columns from NoOfImages, ImageHeight and ImageWidth%s", size->views, size->rows,
	                 size->columns, taken < views ? "; the scan was stopped (ImagesTaken)" : "");
done:
	return st;
}

static gt_status read_distances(const gt_geometry_input *in, const gt_ole2 *f, gt_lab_orbit *o)
{
	double kind = 1, pixel, source = 0, detector = 0;
	gt_status st = GT_OK;
	GT_TRY(one(f, "ImageInfo/PixelSize", 0, &pixel));
	if (!(pixel > 0 && isfinite(pixel)))
		GT_TRY(gt_fail(GT_ERR_FORMAT, "ImageInfo/PixelSize is %g um, expected a length above 0", pixel));
	GT_TRY(one(f, "ImageInfo/XrayGeometry", 1, &kind));
	o->parallel = kind != 1;
	o->pitch[0] = o->pitch[1] = pixel / 1000;
	if (o->parallel) {
		gt_geometry_note(in, "parallel rays (XrayGeometry %g), pixels of %.6g um from PixelSize", kind, pixel);
		return GT_OK;
	}
	GT_TRY(one(f, "ImageInfo/StoRADistance", 0, &source));
	GT_TRY(one(f, "ImageInfo/DtoRADistance", 0, &detector));
	o->source_to_axis = fabs(source);
	o->source_to_detector = fabs(source) + fabs(detector);
	if (!(o->source_to_axis > 0 && fabs(detector) > 0))
		GT_TRY(gt_fail(GT_ERR_FORMAT, "StoRADistance is %g and DtoRADistance %g mm, expected lengths", source, detector));
	o->pitch[0] = o->pitch[1] = pixel / 1000 * o->source_to_detector / o->source_to_axis;
	gt_geometry_note(in,
	                 "cone beam: source to axis %g mm from StoRADistance, axis to detector %g mm from DtoRADistance, "
	                 "pixels of %.6g um at the axis from PixelSize",
	                 o->source_to_axis, fabs(detector), pixel);
done:
	return st;
}

/* Angles in degrees, or shifts in pixels, of all views. */
static gt_status per_view(const gt_ole2 *f, const char *name, size_t views, double **out)
{
	size_t found = 0;
	if (!(*out = malloc(views * sizeof **out)))
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	const gt_status st = gt_ole2_numbers(f, name, 0, views, *out, &found);
	if (st != GT_OK)
		return st;
	if (found < views)
		return gt_fail(GT_ERR_FORMAT, "%s has %zu numbers, expected %zu, one for each view", name, found, views);
	for (size_t v = 0; v < views; v++)
		if (!isfinite((*out)[v]))
			return gt_fail(GT_ERR_FORMAT, "%s: number %zu is %g, expected finite ones", name, v, (*out)[v]);
	return GT_OK;
}

/* X-Shifts are the columns by which an image is to be moved; the panel is displaced by the opposite amount. */
static gt_status read_shifts(const gt_geometry_input *in, const gt_ole2 *f, const gt_lab_orbit *o, size_t views)
{
	double *shift[2] = { NULL, NULL }, max = 0;
	uint32_t stream;
	size_t bytes;
	gt_status st = GT_OK;
	if (!gt_ole2_find(f, "Alignment/X-Shifts", &stream, &bytes) || !gt_ole2_find(f, "Alignment/Y-Shifts", &stream, &bytes)) {
		gt_geometry_note(in, "no shifts of the views: Alignment/X-Shifts or Y-Shifts is missing");
		return GT_OK;
	}
	GT_TRY(per_view(f, "Alignment/X-Shifts", views, &shift[0]));
	GT_TRY(per_view(f, "Alignment/Y-Shifts", views, &shift[1]));
	if (!(in->g->shift = calloc(2 * views, sizeof *in->g->shift)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	const double side = in->o.offset == GT_SIGN_REVERSED ? -1 : 1;
	for (size_t v = 0; v < views; v++) {
		in->g->shift[2 * v] = side * -shift[0][v] * o->pitch[0];
		in->g->shift[2 * v + 1] = side * shift[1][v] * o->pitch[1];
		max = fmax(max, fmax(fabs(shift[0][v]), fabs(shift[1][v])));
	}
	gt_geometry_note(in,
	                 "views are shifted by up to %.4g pixels (the first by %.4g, %.4g), from X-Shifts and Y-Shifts, %s "
	                 "(--axis-side reversed flips them)",
	                 max, shift[0][0], shift[1][0], side > 0 ? "opposite to the image shifts" : "flipped, as requested");
done:
	free(shift[0]);
	free(shift[1]);
	return st;
}

static gt_status read_(gt_geometry_input *in)
{
	gt_ole2 *f = NULL;
	gt_lab_orbit o = { .parallel = 0 };
	gt_scan_size3 size = { 0, 0, 0 };
	uint32_t stream;
	size_t bytes;
	gt_status st = GT_OK;
	GT_TRY(gt_ole2_open(in->path, &f));
	GT_TRY(read_size(in, f, &size));
	/* Angles take 4 bytes each, which bounds the number of views. */
	if (!gt_ole2_find(f, "ImageInfo/Angles", &stream, &bytes) || bytes / 4 < size.views)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "ImageInfo/Angles is missing or has fewer than %zu numbers, one for each view", size.views));
	GT_TRY(read_distances(in, f, &o));
	GT_TRY(per_view(f, "ImageInfo/Angles", size.views, &in->g->angle));
	gt_geometry_note(in, "angles from %g to %g degrees from Angles", in->g->angle[0], in->g->angle[size.views - 1]);
	const double side = gt_geometry_direction(in, "Zeiss microscopes") ? -1 : 1;
	for (size_t v = 0; v < size.views; v++)
		in->g->angle[v] *= side * GT_PI / 180;
	GT_TRY(read_shifts(in, f, &o, size.views));
	if (!gt_ole2_find(f, "ReferenceData/Image", &stream, &bytes))
		gt_geometry_note(in, "no reference image (ReferenceData/Image): a flat field or white level is needed");
	st = gt_geometry_make_lab(in, &o, &size);
done:
	gt_ole2_close(f);
	return st;
}

const gt_geometry_reader gt_geometry_zeiss = { "zeiss", probe, read_ };
