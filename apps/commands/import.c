/* gantry import: converts files of other programs to NetCDF, and projections to DICOM. */
#include <math.h>
#include <string.h>
#include <gantry/consistency.h>
#include "analytic/consistency/conjugate.h"
#include "apps/cli/cli.h"
#include "apps/cli/frames.h"
#include "apps/cli/progress.h"
#include "apps/cli/try.h"
#include "geometry/scan.h"

typedef struct {
	const char *output, *format, *maker, *flip;
	double axis /* in flipped columns */, water, slope, offset;
	int unit, input_unit, center, central, without_photons;
	long long deflate;
	cli_frames frames;
} import_options;
static const char *const units[] = { "mm-1", "HU", NULL };
static const char *const input_units[] = { "mm-1", "HU", "auto", NULL };
static const char *const centrals[] = { "auto", "first", "last", NULL };
static const import_options defaults = {
	.axis = NAN, .slope = NAN, .offset = NAN, .input_unit = GT_UNIT_AUTO, .frames = CLI_FRAMES_DEFAULTS
};
#define AT(field) offsetof(import_options, field)
#define FRAMES_AT(field) offsetof(import_options, frames.field)
/* clang-format off */
static const cli_option options[] = {
	{ .name = "output", .group = "Output", .letter = 'o', .kind = CLI_OUTPUT, .value = "FILE",
	  .help = "name of the written file", .at = AT(output) },
	{ .name = "format", .kind = CLI_TEXT, .value = "NAME",
	  .help = "format of the output: dicom-ct-pd, a folder of DICOM files (default: by the name's extension)", .at = AT(format) },
	{ .name = "maker", .kind = CLI_TEXT, .value = "NAME",
	  .help = "DICOM output: Manufacturer, which also decides how the central column is counted (default Gantry)", .at = AT(maker) },
	{ .name = "unit", .kind = CLI_CHOICE, .help = "unit of the written volume (default mm-1)", .at = AT(unit), .names = units },
	{ .name = "deflate", .kind = CLI_INT, .value = "LEVEL",
	  .help = "compression, 0 (none, default) to 9", .at = AT(deflate), .min = 0, .max = 9 },
	{ .name = "flip", .group = "Projections", .kind = CLI_TEXT, .value = "columns|rows|turn,...",
	  .help = "projections: flip the columns or rows; reverse the rotation direction", .at = AT(flip) },
	{ .name = "central", .kind = CLI_CHOICE,
	  .help = "DICOM-CT-PD: count the central column from the first or last one (default: by the manufacturer)",
	  .at = AT(central), .names = centrals },
	{ .name = "without-photons", .kind = CLI_FLAG, .help = "DICOM-CT-PD: do not read the photon statistics", .at = AT(without_photons) },
	{ .name = "water", .group = "Volumes", .kind = CLI_REAL, .value = "MM-1",
	  .help = "attenuation of water in mm-1, for HU (default: from the file, else 0.02)", .at = AT(water), .min = 1e-9, .max = 1e3 },
	{ .name = "input-unit", .kind = CLI_CHOICE,
	  .help = "MetaImage, NIfTI: unit of the stored values (default auto)", .at = AT(input_unit), .names = input_units },
	{ .name = "slope", .kind = CLI_REAL, .value = "X",
	  .help = "with --input-unit: value = X * stored + --offset", .at = AT(slope), .min = -1e30, .max = 1e30 },
	{ .name = "offset", .kind = CLI_REAL, .value = "X", .help = "constant of --slope", .at = AT(offset), .min = -1e30, .max = 1e30 },
	{ .name = "center", .kind = CLI_FLAG, .help = "move the centre of the volume to (0, 0, 0)", .at = AT(center) },
	CLI_FRAMES_OPTIONS(FRAMES_AT),
	{ 0 },
};
/* clang-format on */

/* GT_ERR_ARG names a given option that does not apply to the file. */
static gt_status check_unused(const import_options *o, const gt_format *format, int projections)
{
	const int meta = format->unitless, clinical = !strcmp(format->name, "dicom-ct-pd");
	const struct {
		const char *name;
		int unused;
		const char *instead;
	} all[] = {
		{ "input-unit", o->input_unit != GT_UNIT_AUTO && !meta, "; its file states the unit" },
		{ "slope", !isnan(o->slope) && !meta, "; its file states the unit" },
		{ "offset", !isnan(o->offset) && !meta, "; its file states the unit" },
		{ "flip", o->flip && !projections, "" },
		{ "center", o->center && projections, "" },
		{ "format", o->format && !projections, "" },
		{ "maker", o->maker && !(projections && cli_is_dicom_output(o->output, o->format)), "" },
		{ "central", o->central != GT_CENTRAL_AUTO && !clinical, "" },
		{ "without-photons", o->without_photons && !clinical, "" },
		{ "unit", o->unit == GT_HU && projections, "; line integrals have no unit" },
	};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (all[i].unused)
			return gt_fail(GT_ERR_ARG, "--%s does not apply to %s in a %s file%s", all[i].name,
			               projections ? "projections" : "a volume", format->about, all[i].instead);
	return GT_OK;
}

static const char *const flips[] = { "columns", "turn", "rows" };
enum { FLIPS = 3 };
_Static_assert(GT_CONJUGATE_COLUMNS == 1 && GT_CONJUGATE_DIRECTION == 2 && GT_CONJUGATE_ROWS == 4, "bits in the order of the names");

static gt_status import_projections(const cli_call *call, const import_options *o, gt_read_options *r, gt_write_options *w)
{
	cli_notes notes = { "" };
	gt_projections *p = NULL;
	gt_status st = GT_OK;
	unsigned flip = 0;
	app_progress progress = app_progress_start("read", call->common.quiet);
	r->progress = w->progress = app_progress_fraction;
	r->progress_self = w->progress_self = &progress;
	r->notes = cli_collect(&notes);
	if (o->flip)
		GT_TRY(cli_parse_names("--flip", o->flip, flips, FLIPS, &flip));
	GT_TRY(gt_can_write_projections(o->output, w));
	st = gt_read_projections(call->file[0], r, &p);
	app_progress_end(&progress);
	GT_TRY(st);
	if (isnan(o->axis) && !flip)
		gt_conjugate_move_assumed_axis(p, r, &r->notes, call->file[0], 0);
	GT_TRY(gt_projections_flip(p, flip));
	gt_scan *scan = gt_projections_scan(p);
	if (!isnan(o->axis))
		GT_TRY(gt_scan_move_axis(scan, o->axis, NULL));
	cli_note(call, "%zu views of %zu rows x %zu columns%s%s", scan->views, scan->rows, scan->columns, notes.text[0] ? "; " : "",
	         notes.text);
	if (o->water > 0)
		GT_TRY(gt_projections_set_water(p, o->water));
	GT_TRY(gt_projections_set_provenance(p, call->line, notes.text, scan));
	progress = app_progress_start("write", call->common.quiet);
	st = cli_write_projections(o->output, w, p);
	app_progress_end(&progress);
done:
	gt_projections_free(p);
	return st;
}

static gt_status import_volume(const cli_call *call, const import_options *o, gt_read_options *r, gt_write_options *w)
{
	cli_notes notes = { "" };
	gt_volume *v = NULL;
	gt_status st = GT_OK;
	r->notes = cli_collect(&notes);
	GT_TRY(gt_can_write_volume(o->output, NULL));
	GT_TRY(gt_read_volume(call->file[0], r, &v));
	char grid[256];
	gt_grid_print(gt_volume_grid(v), grid, sizeof grid);
	if (o->water > 0)
		GT_TRY(gt_volume_set_water(v, o->water));
	if (gt_volume_water(v) > 0)
		w->water = gt_volume_water(v);
	cli_note(call, "volume %s%s%s", grid, notes.text[0] ? "; " : "", notes.text);
	cli_note_implausible(call, v);
	GT_TRY(gt_volume_set_provenance(v, call->line, notes.text, NULL));
	GT_TRY(cli_write_volume(o->output, w, v));
done:
	gt_volume_free(v);
	return st;
}

static gt_read_options reading(const import_options *o)
{
	gt_read_options r = gt_read_defaults;
	r.unit = (gt_unit)o->input_unit;
	r.slope = o->slope;
	r.offset = o->offset;
	r.center = o->center;
	r.dicom.central = (gt_central)o->central;
	r.dicom.without_photons = o->without_photons;
	if (o->water > 0)
		r.water = o->water;
	return r;
}

static int run(const cli_call *call, const void *given)
{
	import_options all = *(const import_options *)given;
	const import_options *o = &all;
	const gt_format *format = NULL;
	int projections = 0;
	gt_read_options r = reading(o);
	gt_frames_options frames;
	gt_write_options w = gt_write_defaults;
	gt_status st = GT_OK;
	w.unit = (gt_unit)o->unit;
	w.deflate = (int)o->deflate;
	GT_TRY(cli_need("--output", o->output));
	GT_TRY(gt_file_kind(call->file[0], &format, &projections));
	if (projections && o->flip) {
		all.axis = all.frames.axis;
		all.frames.axis = NAN;
	}
	cli_frames_apply(&o->frames, &frames, &r);
	GT_TRY(cli_frames_check(&o->frames, call->file[0]));
	GT_TRY(check_unused(o, format, projections));
	if (projections) {
		w.format = o->format;
		w.dicom.maker = o->maker;
		GT_TRY(import_projections(call, o, &r, &w));
	} else {
		GT_TRY(import_volume(call, o, &r, &w));
	}
done:
	return cli_exit(call, st);
}

static void list(FILE *out)
{
	fprintf(out, "\nformats:\n");
	for (const gt_format *const *f = gt_formats; *f; f++)
		fprintf(out, "  %-14s %s (%s:%s%s%s%s)\n", (*f)->name, (*f)->about, *(*f)->extensions ? (*f)->extensions : "folders, files",
		        (*f)->read_projections ? " reads projections" : "", (*f)->write_projections ? " writes projections" : "",
		        (*f)->read_volume || (*f)->slices ? " reads volumes" : "", (*f)->write_volume ? " writes volumes" : "");
}

const cli_command cli_import = {
	.name = "import",
	.about = "convert files of other programs to NetCDF, and projections to DICOM",
	.synopsis = "FILE|FOLDER -o OUTPUT [options]",
	.notes = "  gantry import tooth.h5 -o tooth.nc --axis 296\n"
		 "  gantry import scan.nc -o fixed.nc --flip columns --axis 442.25\n"
		 "  gantry import head.mha -o head.nc\n"
		 "  gantry import counts/ -o scan.nc              a folder of TIFF images, with flat and dark fields and angles.txt\n"
		 "  gantry import projections/ -o scan.nc         a folder of DICOM-CT-PD\n"
		 "  gantry import scan.nc --format dicom-ct-pd -o projections\n",
	.options = options,
	.defaults = &defaults,
	.options_size = sizeof defaults,
	.min_files = 1,
	.max_files = 1,
	.run = run,
	.list = list,
};
