/* gantry measure: regions, profiles, sharpness and noise of a volume, agreement of two half scans. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/metrics.h>
#include "apps/cli/cli.h"
#include "apps/cli/gnuplot.h"
#include "apps/cli/try.h"
#include "apps/commands/measure_output.h"
#include "core/params.h"

typedef struct {
	const char *output, *plot, *roi, *profile, *mtf, *nps, *fsc;
	double water;
	int unit;
	long long points, side;
} measure_options;
static const char *const units[] = { "mm-1", "HU", NULL };
static const measure_options defaults = { .points = 200, .side = 64 };
#define AT(field) offsetof(measure_options, field)
/* clang-format off */
static const cli_option options[] = {
	{ .name = "roi", .kind = CLI_TEXT, .value = "X,Y,Z,RADIUS[,HEIGHT];...",
	  .help = "regions (mm, or with units): mean, standard deviation, standard error; contrast to noise against the first",
	  .at = AT(roi) },
	{ .name = "profile", .kind = CLI_TEXT, .value = "X,Y,Z,X,Y,Z",
	  .help = "values along a line, from the first point to the second, mm",
	  .at = AT(profile) },
	{ .name = "points", .kind = CLI_INT, .value = "N",
	  .help = "number of points of --profile (default 200)", .at = AT(points), .min = 2, .max = 1e6 },
	{ .name = "mtf", .kind = CLI_TEXT, .value = "X,Y,RADIUS[,Z,HEIGHT]",
	  .help = "MTF from the edge of the disc or cylinder with this centre and radius, mm (default: all slices)", .at = AT(mtf) },
	{ .name = "nps", .kind = CLI_TEXT, .value = "X,Y,Z,RADIUS[,HEIGHT]",
	  .help = "noise power spectrum in this region, mm; of the difference if a second volume is given", .at = AT(nps) },
	{ .name = "side", .kind = CLI_INT, .value = "N",
	  .help = "side of the squares of --nps, in voxels (default 64)", .at = AT(side), .min = 8, .max = 512 },
	{ .name = "fsc", .kind = CLI_INPUT, .value = "VOLUME",
	  .help = "Fourier shell correlation with the volume of the other half of the views",
	  .at = AT(fsc) },
	{ .name = "output", .letter = 'o', .kind = CLI_OUTPUT, .value = "FILE.csv",
	  .help = "write all figures and curves as a table", .at = AT(output) },
	{ .name = "plot", .kind = CLI_OUTPUT, .value = "FILE.png", .help = "draw all curves (needs gnuplot)", .at = AT(plot) },
	{ .name = "unit", .kind = CLI_CHOICE, .help = "unit of the values (default mm-1)", .at = AT(unit), .names = units },
	{ .name = "water", .kind = CLI_REAL, .value = "MM-1",
	  .help = "attenuation of water in mm-1, for HU (default: from the file, else 0.02)",
	  .at = AT(water), .min = 1e-9, .max = 1e3 },
	{ 0 },
};
/* clang-format on */

/* Parses lengths in mm or with a unit, separated by commas, up to ';' or the end (*end). Returns their number. */
static size_t numbers(const char *text, double *x, size_t max, const char **end)
{
	size_t n = 0;
	while (n < max) {
		char one[64];
		const size_t length = strcspn(text, ",;");
		if (length >= sizeof one)
			return 0;
		memcpy(one, text, length);
		one[length] = 0;
		if (gt_parse_length("", one, -1e9, 1e9, &x[n]) != GT_OK)
			return 0;
		n++;
		text += length;
		if (*text != ',')
			break;
		text++;
	}
	*end = text;
	return *text == 0 || *text == ';' ? n : 0;
}

static gt_status parse_roi(const char *option, const char **text, gt_roi *roi)
{
	double x[5] = { 0 };
	const char *end = *text;
	const size_t n = numbers(*text, x, 5, &end);
	if (n < 4 || !(x[3] > 0) || (n == 5 && x[4] < 0))
		return gt_fail(GT_ERR_ARG, "%s=%s: expected X,Y,Z,RADIUS or X,Y,Z,RADIUS,HEIGHT in mm", option, *text);
	*roi = (gt_roi){ { x[0], x[1], x[2] }, x[3], n == 5 ? x[4] : 0 };
	*text = end;
	return GT_OK;
}

static gt_status measure_rois(const char *text, const app_measured *v, cJSON *report)
{
	cJSON *list = cJSON_AddArrayToObject(report, "regions");
	gt_roi_figures first = { 0 };
	for (int i = 0;; i++, text++) {
		gt_roi roi;
		gt_roi_figures f;
		gt_status st = parse_roi("--roi", &text, &roi);
		if (st != GT_OK || (st = gt_roi_measure(v->grid, v->data, &roi, &f)) != GT_OK)
			return st;
		cJSON *item = app_measured_roi(&roi, &f);
		if (i == 0)
			first = f;
		else if (f.sd > 0 || first.sd > 0)
			cJSON_AddNumberToObject(item, "contrast_to_noise", gt_contrast_to_noise(&first, &f));
		cJSON_AddItemToArray(list, item);
		if (!*text)
			return GT_OK;
	}
}

static gt_status measure_profile(const measure_options *o, const app_measured *v, cJSON *report)
{
	double x[6];
	const char *end = "";
	const size_t n = (size_t)o->points;
	if (numbers(o->profile, x, 6, &end) != 6 || *end)
		return gt_fail(GT_ERR_ARG, "--profile=%s: expected two points X,Y,Z,X,Y,Z in mm", o->profile);
	gt_curve c = { malloc(n * sizeof(double)), malloc(n * sizeof(double)), n };
	gt_status st = c.frequency && c.value ? gt_line_profile(v->grid, v->data, x, x + 3, n, c.value)
	                                      : gt_fail(GT_ERR_MEMORY, "out of memory");
	for (size_t i = 0; st == GT_OK && i < n; i++)
		c.frequency[i] = sqrt(pow(x[3] - x[0], 2) + pow(x[4] - x[1], 2) + pow(x[5] - x[2], 2)) * (double)i / (double)(n - 1);
	if (st == GT_OK)
		app_measured_curve(report, "profile", "mm", v->unit, &c, NULL);
	gt_curve_free(&c);
	return st;
}

static gt_status measure_mtf(const char *text, const app_measured *v, cJSON *report)
{
	double x[5] = { 0 };
	const char *end = "";
	const size_t n = numbers(text, x, 5, &end);
	gt_disc disc = { { x[0], x[1] }, x[2], 0, v->grid->n[2] };
	gt_mtf m;
	if ((n != 3 && n != 5) || *end || !(x[2] > 0))
		return gt_fail(GT_ERR_ARG, "--mtf=%s: expected X,Y,RADIUS or X,Y,RADIUS,Z,HEIGHT in mm", text);
	if (n == 5) {
		const double low = (x[3] - x[4] / 2 - gt_grid_first(v->grid, 2)) / v->grid->pitch[2], high = low + x[4] / v->grid->pitch[2];
		if (!(high >= 0 && low <= (double)v->grid->n[2] - 1))
			return gt_fail(GT_ERR_ARG, "--mtf=%s: found no slice of the volume in this range of z", text);
		disc.first = low > 0 ? (size_t)ceil(low) : 0;
		const double last = fmin(floor(high), (double)v->grid->n[2] - 1);
		disc.slices = last >= (double)disc.first ? (size_t)last - disc.first + 1 : 0;
	}
	const gt_status st = gt_mtf_of_disc(v->grid, v->data, &disc, &m);
	if (st != GT_OK)
		return st;
	app_measured_mtf(report, &m);
	gt_curve_free(&m.mtf);
	return GT_OK;
}

static gt_status measure_nps(const measure_options *o, const app_measured *v, const float *other, cJSON *report)
{
	const char *text = o->nps;
	gt_roi roi;
	gt_nps s;
	gt_status st = parse_roi("--nps", &text, &roi);
	if (st == GT_OK && *text)
		st = gt_fail(GT_ERR_ARG, "--nps=%s: expected one region", o->nps);
	if (st != GT_OK || (st = gt_nps_measure(v->grid, v->data, other, &roi, (size_t)o->side, &s)) != GT_OK)
		return st;
	app_measured_nps(report, &s);
	gt_curve_free(&s.radial);
	return GT_OK;
}

static gt_status measure_fsc(const cli_call *call, const char *path, const app_measured *v, cJSON *report)
{
	gt_volume *other = NULL;
	gt_fsc f = { .half_bit = NULL };
	gt_status st = GT_OK;
	GT_TRY(cli_read_volume(call, path, &other));
	if (!gt_grid_same(v->grid, gt_volume_grid(other)))
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "%s: another grid than that of the first volume", path));
	GT_TRY(gt_fsc_measure(v->grid, v->data, gt_volume_data(other), &f));
	app_measured_fsc(report, &f);
done:
	gt_fsc_free(&f);
	gt_volume_free(other);
	return st;
}

static gt_status measure(const cli_call *call, const measure_options *o, const app_measured *v, const gt_volume *second, cJSON *report)
{
	gt_status st = GT_OK;
	if (o->roi)
		GT_TRY(measure_rois(o->roi, v, report));
	if (o->profile)
		GT_TRY(measure_profile(o, v, report));
	if (o->mtf)
		GT_TRY(measure_mtf(o->mtf, v, report));
	if (o->nps)
		GT_TRY(measure_nps(o, v, second ? gt_volume_data(second) : NULL, report));
	if (o->fsc)
		GT_TRY(measure_fsc(call, o->fsc, v, report));
done:
	return st;
}

static void to_unit(const measure_options *o, gt_volume *v)
{
	const double own = gt_volume_water(v), water = o->water > 0 ? o->water : own > 0 ? own : GT_WATER_DEFAULT;
	float *x = gt_volume_data(v);
	for (size_t i = 0; o->unit == GT_HU && i < gt_grid_voxels(gt_volume_grid(v)); i++)
		x[i] = (float)(1000 * (x[i] - water) / water);
}

static int run(const cli_call *call, const void *given)
{
	const measure_options *o = given;
	gt_volume *v = NULL, *second = NULL;
	cJSON *report = cJSON_CreateObject();
	gt_status st = GT_OK;
	if (!o->roi && !o->profile && !o->mtf && !o->nps && !o->fsc)
		GT_TRY(gt_fail(GT_ERR_ARG, "nothing to measure: expected --roi, --profile, --mtf, --nps or --fsc"));
	if (o->output)
		GT_TRY(gt_can_write(o->output));
	if (o->plot)
		GT_TRY(app_gnuplot_check());
	GT_TRY(cli_read_volume(call, call->file[0], &v));
	if (call->files > 1) {
		GT_TRY(cli_read_volume(call, call->file[1], &second));
		if (!gt_grid_same(gt_volume_grid(v), gt_volume_grid(second)))
			GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "%s: another grid than that of the first volume", call->file[1]));
		to_unit(o, second);
	}
	to_unit(o, v);
	const app_measured m = { gt_volume_grid(v), gt_volume_data(v), units[o->unit] };
	GT_TRY(measure(call, o, &m, second, report));
	if (o->output)
		GT_TRY(app_measured_csv(o->output, report));
	if (o->plot)
		GT_TRY(app_measured_plot(o->plot, report));
	if (call->common.json)
		cli_json(report);
	else
		app_measured_print(report, units[o->unit]);
	if (call->common.json)
		report = NULL;
done:
	cJSON_Delete(report);
	gt_volume_free(v);
	gt_volume_free(second);
	return cli_exit(call, st);
}

const cli_command cli_measure = {
	.name = "measure",
	.about = "measure a volume: regions, line profiles, MTF, NPS, contrast to noise, FSC of two half scans",
	.synopsis = "VOLUME [SECOND] [options]",
	.notes = "  gantry measure vol.nc --roi '0,0,0,20;40,10,0,8' --unit HU\n"
		 "  gantry measure vol.nc --mtf 0,0,20 --nps 0,0,0,60 -o curves.csv --plot curves.png\n"
		 "  gantry measure even.nc --fsc odd.nc    half scans: gantry prepare --views 0::2 and 1::2, then recon of both\n",
	.traits = CLI_REPORTS,
	.options = options,
	.defaults = &defaults,
	.options_size = sizeof defaults,
	.min_files = 1,
	.max_files = 2,
	.run = run,
};
