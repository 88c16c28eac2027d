/* Detects projections that cannot be line integrals -ln(I/I0): a warning, or an error that names the first value. */
#include <gantry/scan.h>
#include "core/clones.h"
#include "core/log.h"
#include "core/arguments.h"
#include "geometry/projections.h"
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
