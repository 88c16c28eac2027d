/* gantry calibrate --beads: geometry from a bead phantom, with report, table of views and picture. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/calibrate.h>
#include <gantry/author/constants.h>
#include <gantry/image.h>
#include "apps/cli/try.h"
#include "apps/commands/calibrate.h"
#include "io/png.h"

static const char *const units[GT_BEADS_PARAMETERS] = { "pixels", "pixels", "deg", "deg", "deg", "mm", "mm" };
static double shown(int parameter) { return parameter >= GT_BEADS_ROLL && parameter <= GT_BEADS_TILT ? GT_DEGREES : 1; }

const char app_view_columns[] = "source_x,source_y,source_z,detector_x,detector_y,detector_z,column_axis_x,column_axis_y,column_axis_z,"
				"row_axis_x,row_axis_y,row_axis_z";

void app_print_number(FILE *f, double x)
{
	if (isfinite(x))
		fprintf(f, ",%.10g", x);
	else
		fputc(',', f);
}

void app_print_view(FILE *f, const gt_scan *scan, size_t v)
{
	const gt_view *w = &scan->view[v];
	const double *const all[] = { w->source, w->detector, w->column_axis, w->row_axis };
	for (int k = 0; k < 4; k++)
		for (int a = 0; a < 3; a++)
			app_print_number(f, all[k][a]);
}

/* Returns 1 and sets *n if the text is an integer. */
static int is_number(const char *text, size_t *n)
{
	char *end;
	const long value = strtol(text, &end, 10);
	if (end == text || *end)
		return 0;
	*n = value < 0 ? 0 : (size_t)value;
	return 1;
}

gt_status app_check_beads(const app_calibrate_options *o)
{
	size_t n;
	if (o->jitter)
		return gt_fail(GT_ERR_ARG, "--beads and --jitter cannot be combined");
	if (is_number(o->beads, &n) && (n < GT_BEADS_MIN || n > GT_BEADS_MAX))
		return gt_fail(GT_ERR_ARG, "--beads=%s: expected %d to %d beads, or a file with their positions", o->beads, GT_BEADS_MIN,
		               GT_BEADS_MAX);
	if (!is_number(o->beads, &n) && o->span > 0)
		return gt_fail(GT_ERR_ARG, "--span: not needed, because %s holds the positions of the beads", o->beads);
	return GT_OK;
}

static cJSON *numbers(const double *x, size_t n) { return cJSON_CreateDoubleArray(x, (int)n); }

static cJSON *report_of(const gt_beads_report *r, const gt_scan *scan)
{
	cJSON *report = cJSON_CreateObject(), *list = cJSON_AddObjectToObject(report, "corrections");
	for (int k = 0; k < GT_BEADS_PARAMETERS; k++) {
		cJSON *item = cJSON_AddObjectToObject(list, gt_beads_names[k]);
		cJSON_AddBoolToObject(item, "told", r->identifiable[k]);
		cJSON_AddNumberToObject(item, "value", r->value[k] * shown(k));
		cJSON_AddNumberToObject(item, "standard_error", r->error[k] * shown(k));
		cJSON_AddStringToObject(item, "unit", units[k]);
	}
	cJSON *beads = cJSON_AddArrayToObject(report, "beads");
	for (size_t k = 0; k < r->beads; k++) {
		cJSON *item = cJSON_CreateObject();
		size_t seen = 0;
		for (size_t v = 0; v < r->views; v++)
			seen += isfinite(r->sight[v * r->beads + k].column);
		cJSON_AddItemToObject(item, "place", numbers(r->place[k], 3));
		cJSON_AddItemToObject(item, "standard_error", numbers(r->place_error[k], 3));
		cJSON_AddNumberToObject(item, "views", (double)seen);
		cJSON_AddItemToArray(beads, item);
	}
	cJSON_AddNumberToObject(report, "column_center", scan->column_center);
	cJSON_AddNumberToObject(report, "row_center", scan->row_center);
	cJSON_AddNumberToObject(report, "shadows", (double)r->seen);
	cJSON_AddNumberToObject(report, "views_alone", (double)r->views_alone);
	cJSON_AddNumberToObject(report, "residual_before", r->before);
	cJSON_AddNumberToObject(report, "residual_after", r->after);
	return report;
}

static void print(const gt_beads_report *r, const gt_scan *scan)
{
	for (int k = 0; k < GT_BEADS_PARAMETERS; k++)
		if (r->identifiable[k])
			printf("%-10s %+.4f +- %.4f %s\n", gt_beads_names[k], r->value[k] * shown(k), r->error[k] * shown(k), units[k]);
		else
			printf("%-10s not identifiable: unchanged%s\n", gt_beads_names[k],
			       k == GT_BEADS_AXIS ? " (it needs a known length: --span, or the positions of the beads)" : "");
	printf("central ray: column %.4f, row %.4f\n", scan->column_center, scan->row_center);
	for (size_t k = 0; k < r->beads; k++) {
		double sum = 0, worst = 0;
		size_t n = 0;
		for (size_t v = 0; v < r->views; v++) {
			const gt_bead_sight *s = &r->sight[v * r->beads + k];
			if (!isfinite(s->column))
				continue;
			const double off = hypot(s->column - s->model_column, s->row - s->model_row);
			sum += off * off;
			worst = fmax(worst, off);
			n++;
		}
		printf("bead %2zu at %9.4f %9.4f %9.4f mm: %zu of %zu views, residual %.4f pixels (root mean square), maximum %.3f\n",
		       k + 1, r->place[k][0], r->place[k][1], r->place[k][2], n, r->views, n ? sqrt(sum / (double)n) : 0, worst);
	}
	if (r->views_alone)
		printf("%zu of %zu views: independent geometry\n", r->views_alone, r->views);
	printf("%zu bead projections: residual %.4f pixels before, %.4f after (root mean square of a coordinate)\n", r->seen, r->before,
	       r->after);
}

typedef struct {
	const gt_beads_report *r;
	const gt_scan *scan;
} table;

static void write_table(FILE *f, const void *self)
{
	const table *t = self;
	fprintf(f, "view,%s,shadows,residual_pixels,source_error_mm,detector_error_mm\n", app_view_columns);
	for (size_t v = 0; v < t->r->views; v++) {
		size_t n = 0;
		for (size_t k = 0; k < t->r->beads; k++)
			n += isfinite(t->r->sight[v * t->r->beads + k].column);
		fprintf(f, "%zu", v);
		app_print_view(f, t->scan, v);
		fprintf(f, ",%zu", n);
		app_print_number(f, t->r->view_rms[v]);
		app_print_number(f, t->r->view_error[v][0]);
		app_print_number(f, t->r->view_error[v][1]);
		fputc('\n', f);
	}
}

enum { LINE = 6 };

/* Marks the projected bead centres in `marked` with the value `top`, and draws residuals into `left`, LINE lines per
 * bead. Returns the maximum residual. */
static float mark(const gt_beads_report *r, const gt_scan *s, float top, float *marked, float *left)
{
	float worst = 0;
	for (size_t i = 0; i < r->views * r->beads; i++) {
		const gt_bead_sight *at = &r->sight[i];
		const long k = lround(at->model_column), l = lround(at->model_row);
		if (!isfinite(at->column))
			continue;
		if (k >= 0 && l >= 0 && k < (long)s->columns && l < (long)s->rows)
			marked[(size_t)l * s->columns + (size_t)k] = top;
		const float off = (float)hypot(at->column - at->model_column, at->row - at->model_row);
		worst = fmaxf(worst, off);
		for (size_t line = 0; line < LINE - 1; line++)
			left[((i % r->beads) * LINE + line) * r->views + i / r->beads] = off;
	}
	return worst;
}

/* Draws the maximum over all views, a copy with the projected bead centres, and the residuals. */
static gt_status write_picture(const char *path, const gt_projections *p, const gt_beads_report *r)
{
	const gt_scan *s = gt_projections_scan(p);
	const size_t n = s->rows * s->columns;
	const float *data = gt_projections_data(p);
	float *max = malloc(n * sizeof *max), *marked = malloc(n * sizeof *marked);
	float *left = calloc(r->beads * LINE * r->views, sizeof *left), top = 0, worst = 0;
	gt_status st = max && marked && left ? GT_OK : gt_fail(GT_ERR_MEMORY, "out of memory");
	GT_TRY(st);
	for (size_t i = 0; i < n; i++) {
		max[i] = data[i];
		for (size_t v = 1; v < s->views; v++)
			max[i] = fmaxf(max[i], data[v * n + i]);
		top = fmaxf(top, max[i]);
		marked[i] = max[i] / 2;
	}
	worst = mark(r, s, top, marked, left);
	char label[96];
	snprintf(label, sizeof label, "residuals: bead by view, white %.3g pixels", (double)worst);
	for (size_t i = 0; i < r->beads * LINE * r->views; i++)
		left[i] *= worst > 0 ? top / worst : 0;
	const gt_picture picture[] = {
		{ .data = max,
		  .width = s->columns,
		  .height = s->rows,
		  .pixel_width = s->column_pitch,
		  .pixel_height = s->row_pitch,
		  .label = "maximum of all views",
		  .flip_y = 1 },
		{ .data = marked,
		  .width = s->columns,
		  .height = s->rows,
		  .pixel_width = s->column_pitch,
		  .pixel_height = s->row_pitch,
		  .label = "centres by the estimated geometry",
		  .flip_y = 1 },
		{ .data = left, .width = r->views, .height = r->beads * LINE, .pixel_width = 1, .pixel_height = 1, .label = label },
	};
	const gt_sheet sheet = {
		.picture = picture, .pictures = 3, .per_line = 2, .high = top > 0 ? top : 1, .unit = "line integral", .title = "beads"
	};
	cli_begin_writing();
	st = cli_end_writing(gt_sheet_write(path, &sheet));
done:
	free(max);
	free(marked);
	free(left);
	return st;
}

gt_status app_calibrate_beads(const cli_call *call, const app_calibrate_options *o, gt_projections *p, char **parameters)
{
	gt_beads_options how = gt_beads_defaults;
	gt_beads_report r = { 0 };
	double(*place)[3] = NULL;
	gt_status st = GT_OK;
	if (!is_number(o->beads, &how.beads))
		GT_TRY(gt_beads_read(o->beads, &place, &how.beads));
	how.place = (const double(*)[3])place;
	how.span = o->span;
	how.each_view = o->each_view;
	how.notes = call->log;
	GT_TRY(gt_calibrate_beads(p, &how, &r));
	const table t = { &r, gt_projections_scan(p) };
	if (o->picture)
		GT_TRY(write_picture(o->picture, p, &r));
	if (o->table)
		GT_TRY(cli_write_text(o->table, write_table, &t));
	if (call->common.json)
		cli_json(report_of(&r, t.scan));
	else
		print(&r, t.scan);
	*parameters = cli_text("beads=%zu:center:%.9g,row:%.9g,roll:%.9g,slant:%.9g,tilt:%.9g,distance:%.9g,axis:%.9g,views-alone:%zu",
	                       r.beads, r.value[0], r.value[1], r.value[2], r.value[3], r.value[4], r.value[5], r.value[6], r.views_alone);
done:
	free(place);
	gt_beads_free(&r);
	return st;
}
