/* Constant scatter: t <- (t - s)/(1 - s), with s the scattered fraction of the signal of an unattenuated pixel. At
 * least a thousandth of the transmission remains, and such values are counted. To measure s, divide the mean behind a
 * strip of lead by the mean of air. Scatter that follows the object: scatter_kernel.h. */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include "core/try.h"
#include "prepare/scatter/scatter_kernel.h"
#include "prepare/step.h"

enum { CONSTANT, KERNEL };
struct options {
	int method;
	double fraction, width, power;
};
static const struct options defaults = { CONSTANT, 0, 0, 1 };
static const char *const methods[] = { "constant", "kernel", NULL };
static const gt_param params[] = {
	{ .key = "method",
	  .help = "constant; kernel: what the rays through each place spread around it",
	  .kind = GT_CHOICE,
	  .at = offsetof(struct options, method),
	  .names = methods },
	{ .key = "fraction",
	  .help = "constant: scattered fraction of the signal of an unattenuated pixel; kernel: of the intensity "
	          "where the middle view is darkest",
	  .kind = GT_REAL,
	  .at = offsetof(struct options, fraction),
	  .min = 0,
	  .max = 0.9 },
	{ .key = "width",
	  .help = "kernel: deviation of its Gaussian at the detector, mm",
	  .kind = GT_REAL,
	  .at = offsetof(struct options, width),
	  .min = 0,
	  .max = 1e5 },
	{ .key = "power",
	  .help = "kernel: of the line integral, which with the light makes the scatter",
	  .kind = GT_REAL,
	  .at = offsetof(struct options, power),
	  .min = 1, /* below, the least error in air makes scatter of its own */
	  .max = 4 },
	{ .key = NULL },
};

typedef struct {
	double s;
	size_t limited, values;
	gt_scatter_kernel kernel;
} scatter_known;

static void forget(void *known)
{
	gt_scatter_kernel_free(&((scatter_known *)known)->kernel);
	free(known);
}

static gt_status inspect_centre(gt_prepare_call *c, const struct options *o, gt_scatter_kernel *k)
{
	const gt_scan *scan = c->source.scan;
	float *p = malloc(scan->rows * scan->columns * sizeof *p);
	double *scratch = NULL;
	gt_status st = GT_OK;
	if (!(o->fraction > 0))
		GT_TRY(gt_fail(GT_ERR_ARG, "fraction=0: expected above 0, the scatter fraction at the darkest pixel"));
	GT_TRY(gt_scatter_kernel_new(scan, o->width, o->power, k));
	scratch = malloc(gt_scatter_kernel_scratch(k) * sizeof *scratch);
	if (!p || !scratch)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "scatter: out of memory"));
	GT_TRY(c->source.read(c->source.self, scan->views / 2, 1, p));
	GT_TRY(gt_scatter_kernel_fit(k, p, o->fraction, scratch));
	gt_prepare_note(c, "amplitude %.4g: scatter of rays with a line integral of 1 relative to their intensity", k->amplitude);
done:
	free(p);
	free(scratch);
	return st;
}

static gt_status inspect(gt_prepare_call *c, const void *options)
{
	const struct options *o = options;
	const gt_status st = gt_prepare_known(c, sizeof(scatter_known));
	if (st != GT_OK)
		return st;
	scatter_known *known = c->known;
	c->forget = forget;
	known->s = o->fraction;
	if (o->method == KERNEL)
		return inspect_centre(c, o, &known->kernel);
	return o->width > 0 ? gt_fail(GT_ERR_ARG, "width=%g: expected with method=kernel alone", o->width) : GT_OK;
}

typedef struct {
	const gt_scatter_kernel *kernel;
	float *p;
	double *scratch;
	atomic_size_t limited;
} views_call;

static void views_loop(void *self, size_t begin, size_t end, int worker)
{
	views_call *v = self;
	const gt_scatter_kernel *k = v->kernel;
	for (size_t view = begin; view < end; view++)
		atomic_fetch_add(&v->limited, gt_scatter_kernel_take_off(k, v->p + view * k->rows * k->columns,
		                                                         v->scratch + (size_t)worker * gt_scatter_kernel_scratch(k)));
}

static gt_status run_kernel(gt_prepare_call *c, scatter_known *known)
{
	const gt_scatter_kernel *k = &known->kernel;
	views_call v = { k, (*c->p)->data, malloc((size_t)gt_pool_threads(c->pool) * gt_scatter_kernel_scratch(k) * sizeof(double)), 0 };
	if (!v.scratch)
		return gt_fail(GT_ERR_MEMORY, "scatter: out of memory");
	gt_parallel(c->pool, (*c->p)->scan->views, 1, views_loop, &v);
	free(v.scratch);
	known->limited += atomic_load(&v.limited);
	return GT_OK;
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
	known->values += gt_scan_size((*c->p)->scan);
	if (((const struct options *)options)->method == KERNEL)
		return run_kernel(c, known);
	known->limited += gt_prepare_values(c, work, known);
	return GT_OK;
}

static void report(gt_prepare_call *c)
{
	const scatter_known *known = c->known;
	if (known->limited)
		gt_prepare_note(c, "%zu of %zu values are below the scatter: fraction=%g may be too large", known->limited, known->values,
		                known->s);
}

const gt_preparation gt_preparation_scatter = {
	.name = "scatter",
	.about = "subtracts scatter: a constant part of the signal, or a kernel that follows the object",
	GT_STEP_MEMBERS,
	.chunks = GT_BY_VIEWS,
	.inspect = inspect,
	.report = report,
};
