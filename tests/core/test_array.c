/* Every operation and reduction in both types against plain loops; counters, parts, sticky failures.
 * labels: unit */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/random.h"
#include "tests/support/support.h"

enum { N = 100003 }; /* no divisor of block sizes */
static const gt_type types[] = { GT_F32, GT_F64 };

struct pair {
	gt_backend *be;
	gt_array *x, *y;
	double *hx, *hy, *got;
	float *single;
};

static void get(const gt_array *a, float *single, double *out)
{
	if (gt_array_type(a) == GT_F64) {
		gt_array_get(a, out);
		return;
	}
	gt_array_get(a, single);
	for (size_t i = 0; i < gt_array_size(a); i++)
		out[i] = single[i];
}

static struct pair setup(gt_type t)
{
	struct pair p = { .be = gt_test_backend() };
	p.x = gt_test_array(p.be, t, N, 1);
	p.y = gt_test_array(p.be, t, N, 2);
	p.hx = malloc(N * sizeof *p.hx);
	p.hy = malloc(N * sizeof *p.hy);
	p.got = malloc(N * sizeof *p.got);
	p.single = malloc(N * sizeof *p.single);
	get(p.x, p.single, p.hx);
	get(p.y, p.single, p.hy);
	return p;
}

static void teardown(struct pair *p)
{
	ck_ok(gt_backend_status(p->be));
	gt_array_free(p->x);
	gt_array_free(p->y);
	gt_backend_close(p->be);
	free(p->hx);
	free(p->hy);
	free(p->got);
	free(p->single);
}

enum op { FILL, COPY, SCALE, AXPY, XPAY, AXPBY, MUL, OVER, LESS, INV, CLAMP, OPS };

static void apply(enum op op, const gt_array *x, gt_array *y)
{
	switch (op) {
	case FILL:
		gt_fill(0.7, y);
		break;
	case COPY:
		gt_copy(x, y);
		break;
	case SCALE:
		gt_scale(-1.3, y);
		break;
	case AXPY:
		gt_axpy(0.6, x, y);
		break;
	case XPAY:
		gt_xpay(x, -0.4, y);
		break;
	case AXPBY:
		gt_axpby(0.3, x, -1.2, y);
		break;
	case OVER:
		gt_divide(x, 0.25, y);
		break;
	case LESS:
		gt_sub_clamped(x, -0.3, 0.2, y);
		break;
	case MUL:
		gt_mul(x, y);
		break;
	case INV:
		gt_reciprocal(0.25, y);
		break;
	case CLAMP:
		gt_clamp(-0.3, 0.2, y);
		break;
	case OPS:
		break;
	}
}

static double expected(enum op op, double x, double y)
{
	switch (op) {
	case FILL:
		return 0.7;
	case COPY:
		return x;
	case SCALE:
		return -1.3 * y;
	case AXPY:
		return y + 0.6 * x;
	case XPAY:
		return x - 0.4 * y;
	case AXPBY:
		return 0.3 * x - 1.2 * y;
	case OVER:
		return x > 0.25 ? y / x : 0;
	case LESS:
		return x - y < -0.3 ? -0.3 : x - y > 0.2 ? 0.2 : x - y;
	case MUL:
		return x * y;
	case INV:
		return y > 0.25 ? 1 / y : 0;
	case CLAMP:
		return y < -0.3 ? -0.3 : y > 0.2 ? 0.2 : y;
	case OPS:
		break;
	}
	return NAN;
}

GT_TESTS(maps, 2 * OPS)
{
	const gt_type t = types[_i % 2];
	const enum op op = (enum op)(_i / 2);
	struct pair p = setup(t);
	apply(op, p.x, p.y);
	get(p.y, p.single, p.got);
	for (size_t i = 0; i < N; i++) {
		const double e = expected(op, p.hx[i], p.hy[i]);
		ck_assert_msg(fabs(p.got[i] - e) <= (t == GT_F64 ? 1e-15 : 2e-7) * (1 + fabs(e)),
		              "op %d, element %zu: %.17g, expected %.17g", (int)op, i, p.got[i], e);
	}
	teardown(&p);
}

GT_TESTS(reductions, 2)
{
	struct pair p = setup(types[_i]);
	double sum = 0, dot = 0, dist = 0, weighted = 0, max = -INFINITY, min = INFINITY;
	for (size_t i = 0; i < N; i++) {
		sum += p.hx[i];
		dot += p.hx[i] * p.hy[i];
		dist += (p.hx[i] - p.hy[i]) * (p.hx[i] - p.hy[i]);
		weighted += p.hx[i] * p.hx[i] * p.hy[i];
		max = fmax(max, p.hx[i]);
		min = fmin(min, p.hx[i]);
	}
	ck_assert_double_eq_tol(gt_sum(p.x), sum, 1e-9);
	ck_assert_double_eq_tol(gt_dot(p.x, p.y), dot, 1e-9);
	ck_assert_double_eq_tol(gt_distance2(p.x, p.y), dist, 1e-8);
	ck_assert_double_eq_tol(gt_weighted_norm2(p.x, p.y), weighted, 1e-9);
	ck_assert_double_eq(gt_max(p.x), max);
	ck_assert_double_eq(gt_min(p.x), min);
	ck_assert_double_eq(gt_dot(p.x, p.y), gt_dot(p.x, p.y));
	teardown(&p);
}

/* Fused operations against separate ones, from all offsets and for all small sizes. */
GT_TESTS(one_pass, 2)
{
	gt_backend *be = gt_test_backend();
	const gt_type t = types[_i];
	const double close = t == GT_F64 ? 1e-14 : 1e-5;
	for (size_t n = 0; n < 4200; n = n < 20 ? n + 1 : n * 3 + 1)
		for (size_t first = 0; first < 5; first++) {
			gt_array *whole[4] = { NULL }, *a[4] = { NULL }, *b = NULL;
			double sum[3] = { 1, 1, 1 };
			for (int k = 0; k < 4; k++) {
				whole[k] = gt_test_array(be, t, n + 9, (unsigned)k + 7);
				ck_ok(gt_array_part(whole[k], k == 1 ? first : 2 * first % 5, n, &a[k]));
			}
			ck_ok(gt_array_like(a[0], &b));
			gt_copy(a[0], b);
			gt_mul(a[1], b); /* x w */
			gt_xpay(a[2], 0.7, b);
			gt_clamp(-0.4, 0.6, b);
			gt_copy(a[2], a[3]);
			gt_add_scaled_clamped(0.7, a[0], a[1], -0.4, 0.6, a[3]);
			ck_assert(n == 0 || gt_distance2(b, a[3]) <= close * close * (double)n);
			gt_copy(a[2], b);
			gt_divide(a[1], 0.2, b);
			gt_sub_clamped(a[0], -0.3, 0.5, b);
			gt_copy(a[2], a[3]);
			gt_divide_step(a[0], a[1], 0.2, -0.3, 0.5, a[3]);
			ck_assert(n == 0 || gt_distance2(b, a[3]) <= close * close * (double)n);
			gt_copy(a[2], a[3]);
			gt_weighted_residual_async(a[0], a[1], a[3], &sum[0]);
			gt_copy(a[2], b);
			gt_xpay(a[0], -1, b);
			const double squares = gt_dot(b, b);
			ck_assert_double_eq_tol(sum[0], squares, close * (1 + squares));
			gt_mul(a[1], b);
			ck_assert(n == 0 || gt_distance2(b, a[3]) <= close * close * (double)n);
			gt_scale(-1, b); /* w (y - x) */
			gt_copy(a[2], a[3]);
			gt_data_misfit_async(a[0], a[1], a[3], &sum[1]);
			ck_assert(n == 0 || gt_distance2(b, a[3]) <= close * close * (double)n);
			gt_copy(a[2], a[3]);
			gt_data_misfit_async(a[0], NULL, a[3], &sum[2]);
			ck_assert_double_eq_tol(gt_dot(b, a[3]), sum[1], close * (1 + (double)n));
			ck_assert_double_eq_tol(sum[2], squares, close * (1 + squares));
			ck_assert_double_eq_tol(gt_dot(a[3], a[3]), squares, close * (1 + squares));
			for (int k = 0; k < 4; k++) {
				gt_array_free(a[k]);
				gt_array_free(whole[k]);
			}
			gt_array_free(b);
		}
	ck_ok(gt_backend_status(be));
	gt_backend_close(be);
}

/* More reductions than slots of a backend, in few waits. The sum depends on n, not on the alignment. */
GT_TESTS(reductions_later, 2)
{
	enum { MANY = 1500 };
	gt_backend *be = gt_test_backend();
	gt_array *x = gt_test_array(be, types[_i], 3000, 1), *y = gt_test_array(be, types[_i], 3001, 2), *b = NULL, *c = NULL, *part[MANY];
	double *sum = malloc(4 * MANY * sizeof *sum);
	ck_ok(gt_array_part(y, 1, 3000, &b));
	ck_ok(gt_array_like(x, &c));
	gt_copy(b, c);
	const size_t before = gt_test_counters(be).waits;
	for (size_t k = 0; k < MANY; k++) {
		ck_ok(gt_array_part(x, k, 3000 - k, &part[k]));
		gt_sum_async(part[k], &sum[4 * k]);
		gt_dot_async(x, b, &sum[4 * k + 1]);
		gt_weighted_norm2_async(x, b, &sum[4 * k + 2]);
		gt_distance2_async(x, b, &sum[4 * k + 3]);
	}
	ck_assert(isnan(sum[4 * MANY - 1]));
	gt_reductions_wait(be);
	gt_reductions_wait(be);
	ck_assert_uint_le(gt_test_counters(be).waits - before, 4 * MANY / 1024 + 1);
	for (size_t k = 0; k < MANY; k++) {
		ck_assert_double_eq(sum[4 * k], gt_sum(part[k]));
		ck_assert_double_eq(sum[4 * k + 1], gt_dot(x, c));
		ck_assert_double_eq(sum[4 * k + 2], gt_weighted_norm2(x, c));
		ck_assert_double_eq(sum[4 * k + 3], gt_distance2(x, c));
		gt_array_free(part[k]);
	}
	gt_dot_async(x, y, &sum[0]); /* other sizes */
	gt_dot_async(x, b, &sum[1]);
	gt_reductions_wait(be);
	ck_assert(isnan(sum[0]) && isnan(sum[1]));
	ck_refused(gt_backend_status(be), GT_ERR_ARG, "dot: 3000");
	gt_dot_async(x, b, &sum[1]);
	ck_assert_double_eq(gt_dot(x, b), sum[1]);
	gt_array_free(x);
	gt_array_free(y);
	gt_array_free(b);
	gt_array_free(c);
	gt_backend_close(be);
	free(sum);
}

/* Against the generator itself, in the type of the array: past a block of lanes, with a counter and a large seed. */
GT_TESTS(normal_numbers, 2)
{
	const gt_type type = types[_i];
	const uint64_t seed = 0x123456789abcdefu;
	const double close = type == GT_F64 ? 1e-14 : 2e-7;
	struct pair p = setup(type);
	gt_mul_normals(seed, p.x);
	get(p.x, p.single, p.got);
	for (size_t i = 0; i < N; i++) {
		const double expected = p.hx[i] * gt_test_normal(seed, i);
		ck_assert_msg(fabs(p.got[i] - expected) <= close * (1 + fabs(expected)), "%zu: %.17g, expected %.17g", i, p.got[i],
		              expected);
	}
	teardown(&p);
}

/* A reduction depends only on the values. */
GT_TEST(threads_do_not_matter)
{
	float *host = malloc(N * sizeof *host);
	double first = 0;
	gt_test_random(3, N, host);
	for (int threads = 1; threads <= 5; threads += 2) {
		char name[16];
		gt_backend *be = NULL;
		gt_array *a = NULL;
		snprintf(name, sizeof name, "cpu:%d", threads);
		ck_ok(gt_backend_open(name, &be));
		ck_ok(gt_array_new(be, GT_F32, N, &a));
		gt_array_put_float(host, a);
		const double s = gt_sum(a);
		if (threads == 1)
			first = s;
		ck_assert(s == first);
		gt_array_free(a);
		gt_backend_close(be);
	}
	free(host);
}

GT_TEST(conversion)
{
	gt_backend *be = gt_test_backend();
	float *in = malloc(N * sizeof *in), *out = malloc(N * sizeof *out);
	gt_test_random(4, N, in);
	for (int t = 0; t < 2; t++) {
		gt_array *a = NULL;
		ck_ok(gt_array_new(be, types[t], N, &a));
		gt_array_put_float(in, a);
		gt_array_get_float(a, out);
		ck_assert(memcmp(in, out, N * sizeof *in) == 0);
		gt_array_free(a);
	}
	gt_backend_close(be);
	free(in);
	free(out);
}

GT_TEST(counters)
{
	gt_backend *be = gt_test_backend();
	const gt_counters before = gt_test_counters(be);
	gt_array *a = gt_test_array(be, GT_F32, 1000, 1), *b = NULL;
	ck_ok(gt_array_like(a, &b));
	gt_copy(a, b);
	(void)gt_dot(a, b);
	(void)gt_sum(b);
	gt_counters now = gt_test_counters(be);
	ck_assert_uint_eq(now.allocations - before.allocations, 2);
	ck_assert_uint_eq(now.bytes - before.bytes, 8000);
	ck_assert_uint_eq(now.put_bytes - before.put_bytes, 4000);
	ck_assert_uint_eq(now.gets - before.gets, 0);
	ck_assert_uint_eq(now.waits - before.waits, 3);
	gt_array_free(a);
	gt_array_free(b);
	now = gt_test_counters(be);
	ck_assert_uint_eq(now.bytes, before.bytes);
	ck_assert_uint_ge(now.peak_bytes, before.bytes + 8000);
	gt_backend_close(be);
}

GT_TEST(parts)
{
	gt_backend *be = gt_test_backend();
	gt_array *a = gt_test_array(be, GT_F32, 100, 1), *p = NULL;
	float host[100], part[30];
	gt_array_get(a, host);
	ck_ok(gt_array_part(a, 20, 30, &p));
	gt_scale(2, p);
	gt_array_get(a, host);
	gt_array_get(p, part);
	ck_assert(memcmp(host + 20, part, sizeof part) == 0);
	gt_array_free(p);
	ck_refused(gt_array_part(a, 80, 30, &p), GT_ERR_ARG, "100");
	gt_array_free(a);
	gt_backend_close(be);
}

GT_TEST(failures_stick)
{
	gt_backend *be = gt_test_backend();
	gt_array *a = gt_test_array(be, GT_F32, 10, 1), *b = gt_test_array(be, GT_F32, 11, 1), *c = gt_test_array(be, GT_F64, 10, 1);
	float before[10], after[10];
	gt_array_get(a, before);
	gt_axpy(1, b, a);
	gt_scale(2, a); /* has no effect any more */
	ck_refused(gt_backend_status(be), GT_ERR_ARG, "axpy: 10 single values");
	gt_array_get(a, after);
	ck_assert(memcmp(before, after, sizeof before) == 0);
	ck_ok(gt_backend_status(be)); /* cleared by the first query */
	gt_copy(c, a);
	ck_refused(gt_backend_status(be), GT_ERR_ARG, "double");
	gt_array_free(a);
	gt_array_free(b);
	gt_array_free(c);
	gt_backend_close(be);
}

GT_TEST(too_large)
{
	gt_backend *be = gt_test_backend();
	gt_array *a = NULL;
	ck_refused(gt_array_new(be, GT_F64, (size_t)1 << 50, &a), GT_ERR_MEMORY, "are free");
	ck_refused(gt_array_new(be, GT_F64, (size_t)-1 / 4, &a), GT_ERR_MEMORY, "larger than any memory");
	ck_ok(gt_array_new(be, GT_F32, 10, &a));
	gt_array_free(a);
	gt_backend_close(be);
}

GT_TEST(names)
{
	gt_backend *be = NULL;
	ck_refused(gt_backend_open("gpu", &be), GT_ERR_UNKNOWN, "gpu");
	ck_refused(gt_backend_open("cpuX", &be), GT_ERR_UNKNOWN, "cpuX");
	ck_refused(gt_backend_open("cpu:0", &be), GT_ERR_ARG, "expected a whole number from 1");
	ck_refused(gt_backend_open("cpu:two", &be), GT_ERR_ARG, "two");
	ck_ok(gt_backend_open("cpu:3", &be));
	ck_assert_str_eq(gt_backend_name(be), "cpu:3");
	gt_backend_close(be);
	gt_backend_close(NULL);
	gt_array_free(NULL);
}

int main(void) { return gt_test_main("array", NULL); }
