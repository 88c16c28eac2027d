/* Drawing of a scan: seen along the axis from +z, and from the side in the plane of the first view. */
#include <cairo.h>
#include <cairo-svg.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <gantry/author/constants.h>
#include <gantry/io.h>
#include <gantry/author/scan_math.h>
#include "core/text.h"
#include "io/scan_drawing.h"

enum { PANEL = 460, MARGIN = 40, HEAD = 56, FOOT = 56, SOME = 8 };

typedef struct {
	cairo_t *cr;
	const gt_scan *scan;
	const gt_grid *grid;
	double across[3], up[3]; /* directions of the drawing in the scan's coordinates */
	double middle[2], scale; /* centre of the drawing in mm; pixels per mm */
	double left, top;
	double low[2], high[2];
	int measures; /* 1: draws nothing, computes low and high */
} pen;

static void place(pen *p, const double x[3], double *u, double *v)
{
	*u = gt_dot3(x, p->across);
	*v = gt_dot3(x, p->up);
	if (p->measures) {
		p->low[0] = fmin(p->low[0], *u);
		p->high[0] = fmax(p->high[0], *u);
		p->low[1] = fmin(p->low[1], *v);
		p->high[1] = fmax(p->high[1], *v);
	}
	*u = p->left + PANEL / 2. + (*u - p->middle[0]) * p->scale;
	*v = p->top + PANEL / 2. - (*v - p->middle[1]) * p->scale;
}

static void line_to(pen *p, const double x[3], int begins)
{
	double u, v;
	place(p, x, &u, &v);
	if (!p->measures)
		(begins ? cairo_move_to : cairo_line_to)(p->cr, u, v);
}

static void stroke(pen *p, double red, double green, double blue, double width)
{
	if (p->measures)
		return;
	cairo_set_source_rgb(p->cr, red, green, blue);
	cairo_set_line_width(p->cr, width);
	cairo_stroke(p->cr);
}

static void dot(pen *p, const double x[3], double size)
{
	double u, v;
	place(p, x, &u, &v);
	if (p->measures)
		return;
	cairo_arc(p->cr, u, v, size, 0, 2 * GT_PI);
	cairo_fill(p->cr);
}

/* Outer edge of a view's detector, curved for an arc. */
static void outline(pen *p, size_t view)
{
	const gt_detector d = gt_scan_detector(p->scan);
	const gt_view *w = &p->scan->view[view];
	const double columns = (double)p->scan->columns, rows = (double)p->scan->rows;
	double x[3];
	for (int i = 0; i <= 64; i++) {
		gt_pixel_point(&d, w, -0.5 + columns * (i <= 32 ? i : 64 - i) / 32, i <= 32 ? -0.5 : rows - 0.5, x);
		line_to(p, x, i == 0);
	}
	if (!p->measures)
		cairo_close_path(p->cr);
}

static void grid_box(pen *p)
{
	static const int edge[12][2] = { { 0, 1 }, { 2, 3 }, { 4, 5 }, { 6, 7 }, { 0, 2 }, { 1, 3 },
		                         { 4, 6 }, { 5, 7 }, { 0, 4 }, { 1, 5 }, { 2, 6 }, { 3, 7 } };
	for (int e = 0; e < 12; e++)
		for (int end = 0; end < 2; end++) {
			double x[3];
			for (int a = 0; a < 3; a++)
				x[a] = p->grid->center[a] +
				       (edge[e][end] >> a & 1 ? 0.5 : -0.5) * (double)p->grid->n[a] * p->grid->pitch[a];
			line_to(p, x, end == 0);
		}
	stroke(p, 0.2, 0.5, 0.2, 1.2);
}

/* Rays of the first view to the corners of its detector. */
static void rays(pen *p)
{
	const gt_detector d = gt_scan_detector(p->scan);
	for (int i = 0; i < 4; i++) {
		double from[3], way[3];
		gt_pixel_ray(&d, &p->scan->view[0], i & 1 ? (double)p->scan->columns - 0.5 : -0.5,
		             i & 2 ? (double)p->scan->rows - 0.5 : -0.5, from, way);
		line_to(p, from, 1);
		for (int a = 0; a < 3; a++)
			from[a] += way[a];
		line_to(p, from, 0);
	}
	stroke(p, 0.85, 0.75, 0.4, 0.8);
}

static void draw(pen *p)
{
	const gt_scan *s = p->scan;
	double radius = gt_scan_field_of_view(s, NULL, NULL);
	rays(p);
	for (size_t v = 0; v < s->views; v++)
		line_to(p, s->view[v].source, v == 0);
	stroke(p, 0.75, 0.3, 0.2, 1);
	for (size_t i = 1; i < SOME && s->views > 1; i++)
		outline(p, i * (s->views - 1) / SOME);
	stroke(p, 0.78, 0.82, 0.9, 0.8);
	outline(p, 0);
	stroke(p, 0.1, 0.25, 0.6, 2);
	for (int i = 0; i <= 90 && p->up[2] < 0.5 && radius > 0; i++) {
		const double x[3] = { radius * cos(i * GT_PI / 45), radius * sin(i * GT_PI / 45), 0 };
		line_to(p, x, i == 0);
	}
	stroke(p, 0.4, 0.7, 0.4, 1);
	if (p->grid)
		grid_box(p);
	if (!p->measures)
		cairo_set_source_rgb(p->cr, 0.75, 0.2, 0.1);
	dot(p, s->view[0].source, 5);
	if (s->views > 1)
		dot(p, s->view[s->views / SOME > 0 ? s->views / SOME : 1].source, 2.5);
	const double origin[3] = { 0, 0, 0 };
	if (!p->measures)
		cairo_set_source_rgb(p->cr, 0, 0, 0);
	dot(p, origin, 2);
}

static void text(cairo_t *cr, double x, double y, double size, const char *what)
{
	cairo_select_font_face(cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
	cairo_set_font_size(cr, size);
	cairo_set_source_rgb(cr, 0.13, 0.13, 0.13);
	cairo_move_to(cr, x, y);
	cairo_show_text(cr, what);
}

/* Scale bar of a round length. */
static void scale_bar(const pen *p)
{
	char label[48];
	double length = pow(10, floor(log10(PANEL / p->scale / 3)));
	length *= PANEL / p->scale / 3 / length >= 5 ? 5 : PANEL / p->scale / 3 / length >= 2 ? 2 : 1;
	const double y = p->top + PANEL + 14;
	cairo_move_to(p->cr, p->left, y);
	cairo_line_to(p->cr, p->left + length * p->scale, y);
	cairo_set_source_rgb(p->cr, 0.13, 0.13, 0.13);
	cairo_set_line_width(p->cr, 2);
	cairo_stroke(p->cr);
	snprintf(label, sizeof label, "%g mm", length);
	text(p->cr, p->left + length * p->scale + 8, y + 4, 12, label);
}

static void panel(cairo_t *cr, const gt_scan *scan, const gt_grid *grid, int side)
{
	pen p = { .cr = cr, .scan = scan, .grid = grid, .scale = 1, .measures = 1, .top = HEAD, .left = MARGIN + side * (PANEL + MARGIN) };
	const gt_view *w = &scan->view[0];
	const double x = w->detector[0] - w->source[0], y = w->detector[1] - w->source[1], n = hypot(x, y);
	p.low[0] = p.low[1] = INFINITY;
	p.high[0] = p.high[1] = -INFINITY;
	p.across[0] = side && n > 0 ? x / n : 1;
	p.across[1] = side && n > 0 ? y / n : 0;
	p.up[side ? 2 : 1] = 1;
	draw(&p);
	const double wide = fmax(fmax(p.high[0] - p.low[0], p.high[1] - p.low[1]), 1e-9);
	for (int a = 0; a < 2; a++)
		p.middle[a] = (p.low[a] + p.high[a]) / 2;
	p.scale = (PANEL - 20) / wide;
	p.measures = 0;
	cairo_save(cr);
	cairo_rectangle(cr, p.left, p.top, PANEL, PANEL);
	cairo_clip(cr);
	draw(&p);
	cairo_restore(cr);
	cairo_rectangle(cr, p.left, p.top, PANEL, PANEL);
	stroke(&p, 0.8, 0.8, 0.8, 1);
	scale_bar(&p);
	text(cr, p.left, p.top - 8, 13,
	     side ? "from the side, in the plane of the first view; z upwards" : "along the axis, seen from +z; x to the right, y upwards");
}

static cairo_status_t put(void *file, const unsigned char *data, unsigned length)
{
	return fwrite(data, 1, length, file) == length ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

static gt_status save(const char *path, const char *tmp, const gt_scan *scan, const gt_grid *grid, const char *title)
{
	const size_t n = strlen(path);
	const int svg = !strcasecmp(path + n - 4, ".svg"), width = 3 * MARGIN + 2 * PANEL, height = HEAD + PANEL + FOOT;
	FILE *file = fopen(tmp, "wb");
	if (!file)
		return gt_fail(GT_ERR_IO, "%s: %s", path, strerror(errno));
	cairo_surface_t *sheet = svg ? cairo_svg_surface_create_for_stream(put, file, width, height)
	                             : cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
	cairo_t *cr = cairo_create(sheet);
	cairo_set_source_rgb(cr, 1, 1, 1);
	cairo_paint(cr);
	if (title)
		text(cr, MARGIN, 22, 15, title);
	panel(cr, scan, grid, 0);
	panel(cr, scan, grid, 1);
	text(cr, MARGIN, HEAD + PANEL + 42, 12,
	     "red: the source in the first view, its path, and (small) the first eighth of the path; "
	     "blue: the detector; green: the volume, and the region that all views see");
	cairo_status_t drawn = cairo_status(cr);
	cairo_destroy(cr);
	if (drawn == CAIRO_STATUS_SUCCESS && !svg)
		drawn = cairo_surface_write_to_png_stream(sheet, put, file);
	cairo_surface_finish(sheet);
	if (drawn == CAIRO_STATUS_SUCCESS)
		drawn = cairo_surface_status(sheet);
	cairo_surface_destroy(sheet);
	const int closed = fclose(file);
	if (drawn == CAIRO_STATUS_SUCCESS && closed == 0)
		return GT_OK;
	return gt_fail(GT_ERR_IO, "%s: cannot be written: %s", path,
	               drawn != CAIRO_STATUS_SUCCESS ? cairo_status_to_string(drawn) : strerror(errno));
}

gt_status gt_scan_draw(const char *path, const gt_scan *scan, const gt_grid *grid, const char *title)
{
	const size_t n = path ? strlen(path) : 0;
	char *tmp = NULL;
	if (n < 5 || (strcasecmp(path + n - 4, ".png") && strcasecmp(path + n - 4, ".svg")))
		return gt_fail(GT_ERR_ARG, "%s: drawings are written as PNG or SVG: expected a name that ends in .png or .svg",
		               path ? path : "");
	gt_status st = gt_scan_check(scan);
	if (st != GT_OK || (st = gt_tmp_path(path, &tmp)) != GT_OK)
		return st;
	if ((st = save(path, tmp, scan, grid, title)) == GT_OK)
		return gt_tmp_commit(tmp, path);
	gt_tmp_drop(tmp);
	return st;
}
