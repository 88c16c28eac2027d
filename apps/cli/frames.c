/* Passes the options about images to the library, and refuses those that do not apply. */
#include <string.h>
#include "apps/cli/frames.h"

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

gt_status cli_frames_check(const cli_frames *g, const char *path)
{
	const gt_format *format = NULL;
	int projections = 0;
	if (gt_file_kind(path, &format, &projections) != GT_OK)
		return GT_OK; /* reading says why */
	const int frames = cli_is_frames(format);
	const struct {
		const char *name;
		int unused;
		const char *instead;
	} all[] = {
		{ "axis", !isnan(g->axis) && !frames,
		  projections ? "; gantry import --column-center sets the column of the central ray" : "" },
		{ "pixel", !isnan(g->pixel) && !frames && strcmp(format->name, "rabbitct"), "; its file states the pitch of its pixels" },
		{ "angles", g->angles && !frames, "" },
		{ "angle-unit", g->angle_unit && !frames, "" },
		{ "flat", g->flat && !frames, "" },
		{ "flat-after", g->flat_after && !frames, "" },
		{ "flat-at", g->flat_at && !frames, "" },
		{ "dark", g->dark && !frames, "" },
		{ "white", g->white > 0 && !frames, "" },
		{ "air", g->air && !frames, "" },
		{ "values", g->values && !frames, "" },
		{ "sinogram", g->sinogram && !frames, "" },
		{ "source-to-axis", g->source_to_axis > 0 && !frames, "" },
		{ "source-to-detector", g->source_to_detector > 0 && !frames, "" },
		{ "gaps", g->gaps && !frames, "" },
		{ "geometry", g->geometry && !frames, "" },
		{ "direction", g->direction && !frames, "" },
		{ "axis-side", g->axis_side && !frames, "" },
		{ "raw", g->raw && !frames, "" },
		{ "entry", g->entry && strcmp(format->name, "nxtomo") != 0 && strcmp(format->name, "dataexchange") != 0, "" },
	};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (all[i].unused)
			return gt_fail(GT_ERR_ARG, "--%s does not apply to a %s file: %s%s", all[i].name, format->about, path,
			               all[i].instead);
	return GT_OK;
}
