/* A warning of projections that no detector can have measured as -ln(I/I0). */
#include <gantry/plausibility.h>
#include <gantry/scan.h>
#include "core/log.h"
#include "geometry/projections.h"

/* Twenty times as bright as air; and so dark that 10^21 photons leave not one. Noise and missing photons stay far
 * within. */
#define MIN_LINE_INTEGRAL -3.0f
#define MAX_LINE_INTEGRAL 50.0f

static int is_implausible(float x) { return (x < MIN_LINE_INTEGRAL) | (x > MAX_LINE_INTEGRAL); }

void gt_value_range_look(gt_value_range *r, const float *value, size_t n)
{
	size_t implausible = 0;
	for (size_t i = 0; i < n; i++)
		implausible += (size_t)is_implausible(value[i]);
	r->looked += n;
	if (implausible && !r->implausible)
		r->least = r->most = value[0];
	r->implausible += implausible;
	for (size_t i = 0; implausible && i < n; i++) {
		r->least = value[i] < r->least ? value[i] : r->least;
		r->most = value[i] > r->most ? value[i] : r->most;
	}
}

void gt_value_range_warn(const gt_value_range *r, const gt_listener *log, const char *path)
{
	if (r->implausible)
		gt_say(log, GT_WARNING, GT_ABOUT_DATA,
		       "%s: %zu of %zu values, from %.4g to %.4g, are no line integrals: expected -ln(I/I0), which is 0 in air, "
		       "seldom above 15 and never above %g or below %g; are they counts, or of another unit?",
		       path, r->implausible, r->looked, (double)r->least, (double)r->most, (double)MAX_LINE_INTEGRAL,
		       (double)MIN_LINE_INTEGRAL);
}

int gt_projections_implausible(const gt_projections *p, const gt_listener *log, const char *path)
{
	gt_value_range range = { .size = sizeof range };
	if (p->data)
		gt_value_range_look(&range, p->data, gt_scan_size(p->scan));
	gt_value_range_warn(&range, log, path);
	return range.implausible > 0;
}
