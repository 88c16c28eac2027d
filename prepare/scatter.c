/* Scatter as a constant: t <- (t - s)/(1 - s), s the part of an unattenuated pixel's signal that is scatter
 * everywhere. What is left is a thousandth of the transmission at least, and counted. A scan's own: the mean behind
 * a strip of lead, over that of the air. */
#include <math.h>
#include "core/try.h"
#include "prepare/step.h"

struct options {
	double fraction;
};
static const struct options defaults = { 0 };
static const gt_param params[] = {
	{ .key = "fraction",
	  .help = "scatter, as a part of what a pixel gets that nothing attenuates",
	  .kind = GT_REAL,
	  .at = offsetof(struct options, fraction),
	  .least = 0,
	  .most = 0.9 },
	{ .key = NULL },
};

static gt_status run(gt_prepare_call *c, const void *options)
{
	const double s = ((const struct options *)options)->fraction;
	const gt_projections *p = *c->p;
	size_t limited = 0;
	for (size_t i = 0; i < gt_scan_size(p->scan); i++) {
		const double t = exp(-p->data[i]), left = (t - s) / (1 - s);
		limited += left < 1e-3 * t;
		p->data[i] = (float)-log(fmax(left, 1e-3 * t));
	}
	if (limited)
		gt_prepare_note(c, "%zu of %zu values are below the scatter: fraction=%g may be too large", limited, gt_scan_size(p->scan),
		                s);
	return GT_OK;
}

const gt_preparation gt_preparation_scatter = {
	.name = "scatter",
	.about = "scatter as a constant part of the signal, taken off",
	.params = params,
	.defaults = &defaults,
	.options_size = sizeof defaults,
	.run = run,
};
