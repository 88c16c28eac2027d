/* Passes the options about images to the library, and refuses those that do not apply. */
#include <stdlib.h>
#include <string.h>
#include "apps/cli/frames.h"
#include "apps/cli/progress.h"
#include "apps/cli/try.h"

const char *const cli_angle_units[] = { "auto", "deg", "rad", NULL }, *const cli_frames_values[] = { "counts", "line-integrals", NULL },
		  *const cli_signs[] = { "auto", "as-file", "reversed", NULL };

void cli_frames_apply(const cli_frames *given, gt_frames_options *frames, gt_read_options *o)
{
	*frames = gt_frames_defaults;
	frames->flat = given->flat;
	frames->flat_after = given->flat_after;
	frames->flat_at = given->flat_at;
	frames->dark = given->dark;
	frames->angles = given->angles;
	frames->air = given->air;
	frames->white = given->white;
	frames->radians = given->angle_unit == 2 ? 1 : -given->angle_unit;
	frames->sinogram = given->sinogram;
	frames->gaps = given->gaps;
	frames->geometry = given->geometry;
	frames->direction = given->direction;
	frames->axis_side = given->axis_side;
	frames->raw = given->raw;
	frames->entry = given->entry;
	frames->source_to_axis = given->source_to_axis;
	frames->source_to_detector = given->source_to_detector;
	frames->values = (gt_frames_values)given->values;
	o->frames = frames;
	o->axis = given->axis;
	o->pixel = given->pixel;
}

int cli_is_frames(const gt_format *format)
{
	return !strcmp(format->name, "frames") || !strcmp(format->name, "nxtomo") || !strcmp(format->name, "dataexchange");
}

/* Formats that use an option: images, also RabbitCT, only HDF5, or all projections. */
enum { BY_IMAGES, BY_RABBITCT, BY_HDF5, BY_PROJECTIONS };

static int uses(const gt_format *format, int projections, int by)
{
	const int hdf5 = !strcmp(format->name, "nxtomo") || !strcmp(format->name, "dataexchange");
	if (by == BY_PROJECTIONS)
		return projections;
	return by == BY_HDF5 ? hdf5 : cli_is_frames(format) || (by == BY_RABBITCT && !strcmp(format->name, "rabbitct"));
}

gt_status cli_frames_check(const cli_frames *g, const char *path)
{
	const gt_format *format = NULL;
	int projections = 0;
	const struct {
		const char *name;
		int is_set, by;
	} all[] = {
		{ "axis", !isnan(g->axis), BY_PROJECTIONS },
		{ "pixel", !isnan(g->pixel), BY_RABBITCT },
		{ "angles", g->angles != NULL, BY_IMAGES },
		{ "angle-unit", g->angle_unit, BY_IMAGES },
		{ "flat", g->flat != NULL, BY_IMAGES },
		{ "flat-after", g->flat_after != NULL, BY_IMAGES },
		{ "flat-at", g->flat_at != NULL, BY_IMAGES },
		{ "dark", g->dark != NULL, BY_IMAGES },
		{ "white", g->white > 0, BY_IMAGES },
		{ "air", g->air != NULL, BY_IMAGES },
		{ "values", g->values, BY_IMAGES },
		{ "sinogram", g->sinogram, BY_IMAGES },
		{ "source-to-axis", g->source_to_axis > 0, BY_IMAGES },
		{ "source-to-detector", g->source_to_detector > 0, BY_IMAGES },
		{ "gaps", g->gaps, BY_IMAGES },
		{ "geometry", g->geometry != NULL, BY_IMAGES },
		{ "direction", g->direction, BY_IMAGES },
		{ "axis-side", g->axis_side, BY_IMAGES },
		{ "raw", g->raw != NULL, BY_IMAGES },
		{ "entry", g->entry != NULL, BY_HDF5 },
	};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		/* probed only for an option: a large folder takes long */
		if (!all[i].is_set || (!format && gt_file_kind(path, &format, &projections) != GT_OK) || uses(format, projections, all[i].by))
			continue; /* reading reports an unknown format */
		return gt_fail(GT_ERR_ARG, "--%s does not apply to a %s file: %s%s", all[i].name, format->about, path,
		               strcmp(all[i].name, "pixel") ? "" : "; its file states the pitch of its pixels");
	}
	return GT_OK;
}

/* Values of images that are read without geometry: 400 MB. */
static const size_t max_values = 100000000;

gt_status cli_read_images(const cli_call *call, const char *path, const cli_frames *given, int what, gt_projections **p, size_t *each)
{
	const gt_format *format = NULL;
	gt_frames_options frames;
	gt_read_options o = gt_read_defaults;
	int projections = 0;
	char *why = NULL;
	gt_status st = GT_OK;
	*each = 0;
	GT_TRY(gt_file_kind(path, &format, &projections));
	GT_TRY(cli_frames_check(given, path));
	cli_frames_apply(given, &frames, &o);
	st = cli_read_scan_by(call, path, what, &o, p);
	if (st == GT_OK || st == GT_STOPPED || !cli_is_frames(format) || given->angles || given->geometry)
		return st;
	why = cli_text("%s", gt_error());
	app_progress progress = app_progress_start("read", call->common.quiet);
	o.progress = app_progress_fraction;
	o.progress_self = &progress;
	const gt_status plain = gt_read_images(path, &o, max_values, p, each);
	app_progress_end(&progress);
	if (plain != GT_OK)
		GT_TRY(gt_fail(st, "%s", why ? why : "out of memory"));
	st = GT_OK;
	cli_note(call, "images as stored, without geometry: %s", why ? why : "");
	if (*each > 1)
		cli_note(call, "%s: every %zuth image is read, for lack of memory", path, *each);
done:
	free(why);
	return st;
}
