/* Detects projections that cannot be line integrals -ln(I/I0): a warning, or an error that names the first value. */
#include <math.h>
#include <gantry/scan.h>
#include "core/clones.h"
#include "core/log.h"
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

gt_status gt_projections_plausible(const gt_projections *p, const char *path)
{
	GT_NEED(p);
	gt_value_range r = { .size = sizeof r };
	const gt_scan *s = p->scan;
	const size_t n = p->data ? gt_scan_size(s) : 0, view = s->rows * s->columns;
	size_t first = 0;
	gt_value_range_scan(&r, p->data, n);
	if (!r.implausible)
		return GT_OK;
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

/* A clipped profile is flat over FLAT adjacent pixels at the maximum, in adjacent views, and few values lie just below.
 * A box has flat profiles in isolated views only. Rounded maxima of other objects have many values close to them. */
#define CLOSE 0.98f
enum { PAIRS = 32, CLIPPED_ROWS = 16, FLAT = 8, MIN_PAIRS = 2, MIN_CLIPPED_PER_CLOSE = 4, MIN_CLIPPED_PER_THOUSAND = 1 };

typedef struct {
	float max;
	size_t looked, equal, close;
} maximum;

/* Returns the longest run of the maximum in the sampled rows of a view. */
static size_t count_equal(const gt_scan *s, const float *view, maximum *m)
{
	const size_t step = 1 + (s->rows - 1) / CLIPPED_ROWS;
	size_t longest = 0;
	for (size_t r = 0; r < s->rows; r += step) {
		const float *x = view + r * s->columns;
		size_t run = 0;
		for (size_t c = 0; c < s->columns; c++) {
			run = x[c] == m->max ? run + 1 : 0;
			longest = run > longest ? run : longest;
			m->equal += x[c] == m->max;
			m->close += x[c] < m->max && x[c] > CLOSE * m->max;
		}
		m->looked += s->columns;
	}
	return longest;
}

static float max_of(const gt_scan *s, const float *view, float max)
{
	const size_t step = 1 + (s->rows - 1) / CLIPPED_ROWS;
	for (size_t r = 0; r < s->rows; r += step)
		for (size_t c = 0; c < s->columns; c++)
			max = view[r * s->columns + c] > max ? view[r * s->columns + c] : max;
	return max;
}

static void note_clipped(const gt_projections *p, const gt_listener *log, const char *path)
{
	const gt_scan *s = p->scan;
	const size_t view = s->rows * s->columns, step = 2 + (s->views - 1) / PAIRS;
	maximum m = { 0, 0, 0, 0 };
	size_t pairs = 0;
	/* In laminography a plate has one thickness in all views. */
	if (!p->data || gt_scan_has_inclined_rays(s))
		return;
	for (size_t v = 0; v + 1 < s->views; v += step)
		for (size_t i = v; i < v + 2; i++)
			m.max = max_of(s, p->data + i * view, m.max);
	for (size_t v = 0; v + 1 < s->views && m.max > 0; v += step) {
		const size_t first = count_equal(s, p->data + v * view, &m), second = count_equal(s, p->data + (v + 1) * view, &m);
		pairs += first >= FLAT && second >= FLAT;
	}
	if (pairs >= MIN_PAIRS && m.equal > MIN_CLIPPED_PER_CLOSE * m.close && 1000 * m.equal > MIN_CLIPPED_PER_THOUSAND * m.looked &&
	    4 * m.equal < 3 * m.looked)
		gt_notify(
			log, GT_WARNING, GT_ABOUT_DATA,
			"%s: %zu of %zu sampled values equal the maximum %.4g, only %zu are within 2 %% of it: expected a noisy or rounded "
			"maximum; line integrals are clipped there, and dense parts get too small values",
			path, m.equal, m.looked, (double)m.max, m.close);
}

void gt_projections_note_all(const gt_projections *p, const gt_listener *log, const char *path)
{
	gt_projections_note_sign(p, log, path);
	gt_projections_outlier_columns(p, log, path);
	gt_projections_constant_rows(p, log, path);
	note_pitches(p, log, path);
	note_clipped(p, log, path);
}
