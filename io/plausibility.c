/* Detects projections that cannot be line integrals -ln(I/I0): a warning, or an error that names the first value. */
#include <math.h>
#include <stdatomic.h>
#include <gantry/scan.h>
#include "core/clones.h"
#include "core/log.h"
#include "core/poll.h"
#include "core/arguments.h"
#include "geometry/projections.h"
#include "geometry/scan.h"
#include "io/plausibility.h"

/* I/I0 of 20 and of exp(-50), with which 10^21 photons leave less than one. Noise and photon starvation stay far
 * within. */
#define MIN_LINE_INTEGRAL -3.0f
#define MAX_LINE_INTEGRAL 50.0f

/* Noise and corrections leave smaller values in air; with a drift of the source, below MAX_DRIFT. */
#define MAX_AIR 0.05f
#define MAX_DRIFT 0.2f
/* Views of a sample. Values of a block, which stays in the cache from count to count. */
enum { VIEWS = 32, BLOCK = 4096 };

static int is_implausible(float x) { return (x < MIN_LINE_INTEGRAL) | (x > MAX_LINE_INTEGRAL); }

GT_WIDER static size_t count_implausible(const float *value, size_t n)
{
	size_t implausible = 0;
	for (size_t i = 0; i < n; i++)
		implausible += (size_t)is_implausible(value[i]);
	return implausible;
}

GT_WIDER static size_t count_above(const float *value, size_t n, float sign, float limit)
{
	size_t above = 0;
	for (size_t i = 0; i < n; i++)
		above += (size_t)(sign * value[i] > limit);
	return above;
}

void gt_value_range_scan(gt_value_range *r, const float *value, size_t n)
{
	size_t implausible = 0;
	for (size_t i = 0; i < n; i += BLOCK) {
		const size_t m = n - i < BLOCK ? n - i : BLOCK;
		implausible += count_implausible(value + i, m);
		r->negative += count_above(value + i, m, -1, MAX_AIR);
		r->positive += count_above(value + i, m, 1, MAX_AIR);
		r->deep += count_above(value + i, m, -1, MAX_DRIFT);
		r->high += count_above(value + i, m, 1, MAX_DRIFT);
	}
	r->looked += n;
	if (implausible && !r->implausible)
		r->min = r->max = value[0];
	r->implausible += implausible;
	for (size_t i = 0; implausible && i < n; i++) {
		r->min = value[i] < r->min ? value[i] : r->min;
		r->max = value[i] > r->max ? value[i] : r->max;
	}
}

#define EXPECTED                                                                                                                           \
	"are not line integrals: expected -ln(I/I0), which is 0 in air, seldom above 15 and never above %g or below %g; are they counts, " \
	"or do they have another unit?"

static void warn_of_sign(const gt_value_range *r, const gt_listener *log, const char *path)
{
	if (r->negative > 2 * r->positive && r->negative > r->looked / 100 && r->deep >= r->high)
		gt_notify(log, GT_WARNING, GT_ABOUT_DATA,
		          "%s: %zu of %zu values are below -%g and %zu above %g: expected -ln(I/I0), which is positive within the object; "
		          "check the sign",
		          path, r->negative, r->looked, (double)MAX_AIR, r->positive, (double)MAX_AIR);
}

void gt_projections_note_sign(const gt_projections *p, const gt_listener *log, const char *path)
{
	const gt_scan *s = p->scan;
	const size_t view = s->rows * s->columns, step = 1 + (s->views - 1) / VIEWS;
	gt_value_range r = { .size = sizeof r };
	for (size_t v = 0; p->data && v < s->views; v += step)
		gt_value_range_scan(&r, p->data + v * view, view);
	warn_of_sign(&r, log, path);
}

void gt_value_range_warn(const gt_value_range *r, const gt_listener *log, const char *path)
{
	warn_of_sign(r, log, path);
	if (r->implausible)
		gt_notify(log, GT_WARNING, GT_ABOUT_DATA, "%s: %zu of %zu values, from %.4g to %.4g, " EXPECTED, path, r->implausible,
		          r->looked, (double)r->min, (double)r->max, (double)MAX_LINE_INTEGRAL, (double)MIN_LINE_INTEGRAL);
}

gt_status gt_value_range_check(const gt_value_range *r, const char *path)
{
	GT_NEED(r);
	return !r->implausible
	               ? GT_OK
	               : gt_fail(GT_ERR_FORMAT, "%s: %zu of %zu sampled values, from %.4g to %.4g, " EXPECTED " (--force takes them)", path,
	                         r->implausible, r->looked, (double)r->min, (double)r->max, (double)MAX_LINE_INTEGRAL,
	                         (double)MIN_LINE_INTEGRAL);
}

/* Impossible values, counted by several threads. */
struct counting {
	const float *value;
	atomic_size_t implausible;
};

static void count_some(void *self, size_t begin, size_t end, int worker)
{
	struct counting *c = self;
	(void)worker;
	atomic_fetch_add(&c->implausible, count_implausible(c->value + begin, end - begin));
}

static size_t count_all(const float *value, size_t n)
{
	enum { GRAIN = 1 << 18 };
	struct counting c = { value, 0 };
	gt_parallel_once(n, 4 * GRAIN, GRAIN, count_some, &c);
	return c.implausible;
}

gt_status gt_projections_plausible(const gt_projections *p, const char *path)
{
	GT_NEED(p);
	gt_value_range r = { .size = sizeof r };
	const gt_scan *s = p->scan;
	const size_t n = p->data ? gt_scan_size(s) : 0, view = s->rows * s->columns;
	size_t first = 0;
	if (!count_all(p->data, n))
		return GT_OK;
	gt_value_range_scan(&r, p->data, n);
	while (!is_implausible(p->data[first]))
		first++;
	return gt_fail(GT_ERR_FORMAT,
	               "%s: %zu of %zu values, from %.4g to %.4g, the first %.4g in view %zu, row %zu, column %zu, " EXPECTED
	               " (--force takes them)",
	               path, r.implausible, n, (double)r.min, (double)r.max, (double)p->data[first], first / view,
	               first % view / s->columns, first % s->columns, (double)MAX_LINE_INTEGRAL, (double)MIN_LINE_INTEGRAL);
}

int gt_projections_implausible(const gt_projections *p, const gt_listener *log, const char *path)
{
	gt_value_range range = { .size = sizeof range };
	if (p->data)
		gt_value_range_scan(&range, p->data, gt_scan_size(p->scan));
	gt_value_range_warn(&range, log, path);
	return range.implausible > 0;
}

static void note_pitches(const gt_projections *p, const gt_listener *log, const char *path)
{
	const gt_scan *s = p->scan;
	const double column = s->column_pitch, row = s->row_pitch;
	if (s->rows > 1 && fmax(column, row) > GT_MAX_PITCH_RATIO * fmin(column, row))
		gt_notify(
			log, GT_WARNING, GT_ABOUT_DATA,
			"%s: detector pixels have %g mm along the columns and %g mm along the rows: expected a ratio of at most %d; check "
			"the units of both pitches",
			path, column, row, GT_MAX_PITCH_RATIO);
}

/* A clipped profile is flat over FLAT adjacent pixels at the maximum, in adjacent views. Few values lie within 2 %
 * below it or at the two next levels. Rounded profiles have many values there. Runs at the border of the detector are
 * padding. Runs at one place in all views and rows are padding as well, or an object that does not rotate. */
#define CLOSE 0.98f
/* Larger relative differences separate two levels of rounded values. */
#define SAME_LEVEL 1e-4f
enum { PAIRS = 32, CLIPPED_ROWS = 16, FLAT = 8, MIN_PAIRS = 2, MIN_CLIPPED_PER_CLOSE = 4, MIN_CLIPPED_PER_THOUSAND = 1 };

typedef struct {
	float max, close; /* close: lower bound of values near the maximum */
	size_t looked, equal, near;
	size_t first, length; /* place of the last flat run; length 0: none */
	int moves;            /* flat runs differ in place */
} maximum;

/* Adds a row; returns the length of its longest run of the maximum. Ignores runs at the border. */
static size_t count_equal(const float *x, size_t columns, maximum *m)
{
	size_t first = 0, longest = 0;
	for (size_t c = 0, run = 0; c < columns; c++) {
		m->near += x[c] < m->max && x[c] >= m->close;
		if (x[c] == m->max) {
			run++;
			continue;
		}
		if (run && run < c) {
			m->equal += run;
			first = run > longest ? c - run : first;
			longest = run > longest ? run : longest;
		}
		run = 0;
	}
	m->looked += columns;
	if (longest < FLAT)
		return longest;
	m->moves |= m->length && (m->first != first || m->length != longest);
	m->first = first;
	m->length = longest;
	return longest;
}

/* Adds the sampled rows of a view; returns whether one of them is flat. */
static int is_flat(const gt_scan *s, const float *view, maximum *m)
{
	const size_t step = 1 + (s->rows - 1) / CLIPPED_ROWS;
	size_t longest = 0;
	for (size_t r = 0; r < s->rows; r += step) {
		const size_t length = count_equal(view + r * s->columns, s->columns, m);
		longest = length > longest ? length : longest;
	}
	return longest >= FLAT;
}

/* Returns the largest sampled value of a view below a bound, at least max. */
static float max_of(const gt_scan *s, const float *view, float bound, float max)
{
	const size_t step = 1 + (s->rows - 1) / CLIPPED_ROWS;
	for (size_t r = 0; r < s->rows; r += step)
		for (size_t c = 0; c < s->columns; c++) {
			const float x = view[r * s->columns + c];
			max = x > max && x < bound ? x : max;
		}
	return max;
}

/* Returns the largest sampled value below a bound; 0: none is positive. */
static float max_below(const gt_projections *p, size_t step, float bound)
{
	const size_t view = p->scan->rows * p->scan->columns;
	float max = 0;
	for (size_t v = 0; v + 1 < p->scan->views; v += step)
		for (size_t i = v; i < v + 2; i++)
			max = max_of(p->scan, p->data + i * view, bound, max);
	return max;
}

static void note_clipped(const gt_projections *p, const gt_listener *log, const char *path)
{
	const gt_scan *s = p->scan;
	const size_t view = s->rows * s->columns, step = 2 + (s->views - 1) / PAIRS;
	maximum m = { 0 };
	size_t pairs = 0;
	/* In laminography a plate has one thickness in all views. */
	if (!p->data || gt_scan_has_inclined_rays(s))
		return;
	m.max = max_below(p, step, INFINITY);
	m.close = fminf(CLOSE * m.max, max_below(p, step, (1 - SAME_LEVEL) * max_below(p, step, (1 - SAME_LEVEL) * m.max)));
	for (size_t v = 0; v + 1 < s->views && m.max > 0; v += step) {
		const int first = is_flat(s, p->data + v * view, &m), second = is_flat(s, p->data + (v + 1) * view, &m);
		pairs += first && second;
	}
	if (pairs >= MIN_PAIRS && m.moves && m.equal > MIN_CLIPPED_PER_CLOSE * m.near &&
	    1000 * m.equal > MIN_CLIPPED_PER_THOUSAND * m.looked && 4 * m.equal < 3 * m.looked)
		gt_notify(log, GT_WARNING, GT_ABOUT_DATA,
		          "%s: %zu of %zu sampled values equal the maximum %.4g, only %zu lie just below it: expected a noisy or rounded "
		          "maximum; line integrals are clipped there, and dense parts get too small values",
		          path, m.equal, m.looked, (double)m.max, m.near);
}

void gt_projections_note_all(const gt_projections *p, const gt_listener *log, const char *path)
{
	gt_projections_note_sign(p, log, path);
	gt_projections_outlier_columns(p, log, path);
	gt_projections_constant_rows(p, log, path);
	note_pitches(p, log, path);
	note_clipped(p, log, path);
	gt_projections_misplaced_pixels(p, log, path);
}
