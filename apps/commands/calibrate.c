/* gantry calibrate: estimates the geometry of a scan from its projections. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/calibrate.h>
#include <gantry/author/constants.h>
#include <gantry/image.h>
#include <gantry/recon.h>
#include "apps/cli/cli.h"
#include "apps/cli/progress.h"
#include "apps/cli/try.h"
#include "apps/commands/calibrate.h"
#include "core/order_statistics.h"
#include "geometry/grid.h"
#include "geometry/scan.h"
#include "io/png.h"

/* In the order of gt_calibrate_names, which files and Python keep. */
static const char *const find_names[GT_CALIBRATE_PARAMETERS] = { "axis", "roll", "slant", "tilt", "distance", "axis-tilt" };
static const app_calibrate_options defaults = { .find = "axis,roll", .views = 180 };
#define AT(field) offsetof(app_calibrate_options, field)
/* clang-format off */
static const cli_option options[] = {
	{ .name = "output", .letter = 'o', .kind = CLI_OUTPUT, .value = "FILE",
	  .help = "name of the written projections, with the estimated geometry",
	  .at = AT(output) },
	{ .name = "find", .kind = CLI_TEXT, .value = "axis,roll,slant,tilt,distance,axis-tilt",
	  .help = "parameters to estimate (default axis,roll)", .at = AT(find) },
	{ .name = "beads", .kind = CLI_INPUT, .value = "N|FILE",
	  .help = "scan of N beads: estimate source and detector; FILE: known positions, a line \"x y z\" (mm) per bead",
	  .at = AT(beads) },
	{ .name = "span", .kind = CLI_LENGTH, .value = "MM",
	  .help = "--beads N: known largest distance between two beads, which determines the source-to-axis distance",
	  .at = AT(span), .min = 1e-3, .max = 1e5 },
	{ .name = "each-view", .kind = CLI_FLAG,
	  .help = "--beads: then estimate source and detector of each view independently (at least six beads, not in one plane)",
	  .at = AT(each_view) },
	{ .name = "jitter", .kind = CLI_FLAG,
	  .help = "estimate the shift of each view in columns and rows, by repeated reprojection of the volume",
	  .at = AT(jitter) },
	{ .name = "table", .kind = CLI_OUTPUT, .value = "FILE.csv",
	  .help = "--beads, --jitter: table of the views with source, detector, and residuals or shifts",
	  .at = AT(table) },
	{ .name = "picture", .kind = CLI_OUTPUT, .value = "FILE.png",
	  .help = "slices with the old and the new geometry; --beads: bead projections, centres, residuals; not for --jitter",
	  .at = AT(picture) },
	{ .name = "sweep", .kind = CLI_OUTPUT, .value = "FILE.html",
	  .help = "write a page with the central slice for several columns of the axis, and estimate nothing", .at = AT(sweep) },
	{ .name = "sweep-columns", .kind = CLI_TEXT, .value = "FIRST:LAST[:STEP]",
	  .help = "columns of --sweep, both ends included (default: 10 to both sides of the scan's axis)", .at = AT(sweep_columns) },
	{ .name = "iterations", .kind = CLI_INT, .value = "N",
	  .help = "maximum number of iterations (default 12; --jitter: 30)", .at = AT(iterations), .min = 1, .max = 1000 },
	{ .name = "columns", .kind = CLI_INT, .value = "N",
	  .help = "bin the detector to at most N columns (default 96; for the axis alone at most half of them)", .at = AT(columns),
	  .min = 16, .max = 4096 },
	{ .name = "views", .kind = CLI_INT, .value = "N",
	  .help = "use at most N views (default 180)", .at = AT(views), .min = 8, .max = 1e6 },
	{ .name = "backend", .kind = CLI_TEXT, .value = "NAME",
	  .help = "auto, cpu, cpu:THREADS, cuda or cuda:NUMBER (default: cpu)", .at = AT(backend) },
	{ .name = "threads", .kind = CLI_INT, .value = "N",
	  .help = "number of threads; 0 (default): one per processor", .at = AT(threads),
	  .min = 0, .max = 4096 },
	{ 0 },
};
/* clang-format on */

static double shown(int parameter) { return parameter == GT_CALIBRATE_CENTER || parameter == GT_CALIBRATE_DISTANCE ? 1 : GT_DEGREES; }
static const char *const units[GT_CALIBRATE_PARAMETERS] = { "pixels", "deg", "deg", "deg", "mm", "deg" };

static cJSON *report_of(const gt_calibration *c, const gt_scan *scan)
{
	cJSON *report = cJSON_CreateObject(), *list = cJSON_AddObjectToObject(report, "corrections");
	for (int k = 0; k < GT_CALIBRATE_PARAMETERS; k++) {
		if (!c->parameter[k].asked)
			continue;
		cJSON *item = cJSON_AddObjectToObject(list, gt_calibrate_names[k]);
		cJSON_AddBoolToObject(item, "told", c->parameter[k].identifiable);
		cJSON_AddNumberToObject(item, "value", c->parameter[k].value * shown(k));
		cJSON_AddNumberToObject(item, "standard_error", c->parameter[k].error * shown(k));
		cJSON_AddStringToObject(item, "unit", units[k]);
	}
	cJSON_AddNumberToObject(report, "column_center", scan->column_center);
	cJSON_AddNumberToObject(report, "residual_before", c->before);
	cJSON_AddNumberToObject(report, "residual_after", c->after);
	cJSON_AddNumberToObject(report, "iterations", c->iterations);
	cJSON_AddBoolToObject(report, "converged", c->converged);
	return report;
}

static void print(const gt_calibration *c, const gt_scan *scan)
{
	for (int k = 0; k < GT_CALIBRATE_PARAMETERS; k++) {
		if (c->parameter[k].asked && c->parameter[k].identifiable)
			printf("%-10s %+.4f +- %.4f %s\n", find_names[k], c->parameter[k].value * shown(k),
			       c->parameter[k].error * shown(k), units[k]);
		else if (c->parameter[k].asked)
			printf("%-10s not identifiable: unchanged\n", find_names[k]);
	}
	gt_axis_seen axis;
	gt_scan_see_axis(scan, &axis);
	printf("column of the central ray: %.4f", scan->column_center);
	if (fabs(axis.column - scan->column_center) > 0.005)
		printf("; the rotation axis is at column %.4f", axis.column);
	printf("\n");
	printf("residual of the line integrals: %.4g before, %.4g after %d iterations (root mean square)\n", c->before, c->after,
	       c->iterations);
}

gt_status app_calibrate_slices(const cli_call *call, const gt_projections *p, const gt_grid *grid, gt_volume **v)
{
	gt_recon *r = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_volume_new(grid, v));
	GT_TRY(gt_recon_new(p, &r));
	GT_TRY(gt_recon_set(r, "check", "no"));
	GT_TRY(gt_recon_set(r, "backend", "auto"));
	GT_TRY(gt_recon_set(r, "weights", "uniform"));
	st = gt_recon_run(r, *v);
	if (st == GT_ERR_UNSUPPORTED) {
		cli_note(call, "picture: by a few iterations, as %s", gt_error());
		GT_TRY(gt_recon_set(r, "solver", "os-sart:iterations=3"));
		GT_TRY(gt_recon_set(r, "projector", "joseph"));
		st = gt_recon_run(r, *v);
	}
done:
	gt_recon_free(r);
	return st;
}

gt_status app_calibrate_grid(const gt_scan *scan, gt_grid *g)
{
	const gt_status st = gt_grid_default(scan, g);
	if (st == GT_OK)
		gt_grid_coarsen(g, 256, g);
	return st;
}

static gt_status write_picture(const char *path, const gt_volume *before, const gt_volume *after)
{
	const gt_grid *g = gt_volume_grid(before);
	const size_t n = g->n[0] * g->n[1], at[] = { g->n[2] / 2, g->n[2] / 8 };
	const float *data[] = { gt_volume_data(before), gt_volume_data(after) };
	static const char *const labels[] = { "before, middle slice", "after, middle slice", "before, first eighth",
		                              "after, first eighth" };
	gt_picture picture[4];
	gt_sheet sheet = {
		.picture = picture, .pictures = g->n[2] > 7 ? 4 : 2, .per_line = 2, .unit = "mm-1", .title = "geometry before and after"
	};
	double *copy = malloc(n * sizeof *copy);
	if (!copy)
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	for (size_t i = 0; i < n; i++)
		copy[i] = data[1][at[0] * n + i];
	sheet.low = gt_quantile(copy, n, 0.01);
	sheet.high = gt_quantile(copy, n, 0.995);
	free(copy);
	if (!(sheet.high > sheet.low))
		sheet.high = sheet.low + 1;
	for (int k = 0; k < 4; k++)
		picture[k] = (gt_picture){ .data = data[k % 2] + at[k / 2] * n,
			                   .width = g->n[0],
			                   .height = g->n[1],
			                   .pixel_width = g->pitch[0],
			                   .pixel_height = g->pitch[1],
			                   .label = labels[k],
			                   .flip_y = 1 };
	cli_begin_writing();
	return cli_end_writing(gt_sheet_write(path, &sheet));
}

/* "center" is the previous name of "axis"; call NULL prints no note. */
static gt_status parse_find(const cli_call *call, const char *text, unsigned *what)
{
	char *copy = cli_text("%s,", text), *at = copy ? strstr(copy, "center,") : NULL;
	if (!copy)
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	if (at && (at == copy || at[-1] == ',')) {
		memcpy(at, "axis,", 5);
		memmove(at + 5, at + 7, strlen(at + 7) + 1);
		if (call)
			cli_note(call, "--find center is now --find axis; the next version drops the old name");
	}
	copy[strlen(copy) - 1] = 0;
	const gt_status st = cli_parse_names("--find", copy, find_names, GT_CALIBRATE_PARAMETERS, what);
	free(copy);
	return st;
}

/* Detectors of few columns: the axis alone is as exact with half of them, in a fifth of the time. */
static size_t default_columns(const gt_scan *scan, unsigned what, size_t usual)
{
	enum { MIN_COLUMNS = 32 };
	const size_t half = scan->columns / 2;
	if (what != 1u << GT_CALIBRATE_CENTER || half >= usual)
		return usual;
	return half > MIN_COLUMNS ? half : MIN_COLUMNS;
}

static gt_status calibrate(const cli_call *call, const app_calibrate_options *o, gt_projections *p, gt_calibration *c)
{
	gt_calibrate_options how = gt_calibrate_defaults;
	gt_volume *before = NULL, *after = NULL;
	gt_grid grid;
	gt_status st = GT_OK;
	GT_TRY(parse_find(call, o->find, &how.what));
	how.iterations = o->iterations ? (int)o->iterations : how.iterations;
	how.columns = o->columns ? (size_t)o->columns : default_columns(gt_projections_scan(p), how.what, how.columns);
	how.views = (size_t)o->views;
	how.threads = (int)o->threads;
	how.notes = call->log;
	how.backend = o->backend;
	if (o->picture) {
		GT_TRY(app_calibrate_grid(gt_projections_scan(p), &grid));
		GT_TRY(app_calibrate_slices(call, p, &grid, &before));
	}
	GT_TRY(gt_calibrate(p, &how, c));
	if (!c->converged)
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED,
		               "not converged after %d iterations: the last step is %.3g times the tolerance; "
		               "try --iterations %d, more --columns, or fewer --find parameters",
		               c->iterations, c->step, 3 * c->iterations));
	if (o->picture) {
		GT_TRY(app_calibrate_slices(call, p, &grid, &after));
		GT_TRY(write_picture(o->picture, before, after));
	}
done:
	gt_volume_free(before);
	gt_volume_free(after);
	return st;
}

static gt_status by_volume(const cli_call *call, const app_calibrate_options *o, gt_projections *p, char **parameters)
{
	gt_calibration c;
	const gt_status st = calibrate(call, o, p, &c);
	if (st != GT_OK)
		return st;
	if (call->common.json)
		cli_json(report_of(&c, gt_projections_scan(p)));
	else
		print(&c, gt_projections_scan(p));
	*parameters = cli_text("calibrate=center:%.9g,roll:%.9g,slant:%.9g,tilt:%.9g,distance:%.9g", c.parameter[0].value,
	                       c.parameter[1].value, c.parameter[2].value, c.parameter[3].value, c.parameter[4].value);
	return GT_OK;
}

static gt_status record(const cli_call *call, gt_projections *p, const char *parameters)
{
	const char *old = gt_projections_provenance(p)->parameters;
	char *text = parameters ? cli_text("%s%s%s", old ? old : "", old ? " " : "", parameters) : NULL;
	const gt_status st = text ? gt_projections_set_provenance(p, call->line, text, gt_projections_scan(p))
	                          : gt_fail(GT_ERR_MEMORY, "out of memory");
	free(text);
	return st;
}

static gt_status check_options(const app_calibrate_options *o, const gt_write_options *w)
{
	unsigned what;
	gt_status st = GT_OK;
	GT_TRY(parse_find(NULL, o->find, &what));
	if ((o->beads || o->jitter) && o->find != defaults.find)
		GT_TRY(gt_fail(GT_ERR_ARG, "--find: cannot be combined with --%s", o->beads ? "beads" : "jitter"));
	if (o->beads)
		GT_TRY(app_check_beads(o));
	else if (o->span > 0 || o->each_view)
		GT_TRY(gt_fail(GT_ERR_ARG, "%s: applies to --beads alone", o->each_view ? "--each-view" : "--span"));
	if (o->table && !o->beads && !o->jitter)
		GT_TRY(gt_fail(GT_ERR_ARG, "--table: applies to --beads and --jitter alone"));
	if (o->sweep_columns && !o->sweep)
		GT_TRY(gt_fail(GT_ERR_ARG, "--sweep-columns: applies to --sweep alone"));
	if (o->sweep && (o->output || o->picture || o->table || o->beads || o->jitter))
		GT_TRY(gt_fail(GT_ERR_ARG, "--sweep: writes a page and estimates nothing: cannot be combined with --%s",
		               o->output    ? "output"
		               : o->picture ? "picture"
		               : o->table   ? "table"
		               : o->beads   ? "beads"
		                            : "jitter"));
	if (o->sweep && !gt_page_is_name(o->sweep))
		GT_TRY(gt_fail(GT_ERR_ARG, "--sweep=%s: expected a name that ends in .html", o->sweep));
	if (o->sweep)
		GT_TRY(gt_can_write(o->sweep));
	if (o->output)
		GT_TRY(gt_can_write_projections(o->output, w));
	if (o->picture)
		GT_TRY(gt_can_write_sheet(o->picture));
	if (o->table)
		GT_TRY(gt_can_write(o->table));
done:
	return st;
}

static int run(const cli_call *call, const void *given)
{
	const app_calibrate_options *o = given;
	gt_projections *p = NULL;
	char *parameters = NULL;
	gt_write_options w = gt_write_defaults;
	gt_status st = GT_OK;
	GT_TRY(check_options(o, &w));
	GT_TRY(cli_read_scan(call, call->file[0], CLI_WITH_DATA, &p));
	if (o->sweep) {
		GT_TRY(app_calibrate_sweep(call, o, p));
		goto done;
	}
	if (o->output)
		GT_TRY(gt_has_space_for_projections(o->output, &w, gt_projections_scan(p)));
	GT_TRY((o->beads ? app_calibrate_beads : o->jitter ? app_calibrate_jitter : by_volume)(call, o, p, &parameters));
	GT_TRY(record(call, p, parameters));
	if (o->output)
		GT_TRY(cli_write_projections(o->output, &w, p));
done:
	free(parameters);
	gt_projections_free(p);
	return cli_exit(call, st);
}

const cli_command cli_calibrate = {
	.name = "calibrate",
	.about = "estimate the geometry of a scan from its projections, or from a bead phantom",
	.synopsis = "SCAN -o CORRECTED.nc [options]",
	.notes = "Without -o it only prints the estimates. "
		 "roll rotates the detector in its plane, from the columns towards the rows.\n\n"
		 "  gantry calibrate scan.nc -o corrected.nc --picture report.png\n"
		 "  gantry calibrate microct.nc -o corrected.nc --find axis,roll,slant\n"
		 "  gantry calibrate scan.nc --sweep axis.html --sweep-columns 30:38:0.5\n"
		 "  gantry calibrate beads.nc --beads 12 --span 80mm -o corrected.nc --table views.csv\n"
		 "  gantry calibrate scan.nc --jitter -o steady.nc --table shifts.csv\n",
	.traits = CLI_REPORTS,
	.options = options,
	.defaults = &defaults,
	.options_size = sizeof defaults,
	.min_files = 1,
	.max_files = 1,
	.run = run,
};
