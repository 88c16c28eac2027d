/* Detects pixels in the wrong place, from which the reconstruction may still look plausible. A line camera that is read
 * in both directions mirrors every second row or view. Halves of a detector may be exchanged. Lines (rows or columns of
 * a view) are averaged in bins. Squared differences of lines are summed over a sample of the views. */
#include <math.h>
#include <string.h>
#include <gantry/author/constants.h>
#include "core/log.h"
#include "geometry/projections.h"
#include "geometry/scan.h"
#include "io/plausibility.h"

enum { VIEWS = 32, ROWS = 12, BINS = 64, MIN_COLUMNS = 8, MIN_LINES = 16, MIN_BINS = 256 };
/* Ratios of squared differences: of mirrored lines, of lines that match, and of a jump to its surroundings. */
#define MIRRORED 2.0
#define MATCH 4.0
#define JUMP 9.0
/* Smallest asymmetry that matters, as a part of the squared values. */
#define ASYMMETRY 1e-4
/* A focal spot that alternates shifts a symmetric object as mirrored views do (columns). */
#define STEADY_AXIS 0.25
/* Views at most this far apart are similar (rad). Rays through the centre in this range of angles meet every object. */
#define NEAR (GT_PI / 18)
#define ALL_RAYS (0.9 * GT_PI)
/* Smallest level of the object, and largest of air, as parts of the largest and of the object's. */
#define OBJECT 0.25
#define AIR 0.05

/* Rows or columns of a view. */
typedef struct {
	const float *value;
	size_t n, apart;      /* lines, and their distance in values */
	size_t pixels, along; /* pixels of a line, and their distance */
} line_set;

static line_set rows_of(const gt_projections *p, size_t view)
{
	const gt_scan *s = p->scan;
	return (line_set){ p->data + view * s->rows * s->columns, s->rows, s->columns, s->columns, 1 };
}

static line_set columns_of(const gt_projections *p, size_t view)
{
	const gt_scan *s = p->scan;
	return (line_set){ p->data + view * s->rows * s->columns, s->columns, 1, s->rows, s->columns };
}

/* Sets bin[] to means of adjacent pixels. Bin b is the mirror image of bin n - 1 - b; some pixels of the centre belong
 * to none. Returns n. */
static size_t take_line(const line_set *l, size_t line, double bin[BINS])
{
	const size_t width = 1 + (l->pixels - 1) / BINS, half = l->pixels / 2 / width, n = half ? 2 * half : 1;
	const float *x = l->value + line * l->apart;
	for (size_t b = 0; b < n; b++) {
		const size_t first = b < half || n == 1 ? b * width : l->pixels - (n - b) * width;
		float sum = 0;
		for (size_t i = first; i < first + width; i++)
			sum += x[i * l->along];
		bin[b] = (double)sum / (double)width;
	}
	return n;
}

static double difference(const double *a, const double *b, size_t n)
{
	double sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += (a[i] - b[i]) * (a[i] - b[i]);
	return sum;
}

static double difference_mirrored(const double *a, const double *b, size_t n)
{
	double sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += (a[i] - b[n - 1 - i]) * (a[i] - b[n - 1 - i]);
	return sum;
}

/* Differences of adjacent lines, of adjacent lines after one is mirrored, and of every second line. */
typedef struct {
	double adjacent, mirrored, second, squares;
	size_t bins;
} alternation;

static void add_three(alternation *a, const line_set l[3], const size_t line[3])
{
	double x[3][BINS];
	size_t n = 0;
	for (int i = 0; i < 3; i++)
		n = take_line(&l[i], line[i], x[i]);
	a->adjacent += difference(x[0], x[1], n) + difference(x[1], x[2], n);
	a->mirrored += difference_mirrored(x[0], x[1], n) + difference_mirrored(x[1], x[2], n);
	a->second += 2 * difference(x[0], x[2], n);
	a->bins += n;
	for (size_t i = 0; i < n; i++)
		a->squares += 2 * x[1][i] * x[1][i];
}

static void note_mirrored(const alternation *a, const char *what, const gt_listener *log, const char *path)
{
	if (a->bins >= MIN_BINS && a->adjacent > ASYMMETRY * a->squares && a->adjacent > MIRRORED * a->mirrored &&
	    a->adjacent > MIRRORED * a->second)
		gt_notify(log, GT_WARNING, GT_ABOUT_DATA,
		          "%s: every second %s is mirrored left to right, as from a line camera read in both directions: adjacent %ss "
		          "match if one is reversed; reverse the columns of every second %s in the file",
		          path, what, what, what);
}

static void check_rows(const gt_projections *p, const gt_listener *log, const char *path)
{
	const gt_scan *s = p->scan;
	const size_t views = 1 + (s->views - 1) / VIEWS, rows = 1 + (s->rows - 1) / ROWS;
	alternation a = { 0, 0, 0, 0, 0 };
	for (size_t v = 0; v < s->views; v += views)
		for (size_t r = 0; r + 2 < s->rows; r += rows) {
			const line_set l = rows_of(p, v);
			add_three(&a, (const line_set[]){ l, l, l }, (const size_t[]){ r, r + 1, r + 2 });
		}
	note_mirrored(&a, "row", log, path);
}

static int are_near(const gt_scan *s, size_t view)
{
	return fabs(remainder(s->view[view + 1].angle - s->view[view].angle, 2 * GT_PI)) <= NEAR;
}

static void check_views(const gt_projections *p, const gt_listener *log, const char *path)
{
	const gt_scan *s = p->scan;
	const size_t views = 1 + (s->views - 1) / VIEWS, rows = 1 + (s->rows - 1) / ROWS;
	alternation a = { 0, 0, 0, 0, 0 };
	gt_axis_seen axis;
	gt_scan_see_axis(s, &axis);
	for (size_t v = 0; axis.max - axis.min < STEADY_AXIS && v + 2 < s->views; v += views) {
		const line_set l[3] = { rows_of(p, v), rows_of(p, v + 1), rows_of(p, v + 2) };
		for (size_t r = 0; r < s->rows && are_near(s, v) && are_near(s, v + 1); r += rows)
			add_three(&a, l, (const size_t[]){ r, r, r });
	}
	note_mirrored(&a, "view", log, path);
}

/* Lines at both ends, about the middle, in pairs at equal distances from both ends, and in between. */
enum { FIRST, SECOND, LAST_BUT_ONE, LAST, BEFORE_2, BEFORE, AFTER, AFTER_2, LOWER, UPPER, PAIRS, BETWEEN = PAIRS + 6, LINES = BETWEEN + 4 };

static void choose_lines(size_t n, size_t line[LINES])
{
	const size_t middle = n / 2, band = n / 32;
	const size_t ends[PAIRS] = { 0, 1, n - 2, n - 1, middle - 2, middle - 1, middle, middle + 1, middle - 1 - band, middle + band };
	memcpy(line, ends, sizeof ends);
	for (size_t i = 0; i < 3; i++) {
		line[PAIRS + 2 * i] = n >> (5 - i) ? n >> (5 - i) : 1;
		line[PAIRS + 2 * i + 1] = n - 1 - line[PAIRS + 2 * i];
	}
	for (size_t i = 0; i < 4; i++)
		line[BETWEEN + i] = (2 * i + 1) * n / 8;
}

typedef struct {
	double mean[LINES];
	double ends, near_ends, middle, near_middle; /* across the ends and the middle, and next to each */
	double pair[3];                              /* at equal distances from the ends */
} halves;

static void add_view(halves *h, const line_set *l, const size_t line[LINES])
{
	double x[LINES][BINS];
	size_t n = 0;
	for (int i = 0; i < LINES; i++) {
		n = take_line(l, line[i], x[i]);
		for (size_t b = 0; b < n; b++)
			h->mean[i] += x[i][b];
	}
	h->ends += difference(x[FIRST], x[LAST], n);
	h->near_ends += (difference(x[FIRST], x[SECOND], n) + difference(x[LAST], x[LAST_BUT_ONE], n)) / 2;
	h->middle += difference(x[BEFORE], x[AFTER], n);
	h->near_middle += (difference(x[BEFORE], x[BEFORE_2], n) + difference(x[AFTER], x[AFTER_2], n)) / 2;
	for (int i = 0; i < 3; i++)
		h->pair[i] += difference(x[PAIRS + 2 * i], x[PAIRS + 2 * i + 1], n);
}

/* Lines at equal distances from the ends differ most at the ends, unless halves are exchanged. Then the middle is air.
 * It jumps if the object is truncated. certain: lines through the middle meet every object in some views. */
static int are_exchanged(const halves *h, int certain)
{
	const double object = fmin(h->mean[FIRST], h->mean[LAST]);
	const double pair = fmax(h->pair[0], fmax(h->pair[1], h->pair[2]));
	double max = 0, air = 0;
	for (int i = 0; i < LINES; i++)
		max = fmax(max, h->mean[i]);
	for (int i = BEFORE_2; i <= UPPER; i++)
		air = fmax(air, fabs(h->mean[i]));
	if (!(object > OBJECT * max) || h->ends > MATCH / 2 * h->near_ends)
		return 0;
	const int grows = pair > MATCH * h->ends && pair > MATCH * h->near_ends;
	const int jumps = h->middle > JUMP * h->near_middle && h->middle > JUMP * h->ends;
	return (air < AIR * object && (grows || certain)) || (jumps && grows);
}

static void check_halves(const gt_projections *p, int of_columns, const gt_listener *log, const char *path)
{
	const gt_scan *s = p->scan;
	const size_t n = of_columns ? s->columns : s->rows, step = 1 + (s->views - 1) / VIEWS;
	const char *what = of_columns ? "columns" : "rows";
	const int certain = of_columns && !gt_scan_has_inclined_rays(s) && fabs(gt_scan_angular_range(s)) >= ALL_RAYS;
	size_t line[LINES];
	halves h;
	memset(&h, 0, sizeof h);
	if (n < MIN_LINES)
		return;
	choose_lines(n, line);
	for (size_t v = 0; v < s->views; v += step) {
		const line_set l = of_columns ? columns_of(p, v) : rows_of(p, v);
		add_view(&h, &l, line);
	}
	if (are_exchanged(&h, certain))
		gt_notify(log, GT_WARNING, GT_ABOUT_DATA,
		          "%s: the %s halves of the detector seem exchanged: %s 0 and %zu match as adjacent ones do, and %s %zu and %zu "
		          "are at the border of the object; exchange the halves of every view in the file",
		          path, of_columns ? "left and right" : "upper and lower", what, n - 1, what, n / 2 - 1, n / 2);
}

void gt_projections_misplaced_pixels(const gt_projections *p, const gt_listener *log, const char *path)
{
	const gt_scan *s = p->scan;
	if (!p->data || s->columns < MIN_COLUMNS)
		return;
	check_rows(p, log, path);
	check_views(p, log, path);
	check_halves(p, 0, log, path);
	check_halves(p, 1, log, path);
}
