/* Options of `gantry geometry`, and the scans made from them. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <gantry/author/constants.h>
#include <gantry/module.h>
#include "apps/commands/geometry.h"
#include "core/module.h"

static const char *const signs[] = { "auto", "as-file", "reversed", NULL };
const geometry_options geometry_defaults = { .detector = -1,
	                                     .views = -1,
	                                     .rows = -1,
	                                     .columns = -1,
	                                     .reduce = 1,
	                                     .pixel = NAN,
	                                     .column_pitch = NAN,
	                                     .row_pitch = NAN,
	                                     .source_to_axis = NAN,
	                                     .source_to_detector = NAN,
	                                     .axis = NAN,
	                                     .column_offset = NAN,
	                                     .row_offset = NAN,
	                                     .start = NAN,
	                                     .range = NAN,
	                                     .pitch = NAN,
	                                     .turns = NAN,
	                                     .z_center = NAN,
	                                     .tilted = TILTED_DEFAULTS,
	                                     .length_unit = NAN };
#define AT(field) offsetof(geometry_options, field)
/* clang-format off */
const cli_option geometry_table[] = {
	{ .name = "output", .letter = 'o', .kind = CLI_OUTPUT, .value = "FILE",
	  .help = "name of the written scan (.nc) or geometry: .xml (RTK), .npy, .json, .csv (ASTRA), .leap; show: .png or .svg", .at = AT(output) },
	{ .name = "scanner", .letter = 's', .kind = CLI_TEXT, .value = "NAME",
	  .help = "make: start from the geometry of this scanner", .at = AT(scanner) },
	{ .name = "format", .kind = CLI_TEXT, .value = "NAME",
	  .help = "format of the file to read, or to write for another program (default: from the file or its name)", .at = AT(format) },
	{ .name = "views", .kind = CLI_INT, .value = "N", .help = "number of views", .at = AT(views), .min = 1, .max = 1e8 },
	{ .name = "rows", .kind = CLI_INT, .value = "N", .help = "number of detector rows", .at = AT(rows), .min = 1, .max = 1e6 },
	{ .name = "columns", .kind = CLI_INT, .value = "N", .help = "number of detector columns", .at = AT(columns), .min = 1, .max = 1e6 },
	{ .name = "pixel", .kind = CLI_LENGTH, .value = "LENGTH",
	  .help = "pitch of columns and rows at the detector (mm; 50um)", .at = AT(pixel), .min = 1e-9, .max = 1e6 },
	{ .name = "column-pitch", .kind = CLI_LENGTH, .value = "LENGTH",
	  .help = "pitch of the columns alone", .at = AT(column_pitch), .min = 1e-9, .max = 1e6 },
	{ .name = "row-pitch", .kind = CLI_LENGTH, .value = "LENGTH",
	  .help = "pitch of the rows alone", .at = AT(row_pitch), .min = 1e-9, .max = 1e6 },
	{ .name = "source-to-axis", .kind = CLI_LENGTH, .value = "LENGTH",
	  .help = "distance from source to axis (mm; 12cm)", .at = AT(source_to_axis), .min = 1e-9, .max = 1e9 },
	{ .name = "source-to-detector", .kind = CLI_LENGTH, .value = "LENGTH",
	  .help = "distance from source to detector (mm; 24cm)", .at = AT(source_to_detector), .min = 1e-9, .max = 1e9 },
	{ .name = "column-offset", .kind = CLI_REAL, .value = "PIXELS",
	  .help = "offset of the central ray from the centre of the columns, in pixels", .at = AT(column_offset), .min = -1e6, .max = 1e6 },
	AXIS_OPTION(axis),
	{ .name = "row-offset", .kind = CLI_REAL, .value = "PIXELS",
	  .help = "offset of the central ray from the centre of the rows, in pixels", .at = AT(row_offset), .min = -1e6, .max = 1e6 },
	{ .name = "roll", .kind = CLI_ANGLE, .value = "ANGLE",
	  .help = "rotate the detector in its plane about its centre, columns towards rows (degrees; 5mrad)", .at = AT(roll), .min = -180, .max = 180 },
	{ .name = "start", .kind = CLI_ANGLE, .value = "ANGLE",
	  .help = "gantry angle of the first view", .at = AT(start), .min = -1e6, .max = 1e6 },
	{ .name = "range", .kind = CLI_ANGLE, .value = "ANGLE",
	  .help = "angular range of all views; negative: reversed rotation direction",
	  .at = AT(range), .min = -1e6, .max = 1e6 },
	{ .name = "turns", .kind = CLI_REAL, .value = "N", .help = "make: angular range in rotations", .at = AT(turns), .min = 1e-6, .max = 1e4 },
	{ .name = "pitch", .kind = CLI_LENGTH, .value = "LENGTH",
	  .help = "make helix: table feed per rotation; negative: downwards", .at = AT(pitch), .min = -1e6, .max = 1e6 },
	{ .name = "z-center", .kind = CLI_LENGTH, .value = "LENGTH",
	  .help = "make helix: z of its centre", .at = AT(z_center), .min = -1e6, .max = 1e6 },
	TILTED_OPTIONS("make lamino: ", "tilt", tilted),
	{ .name = "detector", .kind = CLI_CHOICE, .help = "make: shape of the detector", .at = AT(detector), .names = gt_shape_names },
	{ .name = "reduce", .kind = CLI_INT, .value = "N",
	  .help = "make: N times fewer columns, rows and views of the scanner", .at = AT(reduce), .min = 1, .max = 4096 },
	{ .name = "short-scan", .kind = CLI_FLAG, .help = "make: angular range of 180 degrees plus the fan angle", .at = AT(short_scan) },
	{ .name = "reverse-direction", .kind = CLI_FLAG,
	  .help = "reverse the rotation direction, starting at the first view", .at = AT(reverse_direction) },
	{ .name = "reverse-columns", .kind = CLI_FLAG,
	  .help = "reverse the order of the columns", .at = AT(reverse_columns) },
	{ .name = "reverse-rows", .kind = CLI_FLAG, .help = "reverse the order of the rows", .at = AT(reverse_rows) },
	{ .name = "direction", .kind = CLI_CHOICE, .names = signs, .at = AT(direction),
	  .help = "rotation direction if the file leaves it open: as its angles, or reversed" },
	{ .name = "axis-side", .kind = CLI_CHOICE, .names = signs, .at = AT(offset),
	  .help = "side of the axis offset if the file leaves it open: towards higher columns, or reversed" },
	{ .name = "origin", .kind = CLI_TEXT, .value = "U,V",
	  .help = "RTK: position of the first pixel in mm (default: the centre of the image is at 0)", .at = AT(origin) },
	{ .name = "length-unit", .kind = CLI_LENGTH, .value = "LENGTH",
	  .help = "ASTRA, CIL: length unit of the file (default 1mm)", .at = AT(length_unit), .min = 1e-9, .max = 1e6 },
	{ .name = "parallel", .kind = CLI_FLAG, .help = "ASTRA: vectors without a type are a parallel beam", .at = AT(parallel) },
	{ .name = "grid", .kind = CLI_TEXT, .value = "SPEC",
	  .help = "show: the volume to draw (default: the field of view)", .at = AT(grid) },
	{ 0 },
};
/* clang-format on */

static const char *nth_scanner(size_t i) { return gt_scanners[i].name; }

static void set(double given, double *field)
{
	if (!isnan(given))
		*field = given;
}

static void set_size(long long given, size_t *field)
{
	if (given >= 0)
		*field = (size_t)given;
}

static gt_status start_from(const geometry_options *o, int parallel, gt_orbit *g)
{
	size_t n = 0;
	while (gt_scanners[n].name)
		n++;
	*g = (gt_orbit){ .shape = parallel ? GT_PARALLEL : GT_FLAT, .turn = parallel ? GT_PI : 2 * GT_PI };
	if (!o->scanner)
		return o->reduce == 1 ? GT_OK : gt_fail(GT_ERR_ARG, "--reduce: expected with --scanner");
	const gt_scanner *s = gt_scanner_find(o->scanner);
	if (!s)
		return gt_unknown("scanner", o->scanner, nth_scanner, n);
	*g = s->orbit;
	gt_orbit_reduce(g, (size_t)o->reduce);
	return GT_OK;
}

/* GT_ERR_ARG if a required parameter of the orbit is missing. */
static gt_status check(const gt_orbit *g)
{
	const int rays = g->shape != GT_PARALLEL;
	const struct {
		const char *name;
		int missing;
	} all[] = {
		{ "--views", g->views == 0 },
		{ "--rows", g->rows == 0 },
		{ "--columns", g->columns == 0 },
		{ "--pixel", g->column_pitch == 0 || g->row_pitch == 0 },
		{ "--source-to-axis", rays && g->source_to_axis == 0 },
		{ "--source-to-detector", rays && g->source_to_detector == 0 },
	};
	char text[160] = "";
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (all[i].missing)
			snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", *text ? ", " : "", all[i].name);
	if (*text)
		return gt_fail(GT_ERR_ARG, "%s: not given: expected %s, or --scanner", text, strchr(text, ',') ? "them" : "it");
	if (rays && !(g->source_to_detector > g->source_to_axis))
		return gt_fail(GT_ERR_ARG, "--source-to-detector %g mm: expected more than --source-to-axis, %g mm", g->source_to_detector,
		               g->source_to_axis);
	return GT_OK;
}

gt_status geometry_make(const geometry_options *o, const char *orbit, gt_scan **scan)
{
	static const char *const orbits[] = { "circle", "helix", "short", "parallel", "lamino" };
	enum { ORBITS = sizeof orbits / sizeof *orbits, LAMINO = 4 };
	gt_scan_correction correction = gt_scan_correction_none;
	gt_orbit g;
	int k = 0;
	while (k < ORBITS && strcmp(orbit, orbits[k]))
		k++;
	if (k == ORBITS)
		return gt_unknown_of("orbit", orbit, orbits, ORBITS);
	gt_status st = start_from(o, k == 3, &g);
	if (st == GT_OK)
		st = tilted_apply(&o->tilted, "tilt", k == LAMINO, &g);
	if (st != GT_OK)
		return st;
	if (k == 3 || o->detector >= 0)
		g.shape = k == 3 ? GT_PARALLEL : (gt_shape)o->detector;
	set_size(o->views, &g.views);
	set_size(o->rows, &g.rows);
	set_size(o->columns, &g.columns);
	set(o->pixel, &g.column_pitch);
	set(o->pixel, &g.row_pitch);
	set(o->column_pitch, &g.column_pitch);
	set(o->row_pitch, &g.row_pitch);
	set(o->source_to_axis, &g.source_to_axis);
	set(o->source_to_detector, &g.source_to_detector);
	set(o->column_offset, &g.column_offset);
	set(o->row_offset, &g.row_offset);
	set(o->start * GT_PI / 180, &g.start_angle);
	set(o->pitch, &g.pitch_per_turn);
	set(o->z_center, &g.z_center);
	set(fabs(o->range) * GT_PI / 180, &g.turn);
	set(o->turns * 2 * GT_PI, &g.turn);
	if ((st = app_place_axis(o->axis, o->column_offset, &g)) != GT_OK)
		return st;
	if (k == 1 && !(fabs(g.pitch_per_turn) > 0))
		return gt_fail(GT_ERR_ARG, "--pitch: not given: expected the table feed per rotation of the helix, in mm");
	if ((st = check(&g)) != GT_OK)
		return st;
	if (k == 2 || o->short_scan) {
		g.turn = GT_PI + 2 * gt_orbit_half_fan(&g);
		g.end_view = 1;
	}
	if ((st = gt_scan_orbit(&g, scan)) != GT_OK)
		return st;
	correction.roll = o->roll * GT_PI / 180;
	correction.reverse_direction = o->reverse_direction || o->range < 0;
	correction.reverse_columns = o->reverse_columns;
	correction.reverse_rows = o->reverse_rows;
	if ((st = gt_scan_correct(*scan, &correction)) != GT_OK) {
		gt_scan_free(*scan);
		*scan = NULL;
	}
	return st;
}
