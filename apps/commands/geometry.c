/* gantry geometry: makes, shows, reads, corrects and writes scan geometries. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <gantry/author/constants.h>
#include <gantry/recon.h>
#include "apps/cli/try.h"
#include "apps/commands/geometry.h"
#include "geometry/scan.h"
#include "io/geometry/geometry_files.h"
#include "io/scan_drawing.h"

static int ends_in(const char *path, const char *ending)
{
	const size_t n = strlen(path), m = strlen(ending);
	return n > m && !strcasecmp(path + n - m, ending);
}

static int is_drawing(const char *path) { return ends_in(path, ".png") || ends_in(path, ".svg"); }

/* "U,V" */
static gt_status parse_origin(const char *text, double origin[2])
{
	char rest;
	if (text && sscanf(text, "%lf,%lf%c", &origin[0], &origin[1], &rest) != 2)
		return gt_fail(GT_ERR_ARG, "--origin=%s: expected two numbers, U,V, in mm", text);
	return GT_OK;
}

static gt_status read_other(const cli_call *call, const geometry_options *o, const char *path, gt_scan **scan)
{
	gt_geometry_options g = gt_geometry_defaults;
	gt_geometry *found = NULL;
	gt_status st = GT_OK;
	g.format = o->format;
	g.views = o->views > 0 ? (size_t)o->views : 0;
	g.rows = o->rows > 0 ? (size_t)o->rows : 0;
	g.columns = o->columns > 0 ? (size_t)o->columns : 0;
	g.column_pitch = isnan(o->column_pitch) ? o->pixel : o->column_pitch;
	g.row_pitch = isnan(o->row_pitch) ? o->pixel : o->row_pitch;
	g.unit = o->length_unit;
	g.parallel = o->parallel;
	g.direction = (gt_sign)o->direction;
	g.offset = (gt_sign)o->offset;
	g.notes = call->log;
	GT_TRY(parse_origin(o->origin, g.origin));
	GT_TRY(gt_geometry_read(path, &g, &found));
	if (gt_geometry_open(found))
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED,
		               "%s: %s%s%s not determined by the file, and there are no images to find it: expected %s%s%s (as-file or "
		               "reversed), or 'gantry recon FOLDER --geometry %s', which finds it",
		               path, gt_geometry_open(found) & GT_GEOMETRY_DIRECTION ? "the rotation direction" : "",
		               gt_geometry_open(found) == 3 ? " and " : "",
		               gt_geometry_open(found) & GT_GEOMETRY_OFFSET ? "the side of the axis is" : "is",
		               gt_geometry_open(found) & GT_GEOMETRY_DIRECTION ? "--direction" : "",
		               gt_geometry_open(found) == 3 ? " and " : "",
		               gt_geometry_open(found) & GT_GEOMETRY_OFFSET ? "--axis-side" : "", path));
	st = gt_scan_clone(gt_geometry_scan(found), scan);
done:
	gt_geometry_free(found);
	return st;
}

/* Reads a scan, with its projections if requested, or the geometry file of another program. */
static gt_status read_any(const cli_call *call, const geometry_options *o, const char *path, int with_data, gt_projections **p)
{
	const gt_format *format = NULL;
	int projections = 0;
	gt_scan *scan = NULL;
	gt_status st = GT_OK;
	if (!o->format && !gt_geometry_probe(path)) {
		char why[512];
		if ((st = gt_file_kind(path, &format, &projections)) == GT_ERR_FORMAT) {
			snprintf(why, sizeof why, "%s", gt_error());
			return gt_fail(GT_ERR_FORMAT, "%s; and it holds no geometry in a known format ('gantry help geometry' lists them)",
			               why);
		}
		if (st != GT_OK)
			return st;
		if (!projections)
			return gt_fail(GT_ERR_ARG, "%s: is a volume, expected a scan or a geometry", path);
		return cli_read_scan(call, path, with_data ? CLI_IF_ANY : CLI_GEOMETRY, p);
	}
	GT_TRY(read_other(call, o, path, &scan));
	GT_TRY(gt_projections_wrap(scan, NULL, NULL, NULL, p));
done:
	gt_scan_free(scan);
	return st;
}

static gt_status correct(const geometry_options *o, gt_scan *scan)
{
	gt_scan_correction c = gt_scan_correction_none;
	c.column_offset = o->column_offset;
	c.row_offset = o->row_offset;
	c.roll = o->roll * GT_PI / 180;
	c.column_pitch = isnan(o->column_pitch) ? o->pixel : o->column_pitch;
	c.row_pitch = isnan(o->row_pitch) ? o->pixel : o->row_pitch;
	c.source_to_axis = o->source_to_axis;
	c.source_to_detector = o->source_to_detector;
	c.start_angle = o->start * GT_PI / 180;
	c.turn = o->range * GT_PI / 180;
	c.reverse_direction = o->reverse_direction;
	c.reverse_columns = o->reverse_columns;
	c.reverse_rows = o->reverse_rows;
	if (!isnan(o->axis) && !isnan(o->column_offset))
		return gt_fail(GT_ERR_ARG, "--axis and --column-offset cannot be combined");
	const gt_status st = gt_scan_correct(scan, &c);
	return st == GT_OK && !isnan(o->axis) ? gt_scan_move_axis(scan, o->axis, NULL) : st;
}

static gt_status write_scan(const cli_call *call, const geometry_options *o, const char *format, gt_projections *p)
{
	const gt_scan *scan = gt_projections_scan(p);
	gt_status st = GT_OK;
	if (format || !(ends_in(o->output, ".nc") || ends_in(o->output, ".nc4")))
		return gt_geometry_write(o->output, format, scan, &call->log);
	GT_TRY(gt_projections_set_provenance(p, call->line, NULL, scan));
	GT_TRY(cli_write_projections(o->output, NULL, p));
done:
	return st;
}

static gt_status make(const cli_call *call, const geometry_options *o)
{
	gt_scan *scan = NULL;
	gt_projections *p = NULL;
	gt_status st = GT_OK;
	if (call->files != 2)
		return gt_fail(GT_ERR_ARG, "make needs an orbit: gantry geometry make circle, helix, short, parallel or lamino");
	GT_TRY(cli_need("--output", o->output));
	GT_TRY(geometry_make(o, call->file[1], &scan));
	tilted_note(call, &o->tilted, scan);
	GT_TRY(gt_projections_wrap(scan, NULL, NULL, NULL, &p));
	GT_TRY(write_scan(call, o, o->format, p));
done:
	gt_projections_free(p);
	gt_scan_free(scan);
	return st;
}

static gt_status show(const cli_call *call, const geometry_options *o)
{
	gt_projections *p = NULL;
	gt_grid grid;
	gt_status st = GT_OK;
	if (call->files != 2)
		return gt_fail(GT_ERR_ARG, "show needs a file: gantry geometry show SCAN");
	if (o->output && !is_drawing(o->output))
		return gt_fail(GT_ERR_ARG, "--output=%s: expected a name that ends in .png or .svg", o->output);
	GT_TRY(read_any(call, o, call->file[1], 0, &p));
	gt_scan *scan = gt_projections_scan(p);
	GT_TRY(correct(o, scan));
	int has_grid = gt_recon_default_grid(scan, &grid, NULL, NULL) == GT_OK;
	if (o->grid) {
		GT_TRY(gt_grid_parse(o->grid, &grid));
		has_grid = 1;
	}
	geometry_describe(call, call->file[1], scan, has_grid ? &grid : NULL);
	if (o->output)
		GT_TRY(gt_scan_draw(o->output, scan, has_grid ? &grid : NULL, call->file[1]));
done:
	gt_projections_free(p);
	return st;
}

static gt_status convert(const cli_call *call, const geometry_options *o)
{
	gt_projections *p = NULL;
	gt_status st = GT_OK;
	if (call->files != 1)
		return gt_fail(GT_ERR_ARG, "'%s' is one argument too many: gantry geometry %s", call->file[1], call->command->synopsis);
	GT_TRY(cli_need("--output", o->output));
	const int ours = ends_in(o->output, ".nc") || ends_in(o->output, ".nc4");
	/* --format is the format of the other program's file. */
	const gt_geometry_kind *k = gt_geometry_kinds;
	while (o->format && k->name && strcmp(k->name, o->format))
		k++;
	geometry_options reading = *o;
	if (o->format && !ours && k->name && k->writes)
		reading.format = NULL;
	GT_TRY(read_any(call, &reading, call->file[0], ours, &p));
	GT_TRY(correct(o, gt_projections_scan(p)));
	GT_TRY(write_scan(call, o, ours ? NULL : o->format, p));
done:
	gt_projections_free(p);
	return st;
}

static int run(const cli_call *call, const void *given)
{
	const geometry_options *o = given;
	const gt_status st = !strcmp(call->file[0], "make")   ? make(call, o)
	                     : !strcmp(call->file[0], "show") ? show(call, o)
	                                                      : convert(call, o);
	return cli_exit(call, st);
}

static void list(FILE *out)
{
	fprintf(out, "\nscanners:\n");
	for (const gt_scanner *s = gt_scanners; s->name; s++)
		fprintf(out, "  %-18s %s\n", s->name, s->about);
	fprintf(out, "\ngeometry formats of other programs and manufacturers:\n");
	for (const gt_geometry_kind *k = gt_geometry_kinds; k->name; k++)
		fprintf(out, "  %-10s %s (reads%s)\n", k->name, k->about, k->writes ? ", writes" : "");
}

const cli_command cli_geometry = {
	.name = "geometry",
	.about = "make, show, read, correct and write scan geometries: positions of source and detector",
	.synopsis = "FILE -o SCAN | make ORBIT -o SCAN | show FILE [-o DRAWING]",
	.notes = "FILE is a scan, or a geometry file of another program or a scanner manufacturer; a note lists the keys that were used.\n"
		 "ORBIT is circle, helix, short (180 degrees plus the fan angle), parallel or lamino (tilted axis). Lengths accept um,\n"
		 "mm, cm, m; angles deg, rad.\n\n"
		 "  gantry geometry make circle --scanner micro-ct -o scan.nc\n"
		 "  gantry geometry make helix --views 900 --turns 3 --pitch 20 --rows 32 --columns 256 --pixel 400um \\\n"
		 "      --source-to-axis 12cm --source-to-detector 20cm -o helix.nc\n"
		 "  gantry geometry make lamino --tilt 30 --views 720 --rows 1024 --columns 1024 --pixel 0.1 \\\n"
		 "      --source-to-axis 240 --source-to-detector 720 --thickness 4 -o board.nc\n"
		 "  gantry geometry show scan.nc -o scan.png\n"
		 "  gantry geometry scan.xtekct -o scan.nc\n"
		 "  gantry geometry rtk.xml --rows 96 --columns 128 --pixel 0.8 -o scan.nc\n"
		 "  gantry geometry scan.nc --column-offset 3.3 --roll 0.5deg -o corrected.nc\n"
		 "  gantry geometry scan.nc -o scan.xml               for RTK; .npy for ASTRA, .leap for LEAP\n",
	.traits = CLI_REPORTS,
	.options = geometry_table,
	.defaults = &geometry_defaults,
	.options_size = sizeof geometry_defaults,
	.min_files = 1,
	.max_files = 2,
	.run = run,
	.list = list,
};
