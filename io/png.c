/* Sheet of grey images as PNG: layout, and drawing with cairo. All images share one scale in screen pixels per mm. */
#include <cairo.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <gantry/io.h>
#include "core/arguments.h"
#include "io/png.h"

/* Layout lengths in screen pixels. */
enum {
	MARGIN = 24,
	GAP = 18,
	TITLE = 34,
	LABEL = 22,
	BAR_GAP = 22,
	BAR = 18,
	TICKS = 84,
	SCALE_BAR = 38,
	MIN_WIDTH = 256,
	MAX_WIDTH = 512,
	MAX_HEIGHT = 1024,
	MAX_SIDE = 30000,
};
static const double ink = 0.13, paper = 1.0, faint = 0.55;

typedef struct {
	double per_mm;     /* screen pixels */
	double cell_width; /* width of the widest image */
	size_t per_line;
	int sharp;                 /* a pixel is an integer number of screen pixels */
	double labels;             /* height above each image */
	double top, width, height; /* top of the first row of images; size of the sheet */
} layout;

static gt_status check(const char *path, const gt_sheet *s)
{
	if (!s->pictures || !s->picture)
		return gt_fail(GT_ERR_ARG, "%s: no pictures, expected at least 1", path);
	if (!(s->low < s->high) || !isfinite(s->low) || !isfinite(s->high))
		return gt_fail(GT_ERR_ARG, "%s: window %g:%g, expected the lower limit first", path, s->low, s->high);
	if (!(s->zoom >= 0 && s->zoom <= 1000))
		return gt_fail(GT_ERR_ARG, "%s: zoom=%g, expected 0 to 1000", path, s->zoom);
	for (size_t i = 0; i < s->pictures; i++) {
		const gt_picture *p = &s->picture[i];
		if (!p->data || !p->width || !p->height || p->width > MAX_SIDE || p->height > MAX_SIDE)
			return gt_fail(GT_ERR_ARG, "%s: picture %zu has %zu x %zu pixels, expected 1 to %d", path, i, p->width, p->height,
			               (int)MAX_SIDE);
		if (!(p->pixel_width > 0 && p->pixel_height > 0 && isfinite(p->pixel_width) && isfinite(p->pixel_height)))
			return gt_fail(GT_ERR_ARG, "%s: picture %zu has pixels of %g x %g mm, expected positive sizes", path, i,
			               p->pixel_width, p->pixel_height);
	}
	return GT_OK;
}

static double width_mm(const gt_picture *p) { return (double)p->width * p->pixel_width; }
static double height_mm(const gt_picture *p) { return (double)p->height * p->pixel_height; }

/* Height of the row that contains image i. */
static double line_height(const gt_sheet *s, const layout *l, size_t i)
{
	double mm = 0;
	for (size_t k = i - i % l->per_line; k < s->pictures && k < i - i % l->per_line + l->per_line; k++)
		mm = fmax(mm, height_mm(&s->picture[k]));
	return ceil(mm * l->per_mm);
}

static int is_whole(double x) { return x >= 1 && fabs(x - round(x)) < 1e-9 * x; }

static gt_status arrange(const char *path, const gt_sheet *s, layout *l)
{
	const gt_picture *widest = s->picture;
	double tallest = 0;
	l->labels = 0;
	for (size_t i = 0; i < s->pictures; i++) {
		const gt_picture *p = &s->picture[i];
		if (width_mm(p) > width_mm(widest))
			widest = p;
		tallest = fmax(tallest, height_mm(p));
		if (p->label)
			l->labels = LABEL;
	}
	double zoom = s->zoom;
	if (zoom == 0) {
		const double n = (double)widest->width;
		zoom = n > MAX_WIDTH ? MAX_WIDTH / n : n > MIN_WIDTH ? 1 : floor(MAX_WIDTH / n);
		const double height = tallest * zoom / widest->pixel_width;
		if (height > MAX_HEIGHT)
			zoom *= MAX_HEIGHT / height;
	}
	l->per_mm = zoom / widest->pixel_width;
	l->cell_width = ceil(width_mm(widest) * l->per_mm);
	l->per_line = s->per_line ? s->per_line : s->pictures;
	if (l->per_line > s->pictures)
		l->per_line = s->pictures;
	l->top = MARGIN + (s->title ? TITLE : 0);
	l->width = MARGIN + (double)l->per_line * (l->cell_width + GAP) - GAP + BAR_GAP + BAR + TICKS;
	l->height = l->top - GAP + SCALE_BAR + MARGIN / 2.0;
	for (size_t i = 0; i < s->pictures; i += l->per_line)
		l->height += l->labels + line_height(s, l, i) + GAP;
	l->sharp = 1;
	for (size_t i = 0; i < s->pictures; i++)
		l->sharp = l->sharp && is_whole(s->picture[i].pixel_width * l->per_mm) && is_whole(s->picture[i].pixel_height * l->per_mm);
	if (!(l->width < MAX_SIDE && l->height < MAX_SIDE))
		return gt_fail(GT_ERR_ARG, "%s: the sheet would be %.0f x %.0f pixels, expected at most %d: fewer pictures or less zoom",
		               path, l->width, l->height, (int)MAX_SIDE);
	return GT_OK;
}

/* Grey value within the window; red for NaN. */
static uint32_t color(const gt_sheet *s, float value)
{
	if (isnan(value))
		return 0xd03020;
	const double x = (value - s->low) / (s->high - s->low);
	const uint32_t grey = (uint32_t)(255 * (x < 0 ? 0 : x > 1 ? 1 : x) + 0.5);
	return grey << 16 | grey << 8 | grey;
}

static cairo_surface_t *pixels_of(const gt_sheet *s, const gt_picture *p)
{
	cairo_surface_t *image = cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)p->width, (int)p->height);
	if (cairo_surface_status(image) != CAIRO_STATUS_SUCCESS)
		return image;
	unsigned char *bytes = cairo_image_surface_get_data(image);
	const size_t stride = (size_t)cairo_image_surface_get_stride(image);
	for (size_t y = 0; y < p->height; y++) {
		const float *line = p->data + (p->flip_y ? p->height - 1 - y : y) * p->width;
		uint32_t *to = (uint32_t *)(void *)(bytes + y * stride);
		for (size_t x = 0; x < p->width; x++)
			to[x] = color(s, line[p->flip_x ? p->width - 1 - x : x]);
	}
	cairo_surface_mark_dirty(image);
	return image;
}

/* Left and top edge of image i, below its label. Smaller images are centred in their cell. */
static void place_of(const gt_sheet *s, const layout *l, size_t i, double *x, double *y)
{
	const gt_picture *p = &s->picture[i];
	*x = MARGIN + (double)(i % l->per_line) * (l->cell_width + GAP) + floor((l->cell_width - width_mm(p) * l->per_mm) / 2);
	*y = l->top + l->labels;
	for (size_t k = 0; k + l->per_line <= i; k += l->per_line)
		*y += line_height(s, l, k) + GAP + l->labels;
}

static void draw_picture(cairo_t *cr, const gt_sheet *s, const layout *l, size_t i)
{
	const gt_picture *p = &s->picture[i];
	const double sx = p->pixel_width * l->per_mm, sy = p->pixel_height * l->per_mm;
	const double width = (double)p->width * sx, height = (double)p->height * sy;
	double x, y;
	place_of(s, l, i, &x, &y);
	cairo_surface_t *image = pixels_of(s, p);
	cairo_save(cr);
	cairo_translate(cr, x, y);
	cairo_rectangle(cr, 0, 0, width, height);
	cairo_clip(cr);
	cairo_scale(cr, sx, sy);
	cairo_set_source_surface(cr, image, 0, 0);
	/* Integer zoom keeps sharp pixels; otherwise interpolate, without a dark rim. */
	cairo_pattern_set_filter(cairo_get_source(cr), l->sharp ? CAIRO_FILTER_NEAREST : CAIRO_FILTER_GOOD);
	cairo_pattern_set_extend(cairo_get_source(cr), CAIRO_EXTEND_PAD);
	cairo_paint(cr);
	cairo_restore(cr);
	cairo_surface_destroy(image);
	cairo_set_source_rgb(cr, faint, faint, faint);
	cairo_set_line_width(cr, 1);
	cairo_rectangle(cr, x - 0.5, y - 0.5, ceil(width) + 1, ceil(height) + 1);
	cairo_stroke(cr);
}

static void text_at(cairo_t *cr, double x, double y, double size, int bold, const char *text)
{
	cairo_select_font_face(cr, "sans", CAIRO_FONT_SLANT_NORMAL, bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
	cairo_set_font_size(cr, size);
	cairo_set_source_rgb(cr, ink, ink, ink);
	cairo_move_to(cr, x, y);
	cairo_show_text(cr, text);
}

/* The text, or a prefix that fits and "...". */
static void text_within(cairo_t *cr, double x, double y, double size, int bold, const char *text, double room)
{
	char cut[512];
	cairo_text_extents_t e;
	size_t n = strlen(text);
	cairo_select_font_face(cr, "sans", CAIRO_FONT_SLANT_NORMAL, bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
	cairo_set_font_size(cr, size);
	snprintf(cut, sizeof cut, "%s", text);
	for (cairo_text_extents(cr, cut, &e); e.x_advance > room && n > 4; cairo_text_extents(cr, cut, &e)) {
		n = n < sizeof cut - 4 ? n - 1 : sizeof cut - 5;
		/* Never cuts within a UTF-8 character. */
		while (n > 4 && ((unsigned char)text[n] & 0xc0) == 0x80)
			n--;
		snprintf(cut, sizeof cut, "%.*s...", (int)n, text);
	}
	text_at(cr, x, y, size, bold, cut);
}

/* 1, 2 or 5 times a power of ten, at most x. */
static double nice_below(double x)
{
	const double power = pow(10, floor(log10(x))), m = x / power;
	return (m >= 5 ? 5 : m >= 2 ? 2 : 1) * power;
}

static void draw_scale(cairo_t *cr, const layout *l)
{
	const double mm = nice_below(fmin(l->cell_width, 180) / l->per_mm), width = mm * l->per_mm;
	const double x = MARGIN, y = l->height - MARGIN / 2.0 - 12;
	char text[64];
	cairo_set_source_rgb(cr, ink, ink, ink);
	cairo_rectangle(cr, x, y, width, 4);
	cairo_rectangle(cr, x, y - 3, 1.5, 10);
	cairo_rectangle(cr, x + width - 1.5, y - 3, 1.5, 10);
	cairo_fill(cr);
	snprintf(text, sizeof text, "%g mm", mm);
	text_at(cr, x + width + 8, y + 7, 13, 0, text);
}

/* As high as the first row of images. */
static double bar_height(const gt_sheet *s, const layout *l)
{
	return fmin(fmax(line_height(s, l, 0), 96), l->height - l->top - l->labels - MARGIN / 2.0);
}

static void draw_bar(cairo_t *cr, const gt_sheet *s, const layout *l)
{
	const double x = l->width - TICKS - BAR, top = l->top + l->labels, height = bar_height(s, l);
	cairo_pattern_t *ramp = cairo_pattern_create_linear(0, top + height, 0, top);
	cairo_pattern_add_color_stop_rgb(ramp, 0, 0, 0, 0);
	cairo_pattern_add_color_stop_rgb(ramp, 1, 1, 1, 1);
	cairo_set_source(cr, ramp);
	cairo_rectangle(cr, x, top, BAR, height);
	cairo_fill(cr);
	cairo_pattern_destroy(ramp);
	cairo_set_source_rgb(cr, faint, faint, faint);
	cairo_set_line_width(cr, 1);
	cairo_rectangle(cr, x - 0.5, top - 0.5, BAR + 1, height + 1);
	cairo_stroke(cr);
}

static void tick(cairo_t *cr, double x, double y, double value, double span)
{
	char text[64];
	/* rounding leaves 1e-17 instead of 0 */
	snprintf(text, sizeof text, "%.4g", fabs(value) < 1e-9 * span ? 0.0 : value);
	cairo_set_source_rgb(cr, ink, ink, ink);
	cairo_rectangle(cr, x, y - 0.5, 5, 1);
	cairo_fill(cr);
	text_at(cr, x + 8, y + 4.5, 12, 0, text);
}

/* Both ends, and round numbers between them if they fit. */
static void draw_ticks(cairo_t *cr, const gt_sheet *s, const layout *l)
{
	const double x = l->width - TICKS + 1, top = l->top + l->labels, height = bar_height(s, l);
	const double span = s->high - s->low, step = 2 * nice_below(span / fmax(2, fmin(6, height / 50)) / 2 * 1.25);
	tick(cr, x, top + height, s->low, span);
	tick(cr, x, top, s->high, span);
	for (double value = ceil(s->low / step) * step; value < s->high; value += step) {
		const double at = (value - s->low) / span * height;
		if (at > 20 && height - at > 20)
			tick(cr, x, top + height - at, value, span);
	}
	if (s->unit)
		text_at(cr, x - BAR - 1, top - 8, 12, 1, s->unit);
}

/* Light letter with a dark outline, visible on black and on white; centred at (x, y). */
static void letter_at(cairo_t *cr, double x, double y, char letter)
{
	const char text[2] = { letter, 0 };
	cairo_text_extents_t e;
	if (!letter)
		return;
	cairo_select_font_face(cr, "sans", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_BOLD);
	cairo_set_font_size(cr, 14);
	cairo_text_extents(cr, text, &e);
	cairo_move_to(cr, x - e.x_bearing - e.width / 2, y - e.y_bearing - e.height / 2);
	cairo_text_path(cr, text);
	cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
	cairo_set_source_rgb(cr, 0, 0, 0);
	cairo_set_line_width(cr, 3.5);
	cairo_stroke_preserve(cr);
	cairo_set_source_rgb(cr, 1, 0.85, 0.3);
	cairo_fill(cr);
}

static void draw_sides(cairo_t *cr, const gt_sheet *s, const layout *l, size_t i)
{
	const gt_picture *p = &s->picture[i];
	const double width = width_mm(p) * l->per_mm, height = height_mm(p) * l->per_mm, in = 11;
	double x, y;
	place_of(s, l, i, &x, &y);
	/* no space for all letters */
	if (width < 5 * in || height < 5 * in)
		return;
	letter_at(cr, x + in, y + height / 2, p->left);
	letter_at(cr, x + width - in, y + height / 2, p->right);
	letter_at(cr, x + width / 2, y + in, p->top);
	letter_at(cr, x + width / 2, y + height - in, p->bottom);
}

/* A separate context: without fonts cairo disables it, but the images remain. */
static void draw_texts(cairo_surface_t *surface, const gt_sheet *s, const layout *l)
{
	cairo_t *cr = cairo_create(surface);
	if (s->title)
		text_within(cr, MARGIN, MARGIN + 14, 17, 1, s->title, l->width - 2 * MARGIN);
	for (size_t i = 0; i < s->pictures; i++) {
		double x, y;
		draw_sides(cr, s, l, i);
		if (!s->picture[i].label)
			continue;
		place_of(s, l, i, &x, &y);
		text_within(cr, x, y - 7, 13, 0, s->picture[i].label, l->cell_width);
	}
	draw_ticks(cr, s, l);
	draw_scale(cr, l);
	cairo_destroy(cr);
}

static cairo_status_t put(void *file, const unsigned char *data, unsigned length)
{
	return fwrite(data, 1, length, file) == length ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

static gt_status save(const char *path, cairo_surface_t *surface)
{
	char *tmp;
	gt_status st = gt_tmp_path(path, &tmp);
	if (st != GT_OK)
		return st;
	FILE *f = fopen(tmp, "wb");
	const cairo_status_t drawn = f ? cairo_surface_write_to_png_stream(surface, put, f) : CAIRO_STATUS_WRITE_ERROR;
	const int why = errno;
	if (drawn != CAIRO_STATUS_SUCCESS)
		st = gt_fail(GT_ERR_IO, "%s: cannot be written: %s", path,
		             drawn == CAIRO_STATUS_WRITE_ERROR ? strerror(why) : cairo_status_to_string(drawn));
	if (f && fclose(f) != 0 && st == GT_OK)
		st = gt_fail(GT_ERR_IO, "%s: cannot be written: %s", path, strerror(errno));
	if (st == GT_OK)
		return gt_tmp_commit(tmp, path);
	gt_tmp_drop(tmp);
	return st;
}

gt_status gt_can_write_sheet(const char *path)
{
	GT_NEED(path);
	const size_t n = strlen(path);
	if (n < 5 || strcasecmp(path + n - 4, ".png") != 0)
		return gt_fail(GT_ERR_ARG, "%s: pictures are written as PNG: expected a name that ends in .png", path);
	return gt_can_write(path);
}

gt_status gt_sheet_write(const char *path, const gt_sheet *sheet)
{
	GT_NEED(path);
	GT_NEED(sheet);
	layout l;
	gt_status st = check(path, sheet);
	if (st == GT_OK)
		st = arrange(path, sheet, &l);
	if (st != GT_OK)
		return st;
	cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)ceil(l.width), (int)ceil(l.height));
	cairo_t *cr = cairo_create(surface);
	cairo_set_source_rgb(cr, paper, paper, paper);
	cairo_paint(cr);
	for (size_t i = 0; i < sheet->pictures; i++)
		draw_picture(cr, sheet, &l, i);
	draw_bar(cr, sheet, &l);
	const cairo_status_t drawn = cairo_status(cr);
	cairo_destroy(cr);
	if (drawn != CAIRO_STATUS_SUCCESS) {
		st = gt_fail(GT_ERR_MEMORY, "%s: cannot be drawn: %s", path, cairo_status_to_string(drawn));
	} else {
		draw_texts(surface, sheet, &l);
		st = save(path, surface);
	}
	cairo_surface_destroy(surface);
	return st;
}
