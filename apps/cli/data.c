/* Reading, default grids and output names, common to several commands. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/grid.h>
#include <gantry/recon.h>
#include "apps/cli/cli.h"
#include "apps/cli/progress.h"
#include "apps/cli/try.h"
#include "geometry/grid.h"
#include "io/same_file.h"

gt_type cli_type(const cli_call *call) { return call->common.precision ? GT_F64 : GT_F32; }

gt_status cli_open(const cli_call *call, gt_backend **be)
{
	const char *name = call->common.backend ? call->common.backend : "auto";
	const gt_status st = gt_backend_open(name, be);
	if (st == GT_OK)
		cli_note(call, "backend %s: %s", gt_backend_name(*be), gt_backend_describe(*be));
	return st;
}

static void add_note(void *self, const gt_message *m)
{
	cli_notes *notes = self;
	const size_t at = strlen(notes->text);
	snprintf(notes->text + at, sizeof notes->text - at, "%s%s", at ? "; " : "", m->text);
}

gt_listener cli_collect(cli_notes *notes) { return (gt_listener){ add_note, notes }; }

gt_status cli_read_scan_by(const cli_call *call, const char *path, int what, const gt_read_options *by, gt_projections **p)
{
	cli_notes notes = { "" };
	gt_read_options o = *by;
	o.geometry_only = what == CLI_GEOMETRY;
	o.may_lack_data = 1;
	o.without_statistics = what == CLI_DATA_ALONE;
	o.notes = cli_collect(&notes);
	app_progress progress = app_progress_start("read", call->common.quiet);
	o.progress = app_progress_fraction;
	o.progress_self = &progress;
	const gt_status st = gt_read_projections(path, &o, p);
	app_progress_end(&progress);
	if (st == GT_OK && notes.text[0])
		cli_note(call, "%s", notes.text);
	if (st != GT_OK || gt_projections_data(*p) || (what != CLI_WITH_DATA && what != CLI_DATA_ALONE))
		return st;
	gt_projections_free(*p);
	*p = NULL;
	return gt_fail(GT_ERR_FORMAT, "%s: variable projections is missing: the file holds the geometry alone", path);
}

gt_status cli_read_scan(const cli_call *call, const char *path, int what, gt_projections **p)
{
	return cli_read_scan_by(call, path, what, &gt_read_defaults, p);
}

/* slices: NULL reads the voxels, or the grid alone if grid_only is set. */
static gt_status read_volume(const cli_call *call, const char *path, int grid_only, gt_volume **v, gt_slice_reader **slices)
{
	cli_notes notes = { "" };
	gt_read_options o = gt_read_defaults;
	o.geometry_only = grid_only;
	o.notes = cli_collect(&notes);
	const gt_status st = slices ? gt_slice_reader_open(path, &o, v, slices) : gt_read_volume(path, &o, v);
	if (st == GT_OK && notes.text[0])
		cli_note(call, "%s", notes.text);
	return st;
}

gt_status cli_read_volume(const cli_call *call, const char *path, gt_volume **v) { return read_volume(call, path, 0, v, NULL); }
gt_status cli_open_volume(const cli_call *call, const char *path, gt_volume **head, gt_slice_reader **r)
{
	return read_volume(call, path, 0, head, r);
}

gt_status cli_grid(const cli_call *call, const char *spec, const char *like, const gt_scan *scan, gt_grid *grid)
{
	gt_volume *model = NULL;
	gt_status st = GT_OK;
	if (spec && like)
		return gt_fail(GT_ERR_ARG, "--grid and --like cannot be combined");
	if (spec) {
		GT_TRY(gt_grid_parse(spec, grid));
	} else if (like) {
		GT_TRY(read_volume(call, like, 1, &model, NULL));
		*grid = *gt_volume_grid(model);
	} else {
		char text[256];
		size_t below, above;
		st = gt_recon_default_grid(scan, grid, &below, &above);
		/* The user did not request this grid, so the error is not a usage error. */
		if (st == GT_ERR_ARG)
			st = gt_fail(GT_ERR_UNSUPPORTED, "%s (--grid sets another one)", gt_error());
		GT_TRY(st);
		gt_grid_print(grid, text, sizeof text);
		cli_note(call, "grid %s", text);
		if (below + above)
			cli_note(call, "%zu slice%s below and %zu above are left out: views cover less than 180 degrees there", below,
			         below == 1 ? "" : "s", above);
	}
	GT_TRY(gt_grid_check(grid, scan));
done:
	gt_volume_free(model);
	return st;
}

/* 0 if the rows are not along z, because they cover no range of z then. */
static int covers(const gt_scan *scan, double *radius, double *low, double *high)
{
	*radius = gt_scan_field_of_view(scan, low, high);
	return gt_scan_rows_along_z(scan, "") == GT_OK && *high > *low;
}

void cli_note_share(const cli_call *call, const gt_grid *g, const gt_scan *scan)
{
	double radius, low, high;
	if (!covers(scan, &radius, &low, &high) || !(radius > 0))
		return;
	const double share = gt_grid_share_within(g, radius, low, high);
	if (!(share < 0.5))
		return;
	double from[3], to[3];
	for (int a = 0; a < 3; a++) {
		from[a] = gt_grid_first(g, a) - g->pitch[a] / 2;
		to[a] = from[a] + (double)g->n[a] * g->pitch[a];
	}
	const int centred = g->center[0] == 0 && g->center[1] == 0 && g->center[2] == 0;
	cli_note(call,
	         "the scan covers %.0f %% of the volume: the volume has x %.4g to %.4g, y %.4g to %.4g, z %.4g to %.4g mm, "
	         "the scan a radius of %.4g mm and z %.4g to %.4g mm%s",
	         100 * share, from[0], to[0], from[1], to[1], from[2], to[2], radius, low, high,
	         centred ? "" : "; 'gantry import --center' moves the centre of a volume to 0, 0, 0");
}

/* Lead has 6 mm-1 at 100 keV. */
void cli_note_max(const cli_call *call, double max)
{
	if (max > 10)
		cli_note(call, "values reach %.4g mm-1, above the attenuation of lead: are they HU (--input-unit HU)?", max);
}

void cli_note_implausible(const cli_call *call, const gt_volume *v)
{
	const float *data = gt_volume_data(v);
	float max = 0;
	for (size_t i = 0; i < gt_grid_voxels(gt_volume_grid(v)); i++)
		max = data[i] > max ? data[i] : max;
	cli_note_max(call, (double)max);
}

gt_status cli_write_volume(const char *path, const gt_write_options *o, const gt_volume *v)
{
	cli_begin_writing();
	return cli_end_writing(gt_write_volume(path, o, v));
}

/* ".nii.gz" of "vol.nii.gz", else the part from the last dot. */
static const char *extension_of(const char *output)
{
	const char *name = strrchr(output, '/'), *from = name ? name + 1 : output, *dot = strrchr(from, '.');
	if (dot && !strcmp(dot, ".gz"))
		for (const char *at = dot; at > from; at--)
			if (at[-1] == '.')
				return at - 1;
	return dot ? dot : output + strlen(output);
}

char *cli_numbered(const char *output, size_t number)
{
	const size_t n = strlen(output), folder = n && output[n - 1] == '/';
	const char *end = folder ? output + n - 1 : extension_of(output);
	return cli_text("%.*s-%zu%s", (int)(end - output), output, number, end);
}

gt_status cli_check_numbered(const cli_call *call, const char *output)
{
	for (size_t i = 0; i < call->files; i++) {
		char *name = cli_numbered(output, i + 1);
		gt_status st = name ? gt_can_write_volume(name, NULL) : gt_fail(GT_ERR_MEMORY, "out of memory");
		for (size_t k = 0; k < call->files && st == GT_OK; k++)
			if (gt_same_file(call->file[k], name))
				st = gt_fail(GT_ERR_ARG, "--output=%s: the input %s would be overwritten: expected another name", output,
				             name);
		free(name);
		if (st != GT_OK)
			return st;
	}
	return GT_OK;
}

int cli_is_dicom_output(const char *path, const char *format)
{
	const size_t n = path ? strlen(path) : 0;
	return format ? !strcmp(format, "dicom-ct-pd") : n > 1 && path[n - 1] == '/';
}

gt_status cli_write_projections(const char *path, const gt_write_options *o, const gt_projections *p)
{
	cli_begin_writing();
	return cli_end_writing(gt_write_projections(path, o, p));
}

const char *const cli_numbers[] = { "float", "u16", "u8", NULL };

gt_status cli_set_numbers(int number, const char *range, gt_write_options *o)
{
	static const int bits[] = { 0, 16, 8 };
	o->bits = bits[number];
	if (range && number == 0)
		return gt_fail(GT_ERR_ARG, "--range=%s: applies to integers alone: expected --number u16 or u8", range);
	return range ? cli_parse_range("--range", range, &o->low, &o->high) : GT_OK;
}
