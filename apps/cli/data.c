/* What the commands share of reading, grids and records. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/analytic.h>
#include <gantry/host_memory.h>
#include <gantry/grid.h>
#include <gantry/scan_math.h>
#include "apps/cli/cli.h"
#include "apps/cli/progress.h"
#include "apps/cli/try.h"

gt_type cli_type(const cli_call *call) { return call->common.precision ? GT_F64 : GT_F32; }

gt_status cli_open(const cli_call *call, gt_backend **be)
{
	const char *name = call->common.backend ? call->common.backend : "auto";
	const gt_status st = gt_backend_open(name, be);
	if (st == GT_OK)
		cli_note(call, "backend %s: %s", gt_backend_name(*be), gt_backend_describe(*be));
	return st;
}

gt_status cli_record(const cli_call *call, const gt_scan *scan, const char *parameters, gt_provenance *from)
{
	free(from->command);
	free(from->parameters);
	from->command = strdup(call->line);
	from->parameters = strdup(parameters);
	from->scan_hash = scan ? gt_scan_hash(scan) : 0;
	return from->command && from->parameters ? GT_OK : gt_fail(GT_ERR_MEMORY, "out of memory");
}

gt_status cli_read_scan(const cli_call *call, const char *path, int what, gt_projections **p)
{
	char note[1024] = "";
	gt_read_options o = gt_read_defaults;
	o.geometry_only = what == CLI_GEOMETRY;
	o.may_lack_data = 1;
	o.without_statistics = what == CLI_DATA_ALONE;
	o.note = note;
	o.note_size = sizeof note;
	app_progress progress = app_progress_start("read", call->common.quiet);
	o.progress = app_progress_fraction;
	o.progress_self = &progress;
	const gt_status st = gt_read_projections(path, &o, p);
	app_progress_end(&progress);
	if (st == GT_OK && note[0])
		cli_note(call, "%s", note);
	if (st != GT_OK || (*p)->data || (what != CLI_WITH_DATA && what != CLI_DATA_ALONE))
		return st;
	gt_projections_free(*p);
	*p = NULL;
	return gt_fail(GT_ERR_FORMAT, "%s: variable projections is missing: the file holds the geometry alone", path);
}

static gt_status read_volume(const cli_call *call, const char *path, int grid_only, gt_volume **v)
{
	char note[1024] = "";
	gt_read_options o = gt_read_defaults;
	o.geometry_only = grid_only;
	o.note = note;
	o.note_size = sizeof note;
	const gt_status st = gt_read_volume(path, &o, v);
	if (st == GT_OK && note[0])
		cli_note(call, "%s", note);
	return st;
}

gt_status cli_read_volume(const cli_call *call, const char *path, gt_volume **v) { return read_volume(call, path, 0, v); }

gt_status cli_default_grid(const gt_scan *scan, gt_grid *grid, size_t *below, size_t *above)
{
	const gt_analytic *m = gt_analytic_for(scan);
	gt_analytic_coverage s;
	*below = *above = 0;
	const gt_status st = gt_grid_default(scan, grid);
	if (st != GT_OK || !gt_scan_is_helical(scan) || !m->coverage || m->coverage(grid, scan, &s) != GT_OK || s.first == s.end)
		return st;
	*below = s.first;
	*above = grid->n[2] - s.end;
	grid->center[2] += ((double)*below - (double)*above) / 2 * grid->pitch[2];
	grid->n[2] = s.end - s.first;
	if (fabs(grid->center[2]) < 1e-9 * grid->pitch[2])
		grid->center[2] = 0;
	return GT_OK;
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
		GT_TRY(read_volume(call, like, 1, &model));
		*grid = model->grid;
	} else {
		char text[256];
		size_t below, above;
		st = cli_default_grid(scan, grid, &below, &above);
		/* Nobody asked for it: no wrong usage. */
		if (st == GT_ERR_ARG)
			st = gt_fail(GT_ERR_UNSUPPORTED, "%s (--grid sets another one)", gt_error());
		GT_TRY(st);
		gt_grid_print(grid, text, sizeof text);
		cli_note(call, "grid %s", text);
		if (below + above)
			cli_note(call, "%zu slice%s below and %zu above are left out, which some rays see but not over half a turn", below,
			         below == 1 ? "" : "s", above);
	}
	GT_TRY(gt_grid_check(grid, scan));
done:
	gt_volume_free(model);
	return st;
}

/* Rows that are not along z cover no range of it. */
static int covers(const gt_scan *scan, double *radius, double *low, double *high)
{
	*radius = gt_scan_field_of_view(scan, low, high);
	return gt_scan_rows_along_z(scan, "") == GT_OK && *high > *low;
}

void cli_note_slices(const cli_call *call, const gt_grid *grid, const gt_scan *scan)
{
	double radius, low, high;
	if (!covers(scan, &radius, &low, &high))
		return;
	const size_t outside = gt_grid_slices_outside(grid, low, high);
	if (outside)
		cli_note(call, "%zu of %zu slice%s %s outside z %.4g to %.4g mm that the scan covers: what %s was not measured", outside,
		         grid->n[2], grid->n[2] == 1 ? "" : "s", outside == 1 ? "lies" : "lie", low, high,
		         outside == 1 ? "it shows" : "they show");
}

/* Of what the cells hold whose rays pass the grid by at its sides, the mean, over the largest of all; every few views, columns and rows. */
static double beside(const gt_grid *g, const gt_projections *p)
{
	const gt_scan *scan = p->scan;
	const gt_detector d = gt_scan_detector(scan);
	const size_t views = 1 + scan->views / 90, rows = 1 + scan->rows / 8;
	double sum = 0, most = 0, count = 0;
	for (size_t v = 0; v < scan->views; v += views)
		for (size_t row = 0; row < scan->rows; row += rows)
			for (size_t column = 0; column < scan->columns; column++) {
				double point[3], to[3], from = -INFINITY, end = INFINITY;
				const double value = p->data[(v * scan->rows + row) * scan->columns + column];
				gt_pixel_ray(&d, &scan->view[v], (double)column, (double)row, point, to);
				for (int a = 0; a < 2; a++) {
					const double half = (double)g->n[a] * g->pitch[a] / 2, middle = g->center[a] - point[a];
					if (fabs(to[a]) < 1e-12) {
						end = fabs(middle) < half ? end : -INFINITY;
						continue;
					}
					from = fmax(from, (middle - copysign(half, to[a])) / to[a]);
					end = fmin(end, (middle + copysign(half, to[a])) / to[a]);
				}
				most = fmax(most, value);
				sum += from < end ? 0 : value;
				count += !(from < end);
			}
	return most > 0 && count > 0 ? sum / count / most : 0;
}

void cli_note_sides(const cli_call *call, const gt_grid *grid, const gt_projections *p)
{
	const double share = beside(grid, p);
	if (share > 0.05)
		cli_note(
			call,
			"rays that pass the grid by at its sides were attenuated too (on the average %.0f %% of the most that was measured): "
			"what lies there will come out inside; a wider --grid holds it",
			100 * share);
}

void cli_note_detector(const cli_call *call, const gt_scan *scan)
{
	double detector, axis;
	const size_t view = gt_scan_detector_before_axis(scan, &detector, &axis);
	if (view < scan->views)
		cli_note(
			call,
			"the detector of view %zu stands before the axis, %.6g mm from the source and the axis %.6g mm: rays are followed beyond it, "
			"as to a larger one behind the body",
			view, detector, axis);
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
	         "%.0f %% of the volume lie in what the scan covers: it has x %.4g to %.4g, y %.4g to %.4g, z %.4g to %.4g mm, "
	         "the scan a radius of %.4g mm and z %.4g to %.4g mm%s",
	         100 * share, from[0], to[0], from[1], to[1], from[2], to[2], radius, low, high,
	         centred ? "" : "; 'gantry import --center' puts the middle of a volume at 0, 0, 0");
}

gt_status cli_volume_new(const gt_grid *grid, gt_volume **v)
{
	const size_t n = gt_grid_voxels(grid);
	gt_status st = gt_host_room((double)n * sizeof(float), "the volume");
	if (st != GT_OK)
		return st;
	gt_volume *volume = calloc(1, sizeof *volume);
	if (volume) {
		volume->grid = *grid;
		volume->water = GT_WATER_DEFAULT;
		volume->data = gt_host_alloc(n * sizeof *volume->data);
		if (volume->data)
			memset(volume->data, 0, n * sizeof *volume->data); /* takes the memory before others are asked whether they fit */
	}
	if (!volume || !volume->data) {
		gt_volume_free(volume);
		return gt_fail(GT_ERR_MEMORY, "the volume needs %.3g MB", (double)n * 4e-6);
	}
	*v = volume;
	return GT_OK;
}

/* Nothing that is scanned comes near: lead has 6 mm-1 at 100 keV. */
void cli_note_implausible(const cli_call *call, const gt_volume *v)
{
	float most = 0;
	for (size_t i = 0; i < gt_grid_voxels(&v->grid); i++)
		most = v->data[i] > most ? v->data[i] : most;
	if (most > 10)
		cli_note(call, "values reach %.4g mm-1, more than lead has: are they HU (--input-unit HU)?", (double)most);
}

gt_status cli_write_volume(const char *path, const gt_write_options *o, const gt_volume *v)
{
	cli_begin_writing();
	return cli_end_writing(gt_write_volume(path, o, v));
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
