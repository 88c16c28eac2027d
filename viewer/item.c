/* Writes the description of a volume or of projections as one JSON object: positions, units, window, scan, source. */
#include <math.h>
#include <string.h>
#include <gantry/author/constants.h>
#include <gantry/author/scan_math.h>
#include "geometry/patient_position.h"
#include "viewer/html.h"
#include "viewer/page.h"

/* Maximum number of drawn views; points of a detector arc. */
enum { DRAWN_VIEWS = 360, ARC_POINTS = 9 };

static void put_numbers(FILE *f, const char *key, const double *x, size_t n)
{
	fprintf(f, ",\"%s\":[", key);
	for (size_t i = 0; i < n; i++) {
		if (i)
			putc(',', f);
		gt_write_json_number(f, x[i]);
	}
	putc(']', f);
}

static void put_number(FILE *f, const char *key, double x)
{
	fprintf(f, ",\"%s\":", key);
	gt_write_json_number(f, x);
}

/* One line of the table of facts. */
static void put_fact(FILE *f, const char *key, const char *value)
{
	if (!value || !value[0])
		return;
	fputs(",[", f);
	gt_write_json_text(f, key);
	putc(',', f);
	gt_write_json_text(f, value);
	putc(']', f);
}

static void put_origin(FILE *f, const gt_provenance *p)
{
	char hash[32];
	if (!p)
		return;
	snprintf(hash, sizeof hash, "%016llx", (unsigned long long)p->scan_hash);
	put_fact(f, "made by", p->command);
	put_fact(f, "parameters", p->parameters);
	put_fact(f, "scan", p->scan_hash ? hash : NULL);
}

/* Writes a view's gantry angle in degrees, source, and the central row and column of its detector. */
static void put_view(FILE *f, const gt_scan *s, size_t view)
{
	const gt_detector d = gt_scan_detector(s);
	const gt_view *w = &s->view[view];
	const size_t points = s->shape == GT_ARC ? ARC_POINTS : 2;
	const double column = ((double)s->columns - 1) / 2, row = ((double)s->rows - 1) / 2;
	double at[3 * (ARC_POINTS + 2)];
	for (size_t i = 0; i < points; i++)
		gt_pixel_point(&d, w, (double)s->columns * (double)i / (double)(points - 1) - 0.5, row, at + 3 * i);
	gt_pixel_point(&d, w, column, -0.5, at + 3 * points);
	gt_pixel_point(&d, w, column, (double)s->rows - 0.5, at + 3 * points + 3);
	fputs("{\"angle\":", f);
	gt_write_json_number(f, w->angle * GT_DEGREES);
	put_numbers(f, "source", w->source, 3);
	put_numbers(f, "row", at, 3 * points);
	put_numbers(f, "column", at + 3 * points, 6);
	putc('}', f);
}

static void put_scan(FILE *f, const gt_scan *s)
{
	const size_t stride = (s->views + DRAWN_VIEWS - 1) / DRAWN_VIEWS;
	double z[2] = { NAN, NAN };
	const double radius = gt_scan_field_of_view(s, &z[0], &z[1]);
	fprintf(f, ",\"scan\":{\"shape\":\"%s\",\"stride\":%zu", gt_shape_names[s->shape], stride);
	put_number(f, "radius", radius);
	put_numbers(f, "z", z, 2);
	fputs(",\"views\":[", f);
	for (size_t v = 0; v < s->views; v += stride) {
		if (v)
			putc(',', f);
		put_view(f, s, v);
	}
	fputs("]}", f);
}

static void put_angles(FILE *f, const gt_scan *s)
{
	fputs(",\"angles\":[", f);
	for (size_t v = 0; v < s->views; v++) {
		const double degrees = s->view[v].angle * GT_DEGREES;
		fputs(v ? "," : "", f);
		if (isfinite(degrees))
			fprintf(f, "%.6g", degrees);
		else
			fputs("null", f);
	}
	putc(']', f);
}

static void put_scan_facts(FILE *f, const gt_scan *s)
{
	char text[256];
	const double range = gt_scan_angular_range(s) * GT_DEGREES;
	snprintf(text, sizeof text, "%zu views, %zu rows, %zu columns", s->views, s->rows, s->columns);
	put_fact(f, "size", text);
	snprintf(text, sizeof text, "%s, pixels of %.6g x %.6g mm (column x row)", gt_shape_names[s->shape], s->column_pitch, s->row_pitch);
	put_fact(f, "detector", text);
	snprintf(text, sizeof text, "column %.6g, row %.6g", s->column_center, s->row_center);
	put_fact(f, "central ray", text);
	if (s->source_to_detector > 0) {
		snprintf(text, sizeof text, "to the axis %.6g mm, to the detector %.6g mm", s->source_to_axis, s->source_to_detector);
		put_fact(f, "source", text);
	}
	if (isfinite(range)) {
		snprintf(text, sizeof text, "%.5g degrees%s", range, gt_scan_is_helical(s) ? ", helical" : "");
		put_fact(f, "angular range", text);
	}
}

/* Writes the letters of both ends of each axis if the patient position is known. */
static void put_letters(FILE *f, const gt_volume *v)
{
	fputs(",\"letters\":[", f);
	for (int a = 0; a < 3; a++)
		fprintf(f, "%s\"%c%c\"", a ? "," : "", gt_position_letter(gt_volume_position(v), a, -1),
		        gt_position_letter(gt_volume_position(v), a, 1));
	putc(']', f);
}

static void put_volume(FILE *f, const struct gt_page_data *d)
{
	const gt_volume *v = d->item->volume;
	const gt_grid *g = gt_volume_grid(v);
	const double first[3] = { gt_grid_first(g, 0), gt_grid_first(g, 1), gt_grid_first(g, 2) };
	const char *quantity = d->item->quantity;
	const double water = quantity ? 0 : gt_volume_water(v);
	char text[256];
	put_numbers(f, "pitch", g->pitch, 3);
	put_numbers(f, "first", first, 3);
	put_number(f, "water", water > 0 ? water : NAN);
	if (gt_volume_position_known(v))
		put_letters(f, v);
	fputs(",\"unit\":", f);
	gt_write_json_text(f, quantity ? quantity : d->item->unit != GT_PER_MM && water > 0 ? "HU" : "mm-1");
	fputs(",\"facts\":[[\"file or name\",", f);
	gt_write_json_text(f, d->item->name ? d->item->name : "");
	putc(']', f);
	snprintf(text, sizeof text, "%zu x %zu x %zu voxels of %.6g x %.6g x %.6g mm", g->n[0], g->n[1], g->n[2], g->pitch[0], g->pitch[1],
	         g->pitch[2]);
	put_fact(f, "grid", text);
	snprintf(text, sizeof text, "%.6g, %.6g, %.6g mm", g->center[0], g->center[1], g->center[2]);
	put_fact(f, "centre", text);
	snprintf(text, sizeof text, "%.6g to %.6g %s", d->tiles.min, d->tiles.max, quantity ? quantity : "mm-1");
	put_fact(f, "values", text);
	if (water > 0)
		snprintf(text, sizeof text, "%.6g mm-1", water);
	if (!quantity)
		put_fact(f, "water", water > 0 ? text : "not known: no Hounsfield units");
	if (!quantity)
		put_fact(f, "position of the patient",
		         gt_volume_position_known(v) ? gt_position_names[gt_volume_position(v)] : "not known: no letters at the sides");
	put_origin(f, gt_volume_provenance(v));
	putc(']', f);
}

static void put_projections(FILE *f, const struct gt_page_data *d)
{
	const gt_projections *p = d->item->projections;
	const gt_scan *s = gt_projections_scan(p);
	const double pitch[3] = { s->column_pitch, s->row_pitch, 1 };
	const double first[3] = { -s->column_center * s->column_pitch, -s->row_center * s->row_pitch, 0 };
	char text[128];
	put_numbers(f, "pitch", pitch, 3);
	put_numbers(f, "first", first, 3);
	const char *quantity = d->item->quantity;
	if (!quantity) {
		put_scan(f, s);
		put_angles(f, s);
	}
	fputs(",\"water\":null,\"unit\":", f);
	gt_write_json_text(f, quantity ? quantity : "");
	fputs(",\"facts\":[[\"file or name\",", f);
	gt_write_json_text(f, d->item->name ? d->item->name : "");
	putc(']', f);
	if (quantity) {
		snprintf(text, sizeof text, "%zu images, %zu rows, %zu columns; geometry not known", s->views, s->rows, s->columns);
		put_fact(f, "size", text);
	} else {
		put_scan_facts(f, s);
	}
	if (d->data) {
		snprintf(text, sizeof text, "%.6g to %.6g (%s)", d->tiles.min, d->tiles.max, quantity ? quantity : "line integrals");
		put_fact(f, "values", text);
	}
	put_origin(f, gt_projections_provenance(p));
	putc(']', f);
}

static void put_sizes(FILE *f, const char *key, const size_t n[3]) { fprintf(f, ",\"%s\":[%zu,%zu,%zu]", key, n[0], n[1], n[2]); }

void gt_page_put_item(FILE *f, const struct gt_page_data *d, size_t id, int served)
{
	size_t by[3], coarse[3];
	fprintf(f, "{\"id\":%zu,\"kind\":\"%s\",\"name\":", id, d->item->volume ? "volume" : "projections");
	gt_write_json_text(f, d->item->name ? d->item->name : "");
	put_sizes(f, "n", d->n);
	if (d->item->volume)
		put_volume(f, d);
	else
		put_projections(f, d);
	fprintf(f, ",\"data\":%s,\"served\":%s,\"missing\":%zu", d->data ? "true" : "false", served ? "true" : "false", d->tiles.missing);
	put_numbers(f, "range", (const double[]){ d->tiles.min, d->tiles.max }, 2);
	put_numbers(f, "window", d->window, 2);
	if (d->data && !served) {
		put_number(f, "offset", d->tiles.offset);
		put_number(f, "step", d->tiles.step);
		fprintf(f, ",\"bits\":%d", d->tiles.bits);
		gt_tiles_coarse_size(d->n, by, coarse);
		if (by[0] * by[1] * by[2] > 1) {
			put_sizes(f, "by", by);
			put_sizes(f, "coarse", coarse);
		}
	}
	putc('}', f);
}
