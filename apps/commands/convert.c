/* gantry convert: writes volumes in another format, at the same position in the patient. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "apps/cli/cli.h"
#include "apps/cli/try.h"
#include "io/slice_reader.h"

typedef struct {
	const char *output, *range;
	double water, slope, offset;
	int unit, input_unit, position, number;
	long long deflate;
} convert_options;
static const char *const units[] = { "mm-1", "HU", "auto", NULL };
static const convert_options defaults = {
	.slope = NAN, .offset = NAN, .unit = GT_UNIT_AUTO, .input_unit = GT_UNIT_AUTO, .position = GT_POSITION_AUTO
};
#define AT(field) offsetof(convert_options, field)
/* clang-format off */
static const cli_option options[] = {
	{ .name = "output", .letter = 'o', .kind = CLI_OUTPUT, .value = "FILE",
	  .help = "name and format of the written volume: NAME/ is a folder of DICOM, NAME.tif/ of TIFF slices", .at = AT(output) },
	{ .name = "unit", .kind = CLI_CHOICE,
	  .help = "unit of the written volume (default: HU in NIfTI and DICOM, else mm-1)", .at = AT(unit), .names = units },
	{ .name = "water", .kind = CLI_REAL, .value = "MM-1",
	  .help = "attenuation of water in mm-1, for HU (default: from the file, else 0.02)", .at = AT(water), .min = 1e-9, .max = 1e3 },
	{ .name = "position", .kind = CLI_CHOICE,
	  .help = "position of the patient (default: from the file, else HFS)", .at = AT(position), .names = gt_position_names },
	{ .name = "input-unit", .kind = CLI_CHOICE,
	  .help = "MetaImage, NIfTI, .npy, .raw: unit of the stored numbers (default auto)", .at = AT(input_unit), .names = units },
	{ .name = "slope", .kind = CLI_REAL, .value = "X",
	  .help = "with --input-unit: value = X * stored + --offset", .at = AT(slope), .min = -1e30, .max = 1e30 },
	{ .name = "offset", .kind = CLI_REAL, .value = "X", .help = "constant of --slope", .at = AT(offset), .min = -1e30, .max = 1e30 },
	{ .name = "deflate", .kind = CLI_INT, .value = "LEVEL",
	  .help = "compression, 0 (default: none; .nii.gz: light) to 9", .at = AT(deflate), .min = 0, .max = 9 },
	{ .name = "number", .kind = CLI_CHOICE, .help = "TIFF, .npy, .raw: sample type (default float)", .at = AT(number),
	  .names = cli_numbers },
	{ .name = "range", .kind = CLI_TEXT, .value = "LOW:HIGH",
	  .help = "values of the smallest and largest integer, in the unit (default: 0.1 and 99.9 % of the voxels)", .at = AT(range) },
	{ 0 },
};
/* clang-format on */

static int run(const cli_call *call, const void *given)
{
	const convert_options *o = given;
	const gt_format *format = NULL;
	gt_volume *v = NULL;
	gt_slice_reader *from = NULL;
	cli_notes notes = { "" }, remarks = { "" };
	char grid[256];
	int projections = 0;
	gt_read_options r = gt_read_defaults;
	gt_write_options w = gt_write_defaults;
	gt_status st = GT_OK;
	r.unit = (gt_unit)o->input_unit;
	r.slope = o->slope;
	r.offset = o->offset;
	r.water = o->water;
	r.position = (gt_position)o->position;
	r.notes = cli_collect(&notes);
	w.unit = (gt_unit)o->unit;
	w.water = o->water;
	w.deflate = (int)o->deflate;
	w.notes = cli_collect(&remarks);
	GT_TRY(cli_need("--output", o->output));
	GT_TRY(cli_set_numbers(o->number, o->range, &w));
	GT_TRY(gt_can_write_volume(o->output, &w));
	GT_TRY(gt_file_kind(call->file[0], &format, &projections));
	if (projections)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: holds projections, expected a volume (gantry import reads projections)", call->file[0]));
	if (!format->unitless && (o->input_unit != GT_UNIT_AUTO || !isnan(o->slope) || !isnan(o->offset)))
		cli_note(call, "--input-unit, --slope and --offset do not apply to a %s file: it states its unit", format->about);
	GT_TRY(gt_slice_reader_open(call->file[0], &r, &v, &from));
	gt_grid_print(gt_volume_grid(v), grid, sizeof grid);
	cli_note(call, "volume %s%s%s%s%s", grid, gt_volume_position_known(v) ? ", " : "",
	         gt_volume_position_known(v) ? gt_position_names[gt_volume_position(v)] : "", notes.text[0] ? "; " : "", notes.text);
	GT_TRY(gt_volume_set_command(v, call->line));
	cli_begin_writing();
	GT_TRY(cli_end_writing(gt_write_volume_from(o->output, &w, v, from)));
	cli_note_max(call, gt_slice_reader_max(from));
	if (remarks.text[0])
		cli_note(call, "%s", remarks.text);
done:
	gt_slice_reader_close(from);
	gt_volume_free(v);
	return cli_exit(call, st);
}

const cli_command cli_convert = {
	.name = "convert",
	.about = "convert volumes from one format to another",
	.synopsis = "FILE -o OUTPUT [options]",
	.notes = "  gantry convert vol.nc -o vol.nii.gz\n"
		 "  gantry convert head.nii -o head.mha --unit HU\n"
		 "  gantry convert vol.nc -o vol.tif --number u16 --range 0:0.05\n"
		 "  gantry convert vol.nc -o vol.npy\n"
		 "  gantry convert vol.nc -o series/                 DICOM\n"
		 "  gantry convert vol.nc -o slices.tif/ --number u16\n",
	.options = options,
	.defaults = &defaults,
	.options_size = sizeof defaults,
	.min_files = 1,
	.max_files = 1,
	.run = run,
};
