/* Times of memory-bound work next to a copy of equal bytes: operations on arrays, and functions of penalties. */
#include <gantry/array.h>
#include <gantry/regularizer.h>
#include "apps/bench/bench.h"
#include "apps/cli/progress.h"
#include "core/order_statistics.h"

/* Maximum number of runs per measurement; fewer if they last long_enough. One run is short next to launch and wait. */
enum { ROW = 20 };
static const double long_enough = 50; /* ms */
/* Maximum number of copied values; times are scaled. */
static const size_t max_copied = (size_t)1 << 27;

gt_status app_random_array(gt_backend *be, gt_type type, size_t n, gt_array **a)
{
	float *host = NULL;
	gt_status st = gt_host_has_memory((double)n * sizeof *host, "random numbers");
	GT_TRY(st);
	if (!(host = malloc(n * sizeof *host)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "%zu random numbers need %.3g MB", n, (double)n * 4e-6));
	app_fill_random(host, n);
	GT_TRY(gt_array_new(be, type, n, a));
	gt_array_put_float(host, *a);
done:
	free(host);
	return st;
}

typedef struct {
	gt_array *from, *to;
} copy;

static void copy_once(void *self) { gt_copy(((copy *)self)->from, ((copy *)self)->to); }

static double one_row(gt_backend *be, void (*once)(void *), void *self, int row)
{
	gt_backend_wait(be);
	const double start = app_seconds();
	for (int i = 0; i < row; i++)
		once(self);
	gt_backend_wait(be);
	return 1e3 * (app_seconds() - start) / row;
}

static int row_of(gt_backend *be, void (*once)(void *), void *self)
{
	const double ms = one_row(be, once, self, 1);
	return ms * ROW < long_enough ? ROW : ms < long_enough ? (int)ceil(long_enough / ms) : 1;
}

gt_status app_time_beside_copy(gt_backend *be, gt_type type, double bytes, void (*once)(void *), void *self, int repeat, app_timing *t)
{
	const double half = fmax(1, bytes / 2 / (double)gt_type_size(type)), n = fmin(half, (double)max_copied);
	double *copies = malloc((size_t)repeat * sizeof *copies);
	copy c = { NULL, NULL };
	gt_status st = copies ? GT_OK : gt_fail(GT_ERR_MEMORY, "out of memory");
	t->runs = 0;
	t->refused = GT_OK;
	t->why[0] = 0;
	GT_TRY(st);
	t->peak_bytes = bench_peak_bytes(be);
	GT_TRY(app_random_array(be, type, (size_t)n, &c.from));
	GT_TRY(gt_array_like(c.from, &c.to));
	one_row(be, once, self, 1);
	const int row = row_of(be, once, self);
	for (int i = -1; i < repeat; i++) {
		const double ms = one_row(be, once, self, row), beside = one_row(be, copy_once, &c, ROW);
		if (i >= 0) {
			copies[t->runs] = beside * half / n;
			t->ms[t->runs++] = ms;
		}
	}
	t->min_ms = gt_median(copies, (size_t)repeat);
	t->bound = "copy";
	st = gt_backend_status(be);
done:
	gt_array_free(c.from);
	gt_array_free(c.to);
	free(copies);
	return st;
}

/* Operations on arrays ----------------------------------------------------- */

typedef struct {
	gt_array *x, *y, *z;
	double sum; /* result of a reduction after the wait */
} vectors;

#define VECTOR(name, expression)              \
	static void run_##name(void *self)    \
	{                                     \
		vectors *v = (vectors *)self; \
		expression;                   \
	}
VECTOR(fill, gt_fill(0.5, v->y))
VECTOR(copy, gt_copy(v->x, v->y))
VECTOR(scale, gt_scale(0.999, v->y))
VECTOR(axpy, gt_axpy(1e-6, v->x, v->y))
VECTOR(xpay, gt_xpay(v->x, 0.5, v->y))
VECTOR(axpby, gt_axpby(0.5, v->x, 0.5, v->y))
VECTOR(mul, gt_mul(v->x, v->y))
VECTOR(reciprocal, gt_reciprocal(1e-3, v->y))
VECTOR(divide, gt_divide(v->x, 1e-3, v->y))
VECTOR(sub_clamped, gt_sub_clamped(v->x, 0, 1, v->y))
VECTOR(clamp, gt_clamp(0, 1, v->y))
VECTOR(add_scaled_clamped, gt_add_scaled_clamped(1e-6, v->x, v->z, 0, 1, v->y))
VECTOR(divide_step, gt_divide_step(v->x, v->z, 1e-3, 0, 1, v->y))
VECTOR(weighted_residual, gt_weighted_residual_async(v->x, v->z, v->y, &v->sum))
VECTOR(data_misfit, gt_data_misfit_async(v->x, v->z, v->y, &v->sum))
VECTOR(sum, gt_sum_async(v->x, &v->sum))
VECTOR(dot, gt_dot_async(v->x, v->z, &v->sum))
VECTOR(weighted_norm2, gt_weighted_norm2_async(v->x, v->z, &v->sum))
VECTOR(distance2, gt_distance2_async(v->x, v->z, &v->sum))

/* streams: arrays read and arrays written. */
static const struct {
	const char *name;
	int streams;
	void (*run)(void *self);
} operations[] = {
#define LINE(name, streams)                \
	{                                  \
#name, streams, run_##name \
	}
	LINE(fill, 1),        LINE(copy, 2),
	LINE(scale, 2),       LINE(axpy, 3),
	LINE(xpay, 3),        LINE(axpby, 3),
	LINE(mul, 3),         LINE(reciprocal, 2),
	LINE(divide, 3),      LINE(sub_clamped, 3),
	LINE(clamp, 2),       LINE(add_scaled_clamped, 4),
	LINE(divide_step, 4), LINE(weighted_residual, 4),
	LINE(data_misfit, 4), LINE(sum, 1),
	LINE(dot, 2),         LINE(weighted_norm2, 2),
	LINE(distance2, 2),
#undef LINE
};

gt_status app_time_vector(const char *backend, gt_type type, size_t n, int i, int repeat, app_timing *t, const char **what)
{
	gt_backend *be = NULL;
	vectors v = { .sum = 0 };
	gt_status st = GT_OK;
	*what = NULL;
	if ((size_t)i >= sizeof operations / sizeof *operations)
		return GT_OK;
	*what = operations[i].name;
	GT_TRY(gt_backend_open(backend, &be));
	GT_TRY(app_random_array(be, type, n, &v.x));
	GT_TRY(app_random_array(be, type, n, &v.y));
	GT_TRY(app_random_array(be, type, n, &v.z));
	const double bytes = (double)operations[i].streams * (double)gt_array_bytes(v.x);
	GT_TRY(app_time_beside_copy(be, type, bytes, operations[i].run, &v, repeat, t));
	gt_reductions_wait(be);
done:
	gt_array_free(v.x);
	gt_array_free(v.y);
	gt_array_free(v.z);
	gt_backend_close(be);
	return st;
}

/* Penalties ---------------------------------------------------------------- */

typedef struct {
	gt_penalty *R;
	gt_array *x, *g, *d;
	volatile double value;
	double curvature;
} penalised;

static void value_once(void *self)
{
	penalised *p = self;
	p->value = gt_penalty_value(p->R, p->x);
}
static void gradient_once(void *self)
{
	penalised *p = self;
	gt_penalty_gradient(p->R, p->x, p->g, p->d);
}
static void slope_once(void *self)
{
	penalised *p = self;
	gt_penalty_gradient(p->R, p->x, p->g, NULL);
}
static void line_once(void *self)
{
	penalised *p = self;
	double slope;
	gt_penalty_line(p->R, p->x, p->d, 0.5, &slope, &p->curvature);
	p->value = slope;
}
static void prox_once(void *self)
{
	penalised *p = self;
	gt_penalty_prox(p->R, 0.01, 0, INFINITY, p->x, p->g);
}

/* Timed functions, required capabilities, and the minimum number of arrays read or written. A proximal step counts
 * per inner iteration: z, two duals, and a third that is written. */
static const struct {
	const char *name;
	unsigned has;
	int streams, inner;
	void (*run)(void *self);
} works[] = {
	{ "value", 0, 1, 0, value_once },
	{ "gradient", GT_HAS_GRADIENT, 3, 0, slope_once },
	{ "grad+curv", GT_HAS_GRADIENT, 5, 0, gradient_once },
	{ "line", GT_HAS_LINE, 2, 0, line_once },
	{ "prox/inner", GT_HAS_PROX, 10, 1, prox_once },
};

/* Reads the parameter `inner` of a penalty; 1 if it has none. */
static gt_status inner_of(const char *spec, int *inner)
{
	const gt_module *r;
	void *options;
	const gt_status st = gt_module_parse("regularizer", spec, &r, &options);
	*inner = 1;
	for (const gt_param *p = options ? r->params : NULL; p && p->key; p++)
		if (!strcmp(p->key, "inner"))
			*inner = *(const int *)(const void *)((const char *)options + p->at);
	gt_free(options);
	return st;
}

static gt_status time_work(penalised *p, int k, const char *spec, gt_type type, int repeat, app_timing *t)
{
	int inner = 1;
	GT_OR_RETURN(works[k].inner ? inner_of(spec, &inner) : GT_OK);
	/* in addition to the inner iterations one pass for the result: reads z and a dual, writes */
	const double streams = works[k].inner ? works[k].streams * inner + 5. : works[k].streams;
	const gt_status timed = app_time_beside_copy(gt_array_backend(p->x), type, streams * (double)gt_array_bytes(p->x), works[k].run, p,
	                                             repeat, t);
	for (int i = 0; i < t->runs; i++)
		t->ms[i] /= inner;
	t->min_ms /= inner;
	return timed;
}

gt_status app_time_penalty(const char *backend, gt_type type, const gt_grid *grid, const char *spec, int i, int repeat, app_timing *t,
                           const char **what)
{
	const size_t n = gt_grid_voxels(grid);
	gt_backend *be = NULL;
	penalised p = { .R = NULL };
	gt_status st = GT_OK;
	int k = 0;
	*what = spec;
	GT_TRY(gt_backend_open(backend, &be));
	GT_TRY(gt_regularizer_new(spec, be, type, grid, NULL, &p.R));
	for (*what = NULL; k < (int)(sizeof works / sizeof *works) && !*what; k++)
		if ((works[k].has & gt_penalty_has(p.R)) == works[k].has && !i--)
			*what = works[k].name;
	if (!*what)
		goto done;
	GT_TRY(app_random_array(be, type, n, &p.x));
	GT_TRY(app_random_array(be, type, n, &p.g));
	GT_TRY(app_random_array(be, type, n, &p.d));
	GT_TRY(time_work(&p, k - 1, spec, type, repeat, t));
done:
	gt_penalty_free(p.R);
	gt_array_free(p.x);
	gt_array_free(p.g);
	gt_array_free(p.d);
	gt_backend_close(be);
	return st;
}
