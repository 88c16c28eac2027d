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

typedef struct {
	double s;
	size_t limited, values;
} scatter_known;

static gt_status look(gt_prepare_call *c, const void *options)
{
	const gt_status st = gt_prepare_known(c, sizeof(scatter_known));
	if (st == GT_OK)
		((scatter_known *)c->known)->s = ((const struct options *)options)->fraction;
	return st;
}

static size_t work(const void *self, float *x, size_t n)
{
	const double s = ((const scatter_known *)self)->s;
	size_t limited = 0;
	for (size_t i = 0; i < n; i++) {
		const double t = exp(-x[i]), left = (t - s) / (1 - s);
		limited += left < 1e-3 * t;
		x[i] = (float)-log(fmax(left, 1e-3 * t));
	}
	return limited;
}

static gt_status run(gt_prepare_call *c, const void *options)
{
	scatter_known *known = c->known;
	(void)options;
	known->limited += gt_prepare_values(c, work, known);
	known->values += gt_scan_size((*c->p)->scan);
	return GT_OK;
}

static void tell(gt_prepare_call *c)
{
	const scatter_known *known = c->known;
	if (known->limited)
		gt_prepare_note(c, "%zu of %zu values are below the scatter: fraction=%g may be too large", known->limited, known->values,
		                known->s);
}

const gt_preparation gt_preparation_scatter = {
	.name = "scatter",
	.about = "scatter as a constant part of the signal, taken off",
	GT_STEP_MEMBERS,
	.pieces = GT_BY_VIEWS | GT_BY_ROWS,
	.look = look,
	.tell = tell,
};
