/* Slices of a volume, or views and sinograms of projections, as one PNG; pages are in view_page.c. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <gantry/author/constants.h>
#include <gantry/image.h>
#include "apps/cli/cli.h"
#include "apps/cli/try.h"
#include "apps/commands/view/view.h"
#include "geometry/patient_position.h"
#include "io/png.h"

static const char *const planes[] = { "axial", "coronal", "sagittal", NULL };
static const char *const units[] = { "mm-1", "HU", "auto", NULL };
static const char *const conventions[] = { "axes", "radiological", NULL };
enum { AXES, RADIOLOGICAL };
static const view_options defaults = {
	.plane = -1, .convention = -1, .slice = -1, .sinogram = -1, .unit = GT_UNIT_AUTO, .water = NAN, .frames = CLI_FRAMES_DEFAULTS
};
#define AT(field) offsetof(view_options, field)
#define FRAMES_AT(field) offsetof(view_options, frames.field)
/* clang-format off */
static const cli_option options[] = {
	{ .name = "output", .group = "Output", .letter = 'o', .kind = CLI_OUTPUT, .value = "FILE",
	  .help = "name of the written picture (.png) or page (.html); without it a terminal opens the page",
	  .at = AT(output) },
	{ .name = "plane", .kind = CLI_CHOICE,
	  .help = "one orientation (default: all three through the centre)", .at = AT(plane), .names = planes },
	{ .name = "convention", .kind = CLI_CHOICE,
	  .help = "axes (default): x to the right, y or z up; radiological: patient's right on the left, front or head at the top",
	  .at = AT(convention), .names = conventions },
	{ .name = "slice", .kind = CLI_INT, .value = "N",
	  .help = "this slice (projections: this view), from 0", .at = AT(slice), .min = 0, .max = 1e9 },
	{ .name = "montage", .kind = CLI_INT, .value = "N",
	  .help = "N slices (projections: views) at equal distances", .at = AT(montage), .min = 1, .max = 400 },
	{ .name = "sinogram", .kind = CLI_INT, .value = "ROW",
	  .help = "projections: this detector row in all views (default with less than 8 rows)",
	  .at = AT(sinogram), .min = 0, .max = 1e9 },
	{ .name = "window", .kind = CLI_TEXT, .value = "LOW:HIGH|LEVEL/WIDTH|NAME",
	  .help = "values shown black and white, or brain, soft-tissue, bone, lung (default: 0.5 to 99.5 % of the values)",
	  .at = AT(window_text) },
	{ .name = "size", .kind = CLI_INT, .value = "PIXELS",
	  .help = "width of the widest image of a picture (default: 256 to 512)", .at = AT(size), .min = 16, .max = 16384 },
	{ .name = "unit", .kind = CLI_CHOICE, .help = "unit of a volume's values (default: that of the file)", .at = AT(unit), .names = units },
	{ .name = "water", .kind = CLI_REAL, .value = "MM-1",
	  .help = "attenuation of water in mm-1, for HU (default: from the file, else 0.02)", .at = AT(water), .min = 1e-9, .max = 1e3 },
	{ .name = "title", .kind = CLI_TEXT, .value = "TEXT", .help = "title above the pictures (default: the file's name)", .at = AT(title) },
	{ .name = "page-size", .kind = CLI_TEXT, .value = "SIZE",
	  .help = "maximum size of the page (default 36MB); smaller pages quantise values more coarsely", .at = AT(page_size) },
	{ .name = "serve", .kind = CLI_FLAG,
	  .help = "serve the page to browsers of this machine, with exact values, until Ctrl-C", .at = AT(serve) },
	{ .name = "port", .kind = CLI_INT, .value = "N",
	  .help = "with --serve: port of 127.0.0.1 (default 0: any that is free)", .at = AT(port), .min = 0, .max = 65535 },
	CLI_FRAMES_OPTIONS(FRAMES_AT),
	{ 0 },
};
/* clang-format on */

typedef struct {
	gt_picture *picture;
	size_t n;
} gallery;

static void gallery_free(gallery *g)
{
	for (size_t i = 0; i < g->n; i++) {
		free((void *)(uintptr_t)g->picture[i].data);
		free((void *)(uintptr_t)g->picture[i].label);
	}
	free(g->picture);
}

/* A two-dimensional cut through an array: value of (line, cell) is at first + line * by_line + cell * by_cell. */
typedef struct {
	size_t first, lines, by_line, cells, by_cell;
	double line_mm, cell_mm;
} cut;

/* Takes ownership of label. */
static gt_status add_cut(gallery *g, const float *data, const cut *c, double scale, double offset, char *label)
{
	gt_picture *more = realloc(g->picture, (g->n + 1) * sizeof *more);
	float *copy = malloc(c->lines * c->cells * sizeof *copy);
	if (more)
		g->picture = more;
	if (!more || !copy || !label) {
		free(copy);
		free(label);
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	}
	for (size_t l = 0; l < c->lines; l++)
		for (size_t k = 0; k < c->cells; k++)
			copy[l * c->cells + k] = (float)(scale * data[c->first + l * c->by_line + k * c->by_cell] + offset);
	g->picture[g->n++] = (gt_picture){ .data = copy,
		                           .width = c->cells,
		                           .height = c->lines,
		                           .pixel_width = c->cell_mm,
		                           .pixel_height = c->line_mm,
		                           .label = label,
		                           .flip_y = 1 };
	return GT_OK;
}

/* Radiological convention: seen from the feet, the front or the left side. The patient's right or front is on the left,
 * the front or head at the top. */
static void orient(gt_picture *p, const gt_volume *v, int cell, int line, int convention)
{
	const gt_position position = gt_volume_position(v);
	static const char first[] = "RAH";
	p->flip_x = convention == RADIOLOGICAL && gt_position_letter(position, cell, -1) != first[cell];
	p->flip_y = convention != RADIOLOGICAL || gt_position_letter(position, line, 1) == first[line];
	if (!gt_volume_position_known(v))
		return;
	p->left = gt_position_letter(position, cell, p->flip_x ? 1 : -1);
	p->right = gt_position_letter(position, cell, p->flip_x ? -1 : 1);
	p->bottom = gt_position_letter(position, line, p->flip_y ? -1 : 1);
	p->top = gt_position_letter(position, line, p->flip_y ? 1 : -1);
}

static gt_status add_slice(gallery *g, const gt_volume *v, int plane, int convention, size_t index, double scale, double offset)
{
	static const char axes[] = "zyx";
	const int across = 2 - plane, cell = across == 0, line = across == 2 ? 1 : 2; /* axes that the picture shows */
	const gt_grid *grid = gt_volume_grid(v);
	const size_t *n = grid->n, step[3] = { 1, n[0], n[0] * n[1] };
	const cut c = { index * step[across], n[line], step[line], n[cell], step[cell], grid->pitch[line], grid->pitch[cell] };
	const gt_status st = add_cut(g, gt_volume_data(v), &c, scale, offset,
	                             cli_text("%s, %c = %.4g mm", planes[plane], axes[plane],
	                                      gt_grid_first(grid, across) + (double)index * grid->pitch[across]));
	if (st == GT_OK)
		orient(&g->picture[g->n - 1], v, cell, line, convention);
	return st;
}

/* 1: a coronal or sagittal cut through only a few slices. */
static int is_sliver(const gt_grid *g, int plane)
{
	const int across = plane == 1 ? 0 : 1;
	return (double)g->n[2] * g->pitch[2] < 0.02 * (double)g->n[across] * g->pitch[across];
}

/* Index of picture i of n at equal distances in `all`. */
static size_t spread(size_t i, size_t n, size_t all) { return (size_t)(((double)i + 0.5) * (double)all / (double)n); }

static double water_of(const view_options *o, const gt_volume *v)
{
	const double stated = gt_volume_water(v);
	return !isnan(o->water) ? o->water : stated > 0 ? stated : GT_WATER_DEFAULT;
}

static gt_status volume_pictures(const view_options *o, const gt_volume *v, gallery *g)
{
	const gt_grid *grid = gt_volume_grid(v);
	const double scale = o->unit == GT_HU ? 1000 / water_of(o, v) : 1, offset = o->unit == GT_HU ? -1000 : 0;
	const int plane = o->plane < 0 ? 0 : o->plane;
	const size_t all = grid->n[2 - plane], wanted = o->montage > 0 ? (size_t)o->montage : 0, n = wanted < all ? wanted : all;
	gt_status st = GT_OK;
	if (o->sinogram >= 0)
		return gt_fail(GT_ERR_ARG, "--sinogram=%lld: this is a volume, expected projections", o->sinogram);
	if (o->slice >= 0 && (size_t)o->slice >= all)
		return gt_fail(GT_ERR_ARG, "--slice=%lld: expected a number from 0 to %zu", o->slice, all - 1);
	if (o->slice >= 0)
		return add_slice(g, v, plane, o->convention, (size_t)o->slice, scale, offset);
	for (size_t i = 0; i < n; i++)
		GT_TRY(add_slice(g, v, plane, o->convention, spread(i, n, all), scale, offset));
	for (int k = 0; k < 3 && !n; k++)
		if (o->plane == k || (o->plane < 0 && (k == 0 || !is_sliver(grid, k))))
			GT_TRY(add_slice(g, v, k, o->convention, grid->n[2 - k] / 2, scale, offset));
done:
	return st;
}

/* each: as view_options has it. */
static gt_status add_view(gallery *g, const gt_projections *p, size_t each, size_t view)
{
	const gt_scan *s = gt_projections_scan(p);
	const cut c = { view * s->rows * s->columns, s->rows, s->columns, s->columns, 1, s->row_pitch, s->column_pitch };
	const double degrees = s->view[view].angle * 180 / GT_PI;
	return add_cut(g, gt_projections_data(p), &c, 1, 0,
	               each             ? cli_text("image %zu", view * each)
	               : isnan(degrees) ? cli_text("view %zu", view)
	                                : cli_text("view %zu, %.1f deg", view, degrees));
}

static gt_status projection_pictures(const view_options *o, const gt_projections *p, gallery *g)
{
	const gt_scan *s = gt_projections_scan(p);
	const size_t wanted = o->montage > 0 ? (size_t)o->montage : 4, n = wanted < s->views ? wanted : s->views;
	/* The sinogram is clearer for a detector of few rows. */
	const int thin = s->rows < 8 && o->slice < 0 && o->montage <= 0;
	const long long row = o->sinogram >= 0 ? o->sinogram : thin ? (long long)(s->rows / 2) : -1;
	gt_status st = GT_OK;
	if (o->unit != GT_UNIT_AUTO || o->plane >= 0 || o->convention >= 0)
		return gt_fail(GT_ERR_ARG, "--unit, --plane and --convention are for volumes, these are projections");
	if (o->sinogram >= 0 && (size_t)o->sinogram >= s->rows)
		return gt_fail(GT_ERR_ARG, "--sinogram=%lld: expected a number from 0 to %zu", o->sinogram, s->rows - 1);
	if (o->slice >= 0 && (size_t)o->slice >= s->views)
		return gt_fail(GT_ERR_ARG, "--slice=%lld: expected a number from 0 to %zu", o->slice, s->views - 1);
	if (row >= 0) {
		const cut c = { (size_t)row * s->columns, s->views, s->rows * s->columns, s->columns, 1, s->column_pitch, s->column_pitch };
		GT_TRY(add_cut(g, gt_projections_data(p), &c, 1, 0, cli_text("sinogram of row %lld (first view at the top)", row)));
		g->picture[g->n - 1].flip_y = 0;
		return GT_OK;
	}
	if (o->slice >= 0)
		return add_view(g, p, o->each, (size_t)o->slice);
	for (size_t i = 0; i < n; i++)
		GT_TRY(add_view(g, p, o->each, i * s->views / n));
done:
	return st;
}

/* The default window of pages: of the whole volume or scan, in the shown unit. */
static gt_status default_window(const float *data, size_t n, double scale, double offset, gt_sheet *sheet)
{
	const gt_status st = gt_display_window(data, n, &sheet->low, &sheet->high);
	sheet->low = scale * sheet->low + offset;
	sheet->high = scale * sheet->high + offset;
	return st;
}

/* Pixels of the image with the largest width in mm. */
static size_t widest(const gallery *g)
{
	const gt_picture *best = g->picture;
	for (size_t i = 1; i < g->n; i++)
		if ((double)g->picture[i].width * g->picture[i].pixel_width > (double)best->width * best->pixel_width)
			best = &g->picture[i];
	return best->width;
}

/* Notes a picture that is entirely black or white, perhaps because of a window in the wrong unit. */
static void note_window(const cli_call *call, const gallery *g, const gt_sheet *sheet)
{
	double min = INFINITY, max = -INFINITY;
	for (size_t i = 0; i < g->n; i++)
		for (size_t k = 0; k < g->picture[i].width * g->picture[i].height; k++) {
			min = fmin(min, g->picture[i].data[k]);
			max = fmax(max, g->picture[i].data[k]);
		}
	const double step = (sheet->high - sheet->low) / 255;
	const int black = max<sheet->low + step, white = min> sheet->high - step;
	const char *hint = !strcmp(sheet->unit, "mm-1") && sheet->high > 1              ? "; did you mean --unit HU?"
	                   : !strcmp(sheet->unit, "HU") && sheet->high - sheet->low < 1 ? "; did you mean --unit mm-1?"
	                                                                                : "";
	if (black || white)
		cli_note(call, "everything is %s: values are %.4g to %.4g %s%s", black ? "black" : "white", min, max, sheet->unit, hint);
}

/* Options that cannot be combined, and the window. Without -o a terminal gets the page. */
static gt_status check(view_options *o)
{
	const int picture = o->plane >= 0 || o->slice >= 0 || o->montage > 0 || o->sinogram >= 0 || o->size > 0;
	gt_status st = GT_OK;
	if (!o->serve && !o->output && !picture && isatty(STDOUT_FILENO))
		o->serve = o->opens = 1;
	if (o->port && !o->serve)
		GT_TRY(gt_fail(GT_ERR_ARG, "--port needs --serve"));
	if (!o->serve)
		GT_TRY(cli_need("--output", o->output));
	if (o->slice >= 0 && o->montage > 0)
		GT_TRY(gt_fail(GT_ERR_ARG, "--slice and --montage cannot be combined"));
	if (!o->window_text)
		return GT_OK;
	GT_TRY(cli_parse_window("--window", o->window_text, &o->window));
	if (o->window.unit != GT_UNIT_AUTO && o->unit != GT_UNIT_AUTO && o->window.unit != (gt_unit)o->unit)
		GT_TRY(gt_fail(GT_ERR_ARG, "--window=%s: in %s, but found --unit %s", o->window_text, units[o->window.unit],
		               units[o->unit]));
	if (o->window.unit != GT_UNIT_AUTO)
		o->unit = (int)o->window.unit;
done:
	return st;
}

/* Images of a volume and the default window. */
static gt_status show_volume(const cli_call *call, const view_options *given, int dicom, gallery *g, gt_sheet *sheet)
{
	view_options o = *given;
	gt_volume *v = NULL;
	gt_status st = GT_OK;
	GT_TRY(cli_read_volume(call, call->file[0], &v));
	if (o.unit == GT_UNIT_AUTO)
		o.unit = (int)gt_volume_unit(v);
	GT_TRY(volume_pictures(&o, v, g));
	if (o.convention < 0 && dicom)
		cli_note(call, "orientation: scanner axes, as the letters show; --convention radiological gives that of DICOM viewers");
	sheet->unit = units[o.unit];
	sheet->per_line = g->n <= 3 ? g->n : (size_t)ceil(sqrt((double)g->n));
	const double scale = o.unit == GT_HU ? 1000 / water_of(&o, v) : 1, offset = o.unit == GT_HU ? -1000 : 0;
	GT_TRY(default_window(gt_volume_data(v), gt_grid_voxels(gt_volume_grid(v)), scale, offset, sheet));
done:
	gt_volume_free(v);
	return st;
}

static gt_status show_projections(const cli_call *call, const view_options *o, gallery *g, gt_sheet *sheet)
{
	view_options set = *o;
	gt_projections *p = NULL;
	gt_status st = GT_OK;
	GT_TRY(cli_read_images(call, call->file[0], &o->frames, CLI_DATA_ALONE, &p, &set.each));
	if (set.each > 1 && o->slice >= 0 && o->slice % (long long)set.each)
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "--slice=%lld: every %zuth image was read, for lack of memory: expected a multiple",
		               o->slice, set.each));
	set.slice = set.each && o->slice >= 0 ? o->slice / (long long)set.each : o->slice;
	GT_TRY(projection_pictures(&set, p, g));
	sheet->unit = set.each ? "counts" : "line integral";
	sheet->per_line = g->n > 4 ? (size_t)ceil(sqrt((double)g->n)) : 2;
	GT_TRY(default_window(gt_projections_data(p), gt_scan_size(gt_projections_scan(p)), 1, 0, sheet));
done:
	gt_projections_free(p);
	return st;
}

static int run(const cli_call *call, const void *given)
{
	view_options set = *(const view_options *)given;
	const view_options *o = &set;
	const gt_format *format = NULL;
	gallery g = { 0 };
	int projections = 0;
	gt_sheet sheet = { .title = o->title ? o->title : call->file[0] };
	gt_status st = GT_OK;
	GT_TRY(check(&set));
	if (o->serve || gt_page_is_name(o->output))
		return cli_exit(call, view_page(call, o));
	if (call->files > 1)
		GT_TRY(gt_fail(GT_ERR_ARG, "%zu files: a picture shows one: expected -o NAME.html or --serve for a page", call->files));
	GT_TRY(gt_can_write_sheet(o->output));
	GT_TRY(gt_file_kind(call->file[0], &format, &projections));
	if (projections)
		GT_TRY(show_projections(call, o, &g, &sheet));
	else
		GT_TRY(show_volume(call, o, !strcmp(format->name, "dicom-series"), &g, &sheet));
	if (o->window_text) {
		sheet.low = o->window.low;
		sheet.high = o->window.high;
	}
	sheet.picture = g.picture;
	sheet.pictures = g.n;
	if (sheet.per_line > g.n)
		sheet.per_line = g.n;
	if (o->size)
		sheet.zoom = (double)o->size / (double)widest(&g);
	cli_begin_writing();
	GT_TRY(cli_end_writing(gt_sheet_write(o->output, &sheet)));
	cli_note(call, "%s: window %.4g to %.4g %s", o->output, sheet.low, sheet.high, sheet.unit);
	if (o->window_text)
		note_window(call, &g, &sheet);
done:
	gallery_free(&g);
	return cli_exit(call, st);
}

const cli_command cli_view = {
	.name = "view",
	.about = "draw volumes and projections as pictures, or as a page for the browser",
	.synopsis = "FILE... | FILE -o PICTURE.png | FILE... -o PAGE.html | FILE... --serve [options]",
	.notes = "Letters name the sides of the patient if the file states the position: R, L, A (front), P (back), H (head), F (feet).\n"
		 "By default x points to the right, so the right side of a patient in position HFS is on the right.\n"
		 "A page is one file that needs no network. It shows slices, windows, values, profiles and regions, compares two\n"
		 "volumes and draws the geometry of a scan. It states the quantisation of its values; --serve shows exact values.\n"
		 "A folder of images without angles is shown as it is.\n\n"
		 "  gantry view vol.nc\n"
		 "  gantry view counts/ -o counts.html\n"
		 "  gantry view vol.nc -o slices.png --window brain --size 800\n"
		 "  gantry view patient.nii -o patient.png --convention radiological\n"
		 "  gantry view vol.nc -o sheet.png --montage 16\n"
		 "  gantry view scan.nc -o sinogram.png --sinogram 32\n"
		 "  gantry view vol.nc -o look.html\n"
		 "  gantry view before.nc after.nc scan.nc -o both.html\n"
		 "  gantry view vol.nc --serve\n",
	.options = options,
	.defaults = &defaults,
	.options_size = sizeof defaults,
	.min_files = 1,
	.max_files = GT_PAGE_ITEMS,
	.run = run,
};
