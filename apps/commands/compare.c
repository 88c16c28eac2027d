/* gantry compare: differences of two volumes or two sets of projections; fails above a tolerance. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <gantry/metrics.h>
#include "apps/cli/cli.h"
#include "apps/cli/try.h"
#include "core/params.h"

typedef struct {
	const char *rmse, *max, *mean;
	double relative, central, radius, ssim;
} compare_options;
static const compare_options defaults = { .relative = NAN, .central = 1, .radius = INFINITY, .ssim = NAN };
#define AT(field) offsetof(compare_options, field)
/* clang-format off */
static const cli_option options[] = {
	{ .name = "rmse", .kind = CLI_TEXT, .value = "X[UNIT]",
	  .help = "tolerance of the root mean square difference, as 5HU or 1e-4mm-1; without a unit: in that of the files",
	  .at = AT(rmse) },
	{ .name = "relative", .kind = CLI_REAL, .value = "X",
	  .help = "tolerance of its ratio to the root mean square of REFERENCE", .at = AT(relative), .min = 0, .max = 1e30 },
	{ .name = "max", .kind = CLI_TEXT, .value = "X[UNIT]", .help = "tolerance of the largest difference of two values", .at = AT(max) },
	{ .name = "mean", .kind = CLI_TEXT, .value = "X[UNIT]", .help = "tolerance of the absolute mean difference", .at = AT(mean) },
	{ .name = "ssim", .kind = CLI_REAL, .value = "X",
	  .help = "minimum mean structural similarity (SSIM) of slices, computed only with this option (volumes)", .at = AT(ssim), .min = -1, .max = 1 },
	{ .name = "central", .kind = CLI_REAL, .value = "F",
	  .help = "compare the central fraction of the slices (projections: rows) only", .at = AT(central), .min = 1e-6, .max = 1 },
	{ .name = "radius", .kind = CLI_LENGTH, .value = "LENGTH",
	  .help = "compare voxels within this distance of the z axis only (mm; 2cm)", .at = AT(radius), .min = 0, .max = 1e9 },
	{ 0 },
};
/* clang-format on */

/* Projections are taken as [row][view][column], so that --central means rows. */
typedef struct {
	gt_image_pair images;
	const gt_grid *grid; /* NULL: projections */
	double water;
} pair;
typedef struct {
	gt_image_distance d;
	double ssim; /* NAN: not computed */
} figures;

static gt_status measure_similarity(const pair *p, const gt_image_region *region, figures *f)
{
	gt_pool *pool = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_pool_new(0, &pool));
	GT_TRY(gt_ssim(&p->images, region, f->d.range > 0 ? f->d.range : p->water, pool, &f->ssim));
	if (isnan(f->ssim) && !isnan(f->d.rmse))
		GT_TRY(gt_fail(GT_ERR_ARG,
		               "--ssim: no window of %d x %d voxels fits into slices of %zu x %zu with its centre in the compared region",
		               GT_SSIM_WINDOW, GT_SSIM_WINDOW, p->images.pixels, p->images.lines));
done:
	gt_pool_free(pool);
	return st;
}

static gt_status measure(const compare_options *o, const pair *p, figures *f)
{
	gt_image_region region;
	unsigned char *inside = p->grid ? malloc(p->images.lines * p->images.pixels) : NULL;
	gt_status st = !p->grid || inside ? GT_OK : gt_fail(GT_ERR_MEMORY, "out of memory");
	GT_TRY(st);
	gt_image_region_central(p->images.slices, o->central, &region);
	region.inside = inside;
	if (inside)
		gt_image_region_circle(p->grid, o->radius, inside);
	gt_image_error(&p->images, &region, &f->d);
	f->ssim = NAN;
	if (!f->d.count)
		GT_TRY(gt_fail(GT_ERR_ARG, "--radius=%g --central=%g: the compared region is empty: expected larger values", o->radius,
		               o->central));
	if (!isnan(o->ssim))
		GT_TRY(measure_similarity(p, &region, f));
done:
	free(inside);
	return st;
}

/* A tolerance; NAN: none. Without a unit it has that of the files. */
typedef struct {
	double value;
	gt_unit unit; /* AUTO: not given */
} limit;
typedef struct {
	limit rmse, relative, max, mean;
} limits;

static gt_status within(const char *what, double value, limit tolerance, double water)
{
	const double found = tolerance.unit == GT_HU ? 1000 * value / water : value;
	const char *unit = tolerance.unit == GT_HU ? " HU" : tolerance.unit == GT_PER_MM ? " mm-1" : "";
	if (isnan(tolerance.value) || found <= tolerance.value)
		return GT_OK;
	return gt_fail(GT_ERR_UNSUPPORTED, "out of tolerance: %s is %.6g%s, expected at most %.6g%s", what, found, unit, tolerance.value,
	               unit);
}

/* Returns the length of text without a final `unit`. */
static size_t before_unit(const char *text, const char *unit)
{
	const size_t n = strlen(text), m = strlen(unit);
	return n > m && !strcasecmp(text + n - m, unit) ? n - m : n;
}

/* "0.001", "0.001mm-1" or "5HU". */
static gt_status parse_limit(const char *option, const char *text, int projections, limit *l)
{
	*l = (limit){ NAN, GT_UNIT_AUTO };
	if (!text)
		return GT_OK;
	const size_t all = strlen(text), hu = before_unit(text, "HU"), per_mm = before_unit(text, "mm-1"), n = hu < per_mm ? hu : per_mm;
	l->unit = hu < all ? GT_HU : per_mm < all ? GT_PER_MM : GT_UNIT_AUTO;
	if (n < all && projections)
		return gt_fail(GT_ERR_ARG, "%s=%s: these are projections, expected a number without unit", option, text);
	char *number = strndup(text, n);
	const gt_status st = number ? gt_parse_real(option, number, 0, 1e30, &l->value) : gt_fail(GT_ERR_MEMORY, "out of memory");
	free(number);
	return st;
}

static gt_status parse_limits(const compare_options *o, int projections, limits *l)
{
	gt_status st = GT_OK;
	l->relative = (limit){ o->relative, GT_UNIT_AUTO };
	GT_TRY(parse_limit("--rmse", o->rmse, projections, &l->rmse));
	GT_TRY(parse_limit("--max", o->max, projections, &l->max));
	GT_TRY(parse_limit("--mean", o->mean, projections, &l->mean));
done:
	return st;
}

static const char *unit_name(gt_unit unit) { return unit == GT_HU ? "HU" : "mm-1"; }

static double water_of(const gt_volume *const v[2])
{
	const double reference = gt_volume_water(v[1]), other = gt_volume_water(v[0]);
	return reference > 0 ? reference : other > 0 ? other : GT_WATER_DEFAULT;
}

/* Sets the unit of a number without one, with a note if it exceeds any tolerance in mm-1. GT_ERR_ARG if the units of
 * the files differ. */
static gt_status resolve_unit(const cli_call *call, const char *option, const gt_volume *const v[2], limit *l)
{
	const double water = water_of(v);
	const gt_unit unit[2] = { gt_volume_unit(v[0]), gt_volume_unit(v[1]) };
	if (isnan(l->value) || l->unit != GT_UNIT_AUTO)
		return GT_OK;
	if (unit[0] != unit[1] && l->value > 0)
		return gt_fail(GT_ERR_ARG, "%s=%g: %s is in %s and %s in %s: expected a number with its unit, %gHU or %gmm-1", option,
		               l->value, call->file[0], unit_name(unit[0]), call->file[1], unit_name(unit[1]), l->value, l->value);
	l->unit = unit[1];
	if (l->unit == GT_PER_MM && l->value >= water)
		cli_note(call, "%s=%g is taken as %g mm-1, the unit of both files, which is %g HU; did you mean %gHU?", option, l->value,
		         l->value, 1000 * l->value / water, l->value);
	return GT_OK;
}

static gt_status resolve_units(const cli_call *call, const gt_volume *const v[2], limits *l)
{
	gt_status st = GT_OK;
	GT_TRY(resolve_unit(call, "--rmse", v, &l->rmse));
	GT_TRY(resolve_unit(call, "--max", v, &l->max));
	GT_TRY(resolve_unit(call, "--mean", v, &l->mean));
done:
	return st;
}

static void print_json(const figures *f, const pair *p)
{
	const struct {
		const char *name;
		double value;
	} all[] = { { "n", (double)f->d.count },   { "rmse", f->d.rmse },
		    { "relative", f->d.relative }, { "max", f->d.max },
		    { "mean", f->d.mean },         { "psnr_db", f->d.psnr },
		    { "ssim", f->ssim },           { "rmse_HU", p->grid ? 1000 * f->d.rmse / p->water : NAN } };
	cJSON *json = cJSON_CreateObject();
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (isfinite(all[i].value))
			cJSON_AddNumberToObject(json, all[i].name, all[i].value);
		else
			cJSON_AddNullToObject(json, all[i].name);
	cli_json(json);
}

/* Prints the figure and its tolerance, in both units unless water is 0. */
static void print_line(const char *name, double value, limit allowed, double water)
{
	const double hu = 1000 / water, per_mm = allowed.unit == GT_HU ? allowed.value / hu : allowed.value;
	printf("%-17s %-12.6g", name, value);
	if (water > 0)
		printf(" mm-1  %10.4g HU", value * hu);
	if (!isnan(allowed.value) && water > 0)
		printf("  (at most %g mm-1, %g HU)", per_mm, per_mm * hu);
	else if (!isnan(allowed.value))
		printf("  (at most %g)", allowed.value);
	puts("");
}

static void print_text(const figures *f, const limits *l, const pair *p)
{
	const double water = p->grid ? p->water : 0;
	printf("compared          %zu %s\n", f->d.count, p->grid ? "voxels" : "pixels");
	print_line("rmse", f->d.rmse, l->rmse, water);
	print_line("relative rmse", f->d.relative, l->relative, 0);
	print_line("largest", f->d.max, l->max, water);
	print_line("mean difference", f->d.mean, l->mean, water);
	if (f->d.range > 0)
		printf("psnr              %-12.6g dB\n", f->d.psnr);
	else
		printf("psnr              -            (all values of the reference are equal)\n");
	if (!isnan(f->ssim))
		printf("ssim              %-12.6g\n", f->ssim);
}

static gt_status judge(const cli_call *call, const compare_options *o, const limits *l, const pair *p)
{
	figures f;
	gt_status st = GT_OK;
	GT_TRY(measure(o, p, &f));
	if (call->common.json)
		print_json(&f, p);
	else
		print_text(&f, l, p);
	GT_TRY(within("rmse", f.d.rmse, l->rmse, p->water));
	GT_TRY(within("relative rmse", f.d.relative, l->relative, p->water));
	GT_TRY(within("largest difference", f.d.max, l->max, p->water));
	GT_TRY(within("mean difference", fabs(f.d.mean), l->mean, p->water));
	if (!isnan(o->ssim) && !(f.ssim >= o->ssim))
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "out of tolerance: ssim is %.6g, expected at least %.6g", f.ssim, o->ssim));
done:
	return st;
}

/* Tolerates the rounding of files: a thousandth of a voxel. */
static int same_grid(const gt_grid *a, const gt_grid *b)
{
	for (int i = 0; i < 3; i++)
		if (a->n[i] != b->n[i] || fabs(a->pitch[i] - b->pitch[i]) * (double)a->n[i] > 1e-3 * a->pitch[i] ||
		    fabs(a->center[i] - b->center[i]) > 1e-3 * a->pitch[i])
			return 0;
	return 1;
}

static gt_status compare_volumes(const cli_call *call, const compare_options *o, limits *l)
{
	gt_volume *a = NULL, *b = NULL;
	gt_status st = GT_OK;
	GT_TRY(cli_read_volume(call, call->file[0], &a));
	GT_TRY(cli_read_volume(call, call->file[1], &b));
	const gt_volume *const both[2] = { a, b };
	GT_TRY(resolve_units(call, both, l));
	const gt_grid *ga = gt_volume_grid(a), *gb = gt_volume_grid(b);
	if (!same_grid(ga, gb)) {
		char ta[256], tb[256];
		gt_grid_print(ga, ta, sizeof ta);
		gt_grid_print(gb, tb, sizeof tb);
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "different grids: %s has %s, %s has %s: use gantry recon --like for equal grids",
		               call->file[0], ta, call->file[1], tb));
	}
	pair p = { .grid = gb, .water = water_of(both) };
	gt_image_pair_of_volumes(gb, gt_volume_data(a), gt_volume_data(b), &p.images);
	GT_TRY(judge(call, o, l, &p));
done:
	gt_volume_free(a);
	gt_volume_free(b);
	return st;
}

static gt_status compare_projections(const cli_call *call, const compare_options *o, const limits *l)
{
	gt_projections *a = NULL, *b = NULL;
	gt_status st = GT_OK;
	GT_TRY(cli_read_scan(call, call->file[0], CLI_DATA_ALONE, &a));
	GT_TRY(cli_read_scan(call, call->file[1], CLI_DATA_ALONE, &b));
	const gt_scan *s = gt_projections_scan(a), *t = gt_projections_scan(b);
	if (s->views != t->views || s->rows != t->rows || s->columns != t->columns)
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED,
		               "different sizes: %s has %zu x %zu x %zu, %s has %zu x %zu x %zu (views x rows x columns)", call->file[0],
		               s->views, s->rows, s->columns, call->file[1], t->views, t->rows, t->columns));
	const pair p = { .images = { .a = gt_projections_data(a),
		                     .b = gt_projections_data(b),
		                     .slices = s->rows,
		                     .lines = s->views,
		                     .pixels = s->columns,
		                     .slice_stride = s->columns,
		                     .line_stride = s->rows * s->columns } };
	GT_TRY(judge(call, o, l, &p));
done:
	gt_projections_free(a);
	gt_projections_free(b);
	return st;
}

static int run(const cli_call *call, const void *given)
{
	const gt_format *format = NULL;
	int kind[2] = { 0, 0 };
	limits l;
	gt_status st = GT_OK;
	for (int i = 0; i < 2; i++)
		GT_TRY(gt_file_kind(call->file[i], &format, &kind[i]));
	if (kind[0] != kind[1])
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "%s holds projections, %s a volume", call->file[kind[0] ? 0 : 1],
		               call->file[kind[0] ? 1 : 0]));
	GT_TRY(parse_limits(given, kind[0], &l));
	if (kind[0] && !isnan(((const compare_options *)given)->ssim))
		GT_TRY(gt_fail(GT_ERR_ARG, "--ssim: these are projections, expected volumes"));
	if (kind[0])
		GT_TRY(compare_projections(call, given, &l));
	else
		GT_TRY(compare_volumes(call, given, &l));
done:
	return cli_exit(call, st);
}

const cli_command cli_compare = {
	.name = "compare",
	.about = "measure the difference between two files; exit 1 if it exceeds a tolerance",
	.synopsis = "FILE REFERENCE [options]",
	.notes = "  gantry compare vol.nc reference.nc --rmse 1e-3\n  gantry compare vol.nc reference.nc --rmse 5HU\n"
		 "  gantry compare vol.nc truth.nc --relative 0.05 --central 0.5 --json\n",
	.traits = CLI_REPORTS,
	.options = options,
	.defaults = &defaults,
	.options_size = sizeof defaults,
	.min_files = 2,
	.max_files = 2,
	.run = run
};
