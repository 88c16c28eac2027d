/* From the second to the last iteration no solver allocates or transfers an array, by the backend's counters and by
 * CUPTI for the whole process. The number of waits is as documented.
 * labels: property */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/regularizer.h>
#include "core/device/backend.h"
#include "core/try.h"
#include "tests/support/bus.h"
#include "tests/support/problem.h"
#include "tests/support/support.h"

/* Bytes returned per iteration: 8 for each of at most NUMBERS reductions, and two per subset. */
enum { NUMBERS = 32, ITERATIONS = 7 };
static double max_bytes(size_t subsets) { return 8. * (NUMBERS + 2 * (double)subsets); }

static const struct {
	const char *solver, *options, *penalty;
	int weights;
	size_t subsets;
	int waits; /* maximum per iteration */
} cases[] = {
	{ "os-sart", "", NULL, 0, 4, 1 },
	{ "os-sart", "keep=no", NULL, 0, 3, 1 },
	{ "os-sart", "keep=yes,momentum=yes", NULL, 0, 6, 1 },
	{ "sirt", "", NULL, 0, 1, 1 },
	{ "sirt", "momentum=yes", NULL, 0, 1, 1 },
	{ "sart", "", NULL, 0, 12, 1 },
	{ "sirt", "anderson=3", NULL, 0, 1, 4 },
	{ "cgls", "", NULL, 0, 1, 2 },
	{ "cgls", "", NULL, 1, 1, 2 },
	{ "lsqr", "", NULL, 0, 1, 2 },
	{ "lsqr", "damp=0.3", NULL, 1, 1, 2 },
	{ "lsmr", "damp=0.3", NULL, 1, 1, 3 },
	{ "ab-gmres", "steps=3", NULL, 0, 1, 11 }, /* 3 per step and 2 */
	{ "ba-gmres", "steps=2", NULL, 0, 1, 8 },
	{ "hybrid-lsqr", "", NULL, 1, 1, 5 },
	{ "hybrid-lsqr", "strength=trace", NULL, 1, 1, 5 },
	{ "mlem", "", NULL, 0, 1, 1 },
	{ "osem", "", NULL, 0, 4, 1 },
	{ "mltr", "background=0.1", "huber:strength=2,delta=20HU", 1, 1, 1 },
	{ "mltr", "curvature=precomputed", NULL, 0, 4, 1 },
	{ "saga", "", "huber:strength=2,delta=20HU", 1, 4, 1 },
	{ "svrg", "", NULL, 0, 3, 1 },
	{ "spdhg", "", "tv:strength=0.02,inner=4", 1, 4, 1 },
	{ "os-lalm", "", "huber:strength=2,delta=20HU", 1, 4, 1 },
	{ "admm", "", "tv:strength=0.02,inner=4", 1, 1, 8 }, /* 2 per inner step and 2 */
	{ "pcg", "", NULL, 1, 1, 2 },
	{ "pcg", "line=2", "qggmrf:strength=0.2,neighbours=26", 1, 1, 4 },
	{ "pcg", "preconditioner=none,line=1", "huber:strength=2,delta=20HU", 0, 1, 3 },
	{ "pcg", "preconditioner=ramp,line=1", "tv:strength=0.02,inner=0", 1, 1, 4 }, /* 3, and 2 if the ramp follows the penalty */
	{ "fista", "restart=no", NULL, 1, 1, 1 },
	{ "fista", "", "fair:strength=2,delta=20HU", 1, 1, 2 }, /* 2: for a replaced step */
	{ "fista", "restart=no,prox=yes", "tv:strength=0.02,inner=4", 0, 1, 1 },
	{ "fista", "anderson=2", "fair:strength=2,delta=20HU", 1, 1, 5 }, /* 2: for a replaced step; 3 to mix */
	{ "os-sqs", "", "hyperbola:strength=2,delta=20HU", 1, 6, 1 },
	{ "os-sqs", "", NULL, 0, 1, 1 },
	{ "pdhg", "", NULL, 0, 1, 1 },
	{ "pdhg", "", "logcosh:strength=2,delta=20HU", 1, 1, 1 },
	{ "pdhg", "", "tv:strength=0.02,inner=4", 1, 1, 1 },
	{ "pnp-fista", "", "nlm:h=20HU,search=3", 1, 1, 1 },
	{ "pnp-admm", "inner=3", "tgv:strength=0.02,inner=4", 0, 1, 8 }, /* 2 and 2 per inner step */
	{ "red", "", "nlm:h=20HU,search=3", 1, 1, 1 },
	{ "pnp-fista", "", "a function", 1, 1, 2 }, /* 1: for the check of its result */
	{ "pnp-admm", "inner=3", "a function", 0, 1, 9 },
	{ "red", "", "a function", 1, 1, 2 },
	{ "asd-pocs", "epsilon=0,steps=3", "tv:strength=1,inner=0", 0, 4, 5 }, /* 1 per gradient step and 2 */
	{ "asd-pocs", "epsilon=0,steps=2,keep=no", "quadratic:strength=1", 0, 3, 4 },
};
enum { CASES = sizeof cases / sizeof *cases };

/* Counters at two moments. */
struct moment {
	gt_counters count;
	struct gt_test_bus bus;
};
struct watch {
	gt_backend *be;
	int with_bus, calls;
	struct moment from, to; /* iteration 2, the last */
};

static struct moment moment(const struct watch *w)
{
	struct moment m = { .count = gt_test_counters(w->be) };
	gt_backend_wait(w->be);
	if (w->with_bus)
		m.bus = gt_test_bus_seen();
	return m;
}

static int see(void *self, const gt_progress *p)
{
	struct watch *w = self;
	w->calls++;
	if (p->iteration == 2)
		w->from = moment(w);
	else if (p->iteration == ITERATIONS)
		w->to = moment(w);
	return 0;
}

/* Describes the violations; empty if there are none. */
static void judge(const struct watch *w, size_t subsets, int waits, char *text, size_t size)
{
	const gt_counters *a = &w->from.count, *b = &w->to.count;
	const struct gt_test_bus *c = &w->from.bus, *d = &w->to.bus;
	const double steps = ITERATIONS - 2, back = (double)(d->from_device - c->from_device) / steps;
	int n = snprintf(text, size, "%s", "");
#define WRONG(condition, word)               \
	if ((condition) && (size_t)n < size) \
	n += snprintf(text + n, size - (size_t)n, "%s ", word)
	WRONG(w->calls != ITERATIONS, "calls");
	WRONG(a->allocations != b->allocations, "allocations");
	WRONG(a->bytes != b->bytes || a->peak_bytes != b->peak_bytes, "bytes");
	WRONG(a->puts != b->puts || a->put_bytes != b->put_bytes, "puts");
	WRONG(a->gets != b->gets || a->get_bytes != b->get_bytes, "gets");
	WRONG((double)(b->waits - a->waits) > waits * steps, "waits");
	WRONG(c->allocations != d->allocations, "bus-allocations");
	WRONG(c->to_device != d->to_device, "bus-up");
	WRONG(back > max_bytes(subsets), "bus-down");
	WRONG((double)(d->copies - c->copies) > waits * steps, "bus-copies");
#undef WRONG
}

struct run {
	struct gt_test_problem p;
	struct watch w;
	gt_array **weights;
	gt_penalty *R;
	gt_type type;
};

/* A denoiser in device memory. */
static gt_status shrink(void *self, gt_denoise_call *c)
{
	const size_t n = c->slices * c->grid->n[0] * c->grid->n[1];
	gt_array *in, *out;
	ck_assert_int_eq((int)c->memory, (int)GT_DEVICE_MEMORY);
	ck_ok(gt_array_wrap(self, c->type, n, (void *)(size_t)c->in, &in));
	ck_ok(gt_array_wrap(self, c->type, n, c->out, &out));
	gt_copy(in, out);
	gt_scale(0.9, out);
	gt_array_free(in), gt_array_free(out);
	c->written = n;
	return GT_OK;
}

static gt_penalty *penalty_of(const char *spec, gt_backend *be, gt_type type, const gt_grid *grid)
{
	const gt_denoiser d = { .size = sizeof d, .name = "shrink", .denoise = shrink, .self = be, .memory = GT_DEVICE_MEMORY };
	gt_penalty *R;
	if (!strcmp(spec, "a function"))
		ck_ok(gt_penalty_of_denoiser(&d, be, type, grid, &R));
	else
		ck_ok(gt_regularizer_new(spec, be, type, grid, NULL, &R));
	return R;
}

/* The smallest array is larger than the permitted numbers. */
static struct run run_new(gt_type type, size_t subsets, int weights, const char *penalty)
{
	struct run r = { .type = type };
	gt_backend *be = gt_test_backend();
	const char *lacks = gt_test_is_gpu() ? gt_test_bus_watch() : "no bus";
	r.w = (struct watch){ .be = be, .with_bus = !lacks };
	r.p = gt_test_problem(be, type, 12, 12, subsets);
	for (size_t k = 0; k < subsets; k++)
		ck_assert_double_gt((double)gt_array_bytes(r.p.b[k]), 2 * max_bytes(subsets) + 1);
	if (weights)
		r.weights = gt_test_weights(&r.p);
	if (penalty)
		r.R = penalty_of(penalty, be, type, &r.p.grid);
	r.p.problem.w = r.weights;
	r.p.problem.R = r.R;
	return r;
}

static void run_free(struct run *r)
{
	gt_test_weights_free(&r->p, r->weights);
	gt_penalty_free(r->R);
	gt_test_problem_free(&r->p);
	gt_backend_close(r->w.be);
}

GT_TESTS(every_solver, 2 * CASES)
{
	const gt_type type = _i % 2 ? GT_F64 : GT_F32;
	const int i = _i / 2;
	struct run r = run_new(type, cases[i].subsets, cases[i].weights, cases[i].penalty);
	const gt_solver *s = gt_solver_find(cases[i].solver);
	const gt_monitor m = { .each = see, .self = &r.w };
	char spec[128], wrong[256];
	void *options = NULL;
	snprintf(spec, sizeof spec, "%s%siterations=%d", cases[i].options, *cases[i].options ? "," : "", ITERATIONS);
	ck_ok(gt_params_new(s->params, spec, s->defaults, s->options_size, &options));
	ck_ok(gt_solve(s, &r.p.problem, options, r.p.x, &m));
	judge(&r.w, cases[i].subsets, cases[i].waits, wrong, sizeof wrong);
	const double steps = ITERATIONS - 2;
	printf("%-8s %-32s %s: per iteration %.1f waits, %.0f bytes back, %.0f copies by CUPTI\n", s->name, cases[i].options,
	       gt_type_name(type), (double)(r.w.to.count.waits - r.w.from.count.waits) / steps,
	       (double)(r.w.to.bus.from_device - r.w.from.bus.from_device) / steps,
	       (double)(r.w.to.bus.copies - r.w.from.bus.copies) / steps);
	ck_assert_msg(!*wrong, "%s:%s: %s", s->name, spec, wrong);
	free(options);
	run_free(&r);
}

GT_TEST(all_are_there)
{
	for (size_t k = 0; gt_solvers[k]; k++) {
		int there = 0;
		for (size_t i = 0; i < CASES; i++)
			there |= !strcmp(cases[i].solver, gt_solvers[k]->name);
		ck_assert_msg(there, "'%s' is not watched", gt_solvers[k]->name);
	}
}

/* Planted faults in loops. */
enum sin { NONE, ALLOCATES, PUTS, GETS, WAITS, ALLOCATES_UNSEEN, GETS_UNSEEN, PUTS_UNSEEN, SINS };
static enum sin sin_of_the_day;

static gt_status sin_once(const gt_problem *p, gt_array *x, float *host)
{
	gt_backend *be = gt_array_backend(x);
	gt_array *more = NULL;
	void *raw = NULL;
	double sum;
	gt_forward(p->A[0], x, p->b[0]);
	gt_dot_async(x, x, &sum);
	switch (sin_of_the_day) {
	case ALLOCATES:
		ck_ok(gt_array_like(x, &more));
		gt_array_free(more);
		break;
	case PUTS:
		gt_array_put_float(host, x);
		break;
	case GETS:
		gt_array_get_float(x, host);
		break;
	case WAITS:
		(void)gt_dot(x, x);
		(void)gt_dot(x, x);
		break;
	case ALLOCATES_UNSEEN:
		raw = be->ops->alloc(be, gt_array_bytes(x));
		be->ops->free(be, raw);
		break;
	case GETS_UNSEEN:
		be->ops->get(be, x->data, host, gt_array_bytes(x));
		break;
	case PUTS_UNSEEN:
		be->ops->put(be, host, x->data, gt_array_bytes(x));
		break;
	default:
		break;
	}
	gt_reductions_wait(be);
	return GT_OK;
}

static gt_status sinner(const gt_problem *p, const void *options, gt_array *x, const gt_monitor *m)
{
	gt_status st = GT_OK;
	float *host = calloc(gt_array_size(x), sizeof(double));
	(void)options;
	for (int k = 1; k <= ITERATIONS; k++) {
		GT_TRY(sin_once(p, x, host));
		gt_progress g;
		gt_progress_of(k, ITERATIONS, x, &g);
		GT_TRY(gt_report(m, &g));
	}
done:
	free(host);
	return st;
}

GT_TESTS(sins_are_seen, SINS)
{
	/* by the counters, by CUPTI */
	static const char *const words[SINS][2] = { [ALLOCATES] = { "allocations", "bus-allocations" },
		                                    [PUTS] = { "puts", "bus-up" },
		                                    [GETS] = { "gets", "bus-down" },
		                                    [WAITS] = { "waits", "bus-copies" },
		                                    [ALLOCATES_UNSEEN] = { NULL, "bus-allocations" },
		                                    [GETS_UNSEEN] = { NULL, "bus-down" },
		                                    [PUTS_UNSEEN] = { NULL, "bus-up" } };
	const gt_solver solver = { .name = "sinner", .run = sinner };
	struct run r = run_new(GT_F32, 1, 0, NULL);
	const gt_monitor m = { .each = see, .self = &r.w };
	char wrong[256];
	sin_of_the_day = (enum sin)_i;
	ck_ok(gt_solve(&solver, &r.p.problem, NULL, r.p.x, &m));
	judge(&r.w, 1, 1, wrong, sizeof wrong);
	printf("sin %d: %s\n", _i, wrong);
	for (int by = 0; by < (r.w.with_bus ? 2 : 1); by++)
		ck_assert_msg(!words[_i][by] || strstr(wrong, words[_i][by]), "sin %d: not '%s' but '%s'", _i, words[_i][by], wrong);
	if (_i == NONE)
		ck_assert_str_eq(wrong, "");
	run_free(&r);
}

GT_TEST(by_what)
{
	gt_backend *be = gt_test_backend();
	const char *lacks = gt_test_is_gpu() ? gt_test_bus_watch() : "no bus: the CPU's memory is the host's";
	printf("resident: by the backend's counters%s%s\n", lacks ? " alone; " : " and by CUPTI", lacks ? lacks : "");
	gt_backend_close(be);
}

int main(void) { return gt_test_main("solvers-resident", NULL); }
