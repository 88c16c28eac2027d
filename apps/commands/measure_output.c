/* Output of gantry measure as JSON, text, CSV and a figure. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <gantry/io.h>
#include "apps/cli/cli.h"
#include "apps/cli/gnuplot.h"
#include "apps/cli/try.h"
#include "apps/commands/measure_output.h"

static void add(cJSON *to, const char *key, double value)
{
	if (isfinite(value))
		cJSON_AddNumberToObject(to, key, value);
	else
		cJSON_AddNullToObject(to, key);
}

cJSON *app_measured_roi(const gt_roi *roi, const gt_roi_figures *f)
{
	cJSON *item = cJSON_CreateObject();
	cJSON_AddItemToObject(item, "center", cJSON_CreateDoubleArray(roi->center, 3));
	add(item, "radius", roi->radius);
	add(item, "height", roi->height);
	add(item, "voxels", (double)f->count);
	add(item, "mean", f->mean);
	add(item, "sd", f->sd);
	add(item, "standard_error", f->error);
	add(item, "least", f->min);
	add(item, "most", f->max);
	return item;
}

void app_measured_curve(cJSON *report, const char *name, const char *x_unit, const char *y_unit, const gt_curve *c, const double *instead)
{
	cJSON *curves = cJSON_GetObjectItem(report, "curves"), *item = cJSON_CreateObject();
	if (!curves)
		curves = cJSON_AddArrayToObject(report, "curves");
	cJSON_AddStringToObject(item, "name", name);
	cJSON_AddStringToObject(item, "x_unit", x_unit);
	cJSON_AddStringToObject(item, "y_unit", y_unit);
	cJSON_AddItemToObject(item, "x", cJSON_CreateDoubleArray(c->frequency, (int)c->n));
	cJSON_AddItemToObject(item, "y", cJSON_CreateDoubleArray(instead ? instead : c->value, (int)c->n));
	cJSON_AddItemToArray(curves, item);
}

void app_measured_mtf(cJSON *report, const gt_mtf *m)
{
	cJSON *item = cJSON_AddObjectToObject(report, "mtf");
	add(item, "f50", m->f50);
	add(item, "f10", m->f10);
	add(item, "line_spread_width", m->width);
	add(item, "disc_x", m->center[0]);
	add(item, "disc_y", m->center[1]);
	add(item, "disc_radius", m->radius);
	add(item, "inside", m->inside);
	add(item, "outside", m->outside);
	add(item, "contrast_to_noise", m->noise > 0 ? fabs(m->inside - m->outside) / m->noise : NAN);
	app_measured_curve(report, "MTF", "1/mm", "1", &m->mtf, NULL);
}

void app_measured_nps(cJSON *report, const gt_nps *s)
{
	cJSON *item = cJSON_AddObjectToObject(report, "nps");
	add(item, "squares", (double)s->squares);
	add(item, "variance", s->variance);
	add(item, "sum", s->sum);
	add(item, "peak_frequency", s->peak);
	add(item, "mean_frequency", s->mean);
	app_measured_curve(report, "NPS", "1/mm", "unit^2 mm^2", &s->radial, NULL);
}

void app_measured_fsc(cJSON *report, const gt_fsc *f)
{
	cJSON *item = cJSON_AddObjectToObject(report, "fsc");
	add(item, "resolution_half_bit", f->resolution);
	add(item, "resolution_0.143", f->resolution_143);
	app_measured_curve(report, "FSC", "1/mm", "1", &f->fsc, NULL);
	app_measured_curve(report, "half bit", "1/mm", "1", &f->fsc, f->half_bit);
}

static void print_number(const cJSON *number)
{
	if (cJSON_IsNumber(number))
		printf(" %.6g", number->valuedouble);
	else
		printf(" -");
}

void app_measured_print(const cJSON *report, const char *unit)
{
	const cJSON *item, *number;
	int i = 0;
	cJSON_ArrayForEach(item, cJSON_GetObjectItem(report, "regions"))
	{
		printf("region %d (%s)\n", i++, unit);
		cJSON_ArrayForEach(number, item)
		{
			if (cJSON_IsArray(number))
				continue;
			printf("  %-20s", number->string);
			print_number(number);
			printf("\n");
		}
	}
	static const char *const parts[] = { "mtf", "nps", "fsc" };
	for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
		const cJSON *part = cJSON_GetObjectItem(report, parts[k]);
		if (!part)
			continue;
		printf("%s (mm, 1/mm, %s)\n", parts[k], unit);
		cJSON_ArrayForEach(number, part)
		{
			printf("  %-20s", number->string);
			print_number(number);
			printf("\n");
		}
	}
	cJSON_ArrayForEach(item, cJSON_GetObjectItem(report, "curves"))
		printf("curve %s: %d points (-o FILE.csv writes them, --plot draws them)\n", cJSON_GetObjectItem(item, "name")->valuestring,
	               cJSON_GetArraySize(cJSON_GetObjectItem(item, "x")));
}

/* Writes all figures of an item, as "region 0 mean,0,0.02,,". */
static void write_figures(FILE *file, const char *name, int number, const cJSON *item)
{
	const cJSON *figure;
	cJSON_ArrayForEach(figure, item) if (cJSON_IsNumber(figure))
		fprintf(file, "%s %s,%d,%.9g,,\n", name, figure->string, number, figure->valuedouble);
}

static void write_rows(FILE *file, const void *self)
{
	static const char *const kinds[] = { "mtf", "nps", "fsc" };
	const cJSON *report = self, *item;
	int i = 0;
	fprintf(file, "curve,x,y,x_unit,y_unit\n");
	cJSON_ArrayForEach(item, cJSON_GetObjectItem(report, "curves"))
	{
		const cJSON *x = cJSON_GetObjectItem(item, "x")->child, *y = cJSON_GetObjectItem(item, "y")->child;
		for (; x && y; x = x->next, y = y->next)
			fprintf(file, "%s,%.9g,%.9g,%s,%s\n", cJSON_GetObjectItem(item, "name")->valuestring, x->valuedouble,
			        y->valuedouble, cJSON_GetObjectItem(item, "x_unit")->valuestring,
			        cJSON_GetObjectItem(item, "y_unit")->valuestring);
	}
	cJSON_ArrayForEach(item, cJSON_GetObjectItem(report, "regions"))
	{
		char name[32];
		snprintf(name, sizeof name, "region %d", i);
		write_figures(file, name, i++, item);
	}
	for (int k = 0; k < 3; k++)
		write_figures(file, kinds[k], 0, cJSON_GetObjectItem(report, kinds[k]));
}

gt_status app_measured_csv(const char *path, const cJSON *report) { return cli_write_text(path, write_rows, report); }

static void write_script(FILE *file, const char *picture, const cJSON *report)
{
	const cJSON *item;
	const int n = cJSON_GetArraySize(cJSON_GetObjectItem(report, "curves"));
	fprintf(file, "set terminal png size 800,%d\nset output ", 360 * n);
	app_gnuplot_quote(file, "%s", picture);
	fprintf(file, "\nset multiplot layout %d,1\nset grid\n", n);
	cJSON_ArrayForEach(item, cJSON_GetObjectItem(report, "curves"))
	{
		const cJSON *x = cJSON_GetObjectItem(item, "x")->child, *y = cJSON_GetObjectItem(item, "y")->child;
		fprintf(file, "set title ");
		app_gnuplot_quote(file, "%s", cJSON_GetObjectItem(item, "name")->valuestring);
		fprintf(file, "\nset xlabel ");
		app_gnuplot_quote(file, "%s", cJSON_GetObjectItem(item, "x_unit")->valuestring);
		fprintf(file, "\nset ylabel ");
		app_gnuplot_quote(file, "%s", cJSON_GetObjectItem(item, "y_unit")->valuestring);
		fprintf(file, "\nplot '-' with lines notitle\n");
		for (; x && y; x = x->next, y = y->next)
			fprintf(file, "%.9g %.9g\n", x->valuedouble, y->valuedouble);
		fprintf(file, "e\n");
	}
}

gt_status app_measured_plot(const char *path, const cJSON *report)
{
	char *picture = NULL, *script = NULL, *log = NULL, text[256] = "";
	FILE *file = NULL;
	gt_status st = GT_OK;
	if (!cJSON_GetObjectItem(report, "curves"))
		return gt_fail(GT_ERR_ARG, "--plot: there is no curve to draw; expected --profile, --mtf, --nps or --fsc");
	GT_TRY(gt_tmp_path(path, &picture));
	GT_TRY(gt_tmp_path(path, &script));
	GT_TRY(gt_tmp_path(path, &log));
	if (!(file = fopen(script, "w")))
		GT_TRY(gt_fail(GT_ERR_IO, "%s: %s", path, strerror(errno)));
	write_script(file, picture, report);
	if (fclose(file) != 0)
		GT_TRY(gt_fail(GT_ERR_IO, "%s: %s", path, strerror(errno)));
	if (app_gnuplot(NULL, log, NULL, script) != 0) {
		app_gnuplot_message(log, text, sizeof text);
		GT_TRY(gt_fail(GT_ERR_IO, "%s: gnuplot: %s", path, text));
	}
	st = gt_tmp_commit(picture, path);
	picture = NULL;
done:
	if (picture)
		gt_tmp_drop(picture);
	if (script)
		gt_tmp_drop(script);
	if (log)
		gt_tmp_drop(log);
	return st;
}
