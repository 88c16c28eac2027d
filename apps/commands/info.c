/* gantry info: describes a file of projections or a volume, as text or JSON. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/recon.h>
#include <gantry/analytic.h>
#include <gantry/author/constants.h>
#include <gantry/grid.h>
#include <gantry/author/scan_math.h>
#include "apps/cli/cli.h"
#include "apps/cli/frames.h"
#include "apps/cli/try.h"
#include "apps/commands/check.h"
#include "io/slice_reader.h"

typedef struct {
	int geometry, check;
	cli_frames frames;
} info_options;
static const info_options defaults = { .frames = CLI_FRAMES_DEFAULTS };
#define FRAMES_AT(field) offsetof(info_options, frames.field)
/* clang-format off */
static const cli_option options[] = {
	{ .name = "geometry", .letter = 'g', .kind = CLI_FLAG,
	  .help = "print the geometry without reading the projections", .at = offsetof(info_options, geometry) },
	{ .name = "check", .letter = 'c', .kind = CLI_FLAG,
	  .help = "compare conjugate rays to check columns, rows, centre and rotation direction; exit 1 if wrong",
	  .at = offsetof(info_options, check) },
	{ .name = "geometry-file", .kind = CLI_INPUT, .value = "FILE", .at = FRAMES_AT(geometry),
	  .help = "images: geometry file of a scanner or of another program, as --geometry of recon" },
	CLI_FRAMES_OPTIONS_BUT_GEOMETRY(FRAMES_AT),
	{ 0 },
};
/* clang-format on */

typedef struct {
	double min, max, mean;
} range;

static const range nothing = { INFINITY, -INFINITY, 0 };

/* r->mean holds the sum of the values until all are read. */
static void extend(range *r, const float *x, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		r->min = fmin(r->min, x[i]);
		r->max = fmax(r->max, x[i]);
		r->mean += x[i];
	}
}

static range range_of(const float *x, size_t n)
{
	range r = nothing;
	extend(&r, x, n);
	r.mean /= (double)n;
	return r;
}

/* Slab by slab: a volume may be larger than the memory. */
static gt_status range_of_slices(const gt_grid *g, gt_slice_reader *from, range *r)
{
	const size_t each = g->n[0] * g->n[1], together = gt_slice_reader_together(from);
	float *slab = malloc(each * together * sizeof *slab);
	gt_status st = slab ? GT_OK : gt_fail(GT_ERR_MEMORY, "out of memory for %zu slices", together);
	*r = nothing;
	for (size_t first = 0; st == GT_OK && first < g->n[2]; first += together) {
		const size_t n = first + together < g->n[2] ? together : g->n[2] - first;
		st = gt_slice_reader_read(from, first, n, slab);
		if (st == GT_OK)
			extend(r, slab, n * each);
	}
	r->mean /= (double)gt_grid_voxels(g);
	free(slab);
	return st;
}

/* Returns the angle (degrees) between the rays to two detector positions in the first view. */
static double angle_between(const gt_scan *s, double c0, double r0, double c1, double r1)
{
	const gt_detector d = gt_scan_detector(s);
	double p[3], a[3], b[3];
	gt_pixel_ray(&d, s->view, c0, r0, p, a);
	gt_pixel_ray(&d, s->view, c1, r1, p, b);
	const double c = gt_dot3(a, b) / sqrt(gt_dot3(a, a) * gt_dot3(b, b));
	return acos(fmin(1, fmax(-1, c))) * GT_DEGREES;
}

/* The text is printed from the JSON report, so both agree. */
static void add(cJSON *report, const char *key, double value)
{
	if (isfinite(value))
		cJSON_AddNumberToObject(report, key, value);
	else
		cJSON_AddNullToObject(report, key);
}

static void add_text(cJSON *report, const char *key, const char *text)
{
	if (text)
		cJSON_AddStringToObject(report, key, text);
}

static void add_grid(cJSON *report, const char *key, const gt_grid *g)
{
	char text[256];
	gt_grid_print(g, text, sizeof text);
	cJSON_AddStringToObject(report, key, text);
}

static void add_range(cJSON *report, const range *r)
{
	add(report, "least", r->min);
	add(report, "most", r->max);
	add(report, "mean", r->mean);
}

static double hu(double mu, double water) { return 1000 * (mu / water - 1); }

static void add_photons(cJSON *report, const gt_projections *p)
{
	const range r = range_of(gt_projections_photons(p), gt_scan_size(gt_projections_scan(p)));
	add(report, "least_photons", r.min);
	add(report, "most_photons", r.max);
}

static void add_provenance(cJSON *report, const gt_provenance *from)
{
	char hash[32];
	add_text(report, "command", from->command);
	add_text(report, "parameters", from->parameters);
	if (from->scan_hash) {
		snprintf(hash, sizeof hash, "%016llx", (unsigned long long)from->scan_hash);
		add_text(report, "made_from_scan", hash);
	}
}

/* Adds the analytic method and the slices that views cover over 180 degrees, or the reason why none applies. */
static void add_helical(cJSON *report, const gt_scan *s, const gt_grid *g)
{
	const gt_analytic *m = gt_analytic_for(s);
	gt_analytic_coverage seen;
	if (!m->coverage || m->coverage(g, s, &seen) != GT_OK) {
		add_text(report, "direct_method", "none");
		add_text(report, "why_none", gt_error());
		return;
	}
	add_text(report, "direct_method", m->name);
	add(report, "pitch_limit", seen.limit);
	if (isfinite(seen.radius))
		add(report, "complete_radius_mm", seen.radius);
	if (seen.first == seen.end)
		return;
	add(report, "complete_from_mm", gt_grid_first(g, 2) + ((double)seen.first - 0.5) * g->pitch[2]);
	add(report, "complete_to_mm", gt_grid_first(g, 2) + ((double)seen.end - 0.5) * g->pitch[2]);
}

static void add_scan(cJSON *report, const gt_scan *s)
{
	const double columns = (double)s->columns, rows = (double)s->rows, middle = (columns - 1) / 2, middle_row = (rows - 1) / 2;
	double zmin, zmax;
	gt_grid grid;
	char hash[32];
	add_text(report, "kind", "projections");
	add_text(report, "detector", gt_shape_names[s->shape]);
	add(report, "views", (double)s->views);
	add(report, "rows", rows);
	add(report, "columns", columns);
	add(report, "row_pitch_mm", s->row_pitch);
	add(report, "column_pitch_mm", s->column_pitch);
	add(report, "row_offset_cells", s->row_center - middle_row);
	add(report, "column_offset_cells", s->column_center - middle);
	add(report, "source_to_axis_mm", s->source_to_axis);
	add(report, "source_to_detector_mm", s->source_to_detector);
	add(report, "fan_angle_deg", angle_between(s, -0.5, s->row_center, columns - 0.5, s->row_center));
	add(report, "cone_angle_deg", angle_between(s, s->column_center, -0.5, s->column_center, rows - 0.5));
	add(report, "field_of_view_radius_mm", gt_scan_field_of_view(s, &zmin, &zmax));
	add(report, "z_from_mm", zmin);
	add(report, "z_to_mm", zmax);
	add(report, "first_angle_deg", s->view[0].angle * GT_DEGREES);
	add(report, "turn_deg", gt_scan_angular_range(s) * GT_DEGREES);
	add_text(report, "orbit", gt_scan_is_helical(s) ? "helical" : "circular");
	if (s->pitch_per_turn != 0) {
		add(report, "pitch_mm_per_turn", s->pitch_per_turn);
		if (s->source_to_detector > 0 && s->source_to_axis > 0)
			add(report, "normalised_pitch",
			    s->pitch_per_turn * s->source_to_detector / (rows * s->row_pitch * s->source_to_axis));
	}
	snprintf(hash, sizeof hash, "%016llx", (unsigned long long)gt_scan_hash(s));
	add_text(report, "hash", hash);
	size_t below, above;
	const int has_grid = gt_recon_default_grid(s, &grid, &below, &above) == GT_OK;
	if (has_grid)
		add_grid(report, "default_grid", &grid);
	if (gt_scan_is_helical(s) && has_grid)
		add_helical(report, s, &grid);
}

static void add_volume(cJSON *report, const gt_volume *v, const range *values)
{
	static const char *const axes[] = { "x", "y", "z" };
	const gt_grid *g = gt_volume_grid(v);
	const double water = gt_volume_water(v);
	add_text(report, "kind", "volume");
	add_grid(report, "grid", g);
	for (int a = 0; a < 3; a++) {
		const double half = (double)g->n[a] * g->pitch[a] / 2;
		char key[32];
		snprintf(key, sizeof key, "%s_from_mm", axes[a]);
		add(report, key, g->center[a] - half);
		snprintf(key, sizeof key, "%s_to_mm", axes[a]);
		add(report, key, g->center[a] + half);
	}
	add_text(report, "patient_position", gt_volume_position_known(v) ? gt_position_names[gt_volume_position(v)] : "unknown");
	const range r = *values;
	if (gt_volume_unit(v) == GT_HU) {
		add_text(report, "unit", "HU");
		add_range(report, &(range){ hu(r.min, water), hu(r.max, water), hu(r.mean, water) });
	} else {
		add_text(report, "unit", "mm-1");
		add_range(report, &r);
	}
	if (water > 0) {
		add(report, "water_mm-1", water);
		add(report, "least_HU", hu(r.min, water));
		add(report, "most_HU", hu(r.max, water));
	}
	add_provenance(report, gt_volume_provenance(v));
}

/* Images whose geometry is not known; each: as cli_read_images() has it. */
static void add_images(cJSON *report, const char *path, const gt_projections *p, size_t each)
{
	const gt_scan *s = gt_projections_scan(p);
	char *file = gt_find_geometry_file(path);
	const range r = range_of(gt_projections_data(p), gt_scan_size(s));
	add_text(report, "kind", "images");
	add(report, "images_read", (double)s->views);
	if (each > 1)
		add(report, "every", (double)each);
	add(report, "rows", (double)s->rows);
	add(report, "columns", (double)s->columns);
	add_text(report, "geometry", "not known");
	add_text(report, "geometry_file", file);
	add_range(report, &r);
	gt_free(file);
}

/* A file with invalid projections still has a geometry; missing projections are not an error. */
static gt_status add_projections(const cli_call *call, const info_options *o, cJSON *report, gt_projections **p)
{
	const int geometry = o->geometry;
	gt_frames_options frames;
	gt_read_options by = gt_read_defaults;
	size_t each = 0;
	cli_frames_apply(&o->frames, &frames, &by);
	const gt_status st = geometry ? cli_read_scan_by(call, call->file[0], CLI_GEOMETRY, &by, p)
	                              : cli_read_images(call, call->file[0], &o->frames, CLI_IF_ANY, p, &each);
	if (each) {
		add_images(report, call->file[0], *p, each);
		return st;
	}
	char *why = st == GT_OK ? NULL : cli_text("%s", gt_error());
	if (st != GT_OK && (geometry || cli_read_scan_by(call, call->file[0], CLI_GEOMETRY, &by, p) != GT_OK)) {
		gt_fail(st, "%s", why ? why : "out of memory");
		free(why);
		return st;
	}
	const gt_scan *scan = gt_projections_scan(*p);
	add_scan(report, scan);
	if (gt_projections_filtered(*p))
		add_text(report, "projections", "weighted and filtered already");
	if (gt_projections_water(*p) > 0)
		add(report, "water_mm-1", gt_projections_water(*p));
	if (gt_projections_photons(*p))
		add_photons(report, *p);
	if (gt_projections_data(*p)) {
		const range r = range_of(gt_projections_data(*p), gt_scan_size(scan));
		add_range(report, &r);
	}
	add_provenance(report, gt_projections_provenance(*p));
	if (why)
		gt_fail(st, "%s", why);
	free(why);
	return st;
}

static void print_text(const cJSON *report)
{
	for (const cJSON *item = report->child; item; item = item->next)
		if (cJSON_IsString(item))
			cli_print(stdout, "%-24s %s\n", item->string, item->valuestring);
		else if (cJSON_IsNumber(item))
			printf("%-24s %.*g\n", item->string, strstr(item->string, "_HU") ? 6 : 10, item->valuedouble);
		else if (!cJSON_IsObject(item))
			printf("%-24s not known\n", item->string);
}

static int run(const cli_call *call, const void *given)
{
	const info_options *o = given;
	const gt_format *format = NULL;
	gt_projections *p = NULL;
	gt_volume *v = NULL;
	gt_slice_reader *slices = NULL;
	range values;
	int projections = 0;
	gt_status st = GT_OK;
	cJSON *report = cJSON_CreateObject();
	if (o->check && o->geometry)
		GT_TRY(gt_fail(GT_ERR_ARG, "--check and --geometry cannot be combined"));
	GT_TRY(gt_file_kind(call->file[0], &format, &projections));
	if (o->check && !projections)
		GT_TRY(gt_fail(GT_ERR_ARG, "--check: %s is a volume, expected projections", call->file[0]));
	add_text(report, "file", call->file[0]);
	add_text(report, "format", format->name);
	GT_TRY(cli_frames_check(&o->frames, call->file[0]));
	if (projections) {
		GT_TRY(add_projections(call, o, report, &p));
		if (o->check && !cJSON_GetObjectItem(report, "views"))
			st = gt_fail(GT_ERR_FORMAT, "%s: images without a known geometry: expected --angles or --geometry for --check",
			             call->file[0]);
		else if (o->check && !gt_projections_data(p))
			st = gt_fail(GT_ERR_FORMAT, "%s: variable projections is missing: expected it for --check", call->file[0]);
		else if (o->check)
			st = app_check(call->file[0], p, report);
	} else {
		GT_TRY(cli_open_volume(call, call->file[0], &v, &slices));
		GT_TRY(range_of_slices(gt_volume_grid(v), slices, &values));
		add_volume(report, v, &values);
	}
	if (st == GT_OK && o->check)
		st = app_check_verdict(call->file[0], report);
done:
	if (call->common.json && cJSON_GetObjectItem(report, "kind")) {
		cli_json(report);
		report = NULL;
	} else if (cJSON_GetObjectItem(report, "kind")) {
		print_text(report);
		app_check_print(report);
	}
	cJSON_Delete(report);
	gt_projections_free(p);
	gt_slice_reader_close(slices);
	gt_volume_free(v);
	return cli_exit(call, st);
}

const cli_command cli_info = {
	.name = "info",
	.about = "print the contents of a file",
	.synopsis = "FILE|FOLDER [options]",
	.notes = "  gantry info scan.nc\n  gantry info scan.nc --check\n  gantry info vol.nc --json\n  gantry info counts/\n",
	.traits = CLI_REPORTS,
	.options = options,
	.defaults = &defaults,
	.options_size = sizeof(info_options),
	.min_files = 1,
	.max_files = 1,
	.run = run,
};
