/* Deferred operations: any queue, also on overlapping parts of arrays, is bit-identical to immediate operations, and
 * every access sees its result.
 * labels: unit property */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/device/backend.h"
#include "core/random.h"
#include "tests/support/support.h"

enum { ARRAYS = 4, VIEWS = 6, STEPS = 300, RESULTS = STEPS };
static const size_t lengths[] = { 1, 7, 255, 4099, 300007 };

struct side {
	gt_backend *be;
	gt_array *whole[ARRAYS], *of[ARRAYS + VIEWS]; /* whole arrays, and equal parts of the first two */
	double result[RESULTS];
	int results;
};

static void open_side(struct side *s, const char *name, int gathers, gt_type type, size_t n)
{
	memset(s, 0, sizeof *s);
	ck_ok(gt_backend_open(name, &s->be));
	if (gathers)
		ck_ok(gt_backend_gather(s->be));
	for (int i = 0; i < ARRAYS; i++) {
		s->whole[i] = gt_test_array(s->be, type, n, 5 + (unsigned)i);
		ck_ok(gt_array_part(s->whole[i], 0, n, &s->of[i]));
	}
	for (int i = 0; i < VIEWS; i++) /* n - n/4 elements from 0, n/8, n/4 */
		ck_ok(gt_array_part(s->whole[i % 2], n / 8 * (size_t)(i / 2), n - n / 4, &s->of[ARRAYS + i]));
}

static void close_side(struct side *s)
{
	for (int i = 0; i < ARRAYS + VIEWS; i++)
		gt_array_free(s->of[i]);
	for (int i = 0; i < ARRAYS; i++)
		gt_array_free(s->whole[i]);
	gt_backend_close(s->be);
}

/* The arrays that one operation reads and writes are equal or do not overlap; arrays of different operations may. */
static const gt_array *operand(const struct side *s, unsigned base, unsigned x, unsigned y)
{
	return s->of[base + (base && x % 2 == y % 2 ? y : x)];
}

/* Values stay bounded, because results are scaled down. */
static void step(struct side *s, const uint32_t w[4])
{
	const unsigned base = w[1] % 3 ? 0 : ARRAYS, count = base ? VIEWS : ARRAYS;
	gt_array *y = s->of[base + w[3] % count];
	const gt_array *x = operand(s, base, w[2] % count, w[3] % count), *z = operand(s, base, w[2] / 64 % count, w[3] % count);
	double *result = &s->result[s->results];
	switch (w[0] % 12) {
	case 0:
		gt_axpby(0.5, x, -0.4, y);
		break;
	case 1:
		gt_copy(x, y);
		break;
	case 2:
		gt_add_scaled_clamped(0.3, x, z, -1, 1, y);
		break;
	case 3:
		gt_mul(x, y);
		break;
	case 4:
		gt_fill(0.25, y);
		break;
	case 5:
		gt_mul_normals(w[1], y);
		gt_clamp(-1, 1, y);
		break;
	case 6:
		gt_dot_async(x, y, result);
		s->results++;
		break;
	case 7:
		gt_weighted_norm2_async(x, y, result);
		s->results++;
		break;
	case 8:
		gt_data_misfit_async(x, NULL, y, result);
		gt_clamp(-1, 1, y);
		s->results++;
		break;
	case 9:
		*result = gt_max(x);
		s->results++;
		break;
	case 10:
		gt_weighted_residual_async(x, z, y, result);
		gt_clamp(-1, 1, y);
		s->results++;
		break;
	default:
		if (w[1] % 4 == 0)
			gt_reductions_wait(s->be);
		gt_axpy(-0.1, x, y);
		gt_clamp(-1, 1, y);
	}
}

static void the_same(const struct side *a, const struct side *b)
{
	ck_assert_int_eq(a->results, b->results);
	ck_assert(!memcmp(a->result, b->result, sizeof(double) * (size_t)a->results));
	for (int i = 0; i < ARRAYS; i++)
		ck_assert(!memcmp(gt_array_data(a->whole[i]), gt_array_data(b->whole[i]), gt_array_bytes(a->whole[i])));
}

GT_TESTS(bits_of_one_by_one, sizeof lengths / sizeof *lengths)
{
	const size_t n = lengths[_i];
	for (int k = 0; k < 4; k++) {
		struct side plain, gathers;
		open_side(&plain, "cpu:1", 0, k % 2 ? GT_F64 : GT_F32, n);
		open_side(&gathers, k / 2 ? "cpu:3" : "cpu:1", 1, k % 2 ? GT_F64 : GT_F32, n);
		for (uint64_t i = 0; i < STEPS; i++) {
			uint32_t w[4];
			gt_philox(91 + (uint64_t)k, i, 0, w);
			step(&plain, w);
			step(&gathers, w);
		}
		gt_reductions_wait(plain.be);
		gt_reductions_wait(gathers.be);
		ck_ok(gt_backend_status(gathers.be));
		the_same(&plain, &gathers);
		close_side(&plain);
		close_side(&gathers);
	}
}

/* Every way to access pending results. */
GT_TEST(every_access_sees_the_result)
{
	gt_backend *be;
	gt_array *a, *part, *wrapped;
	float own[9], got[9];
	double sum;
	const gt_array_rows rows = { .first = 1, .run = 2, .rows = 2, .stride = 4 };
	ck_ok(gt_backend_open("cpu:2", &be));
	ck_ok(gt_backend_gather(be));
	ck_ok(gt_array_new(be, GT_F32, 9, &a));
	gt_fill(3, a);
	ck_assert(((float *)gt_array_data(a))[8] == 3);
	gt_scale(2, a);
	gt_array_get(a, got);
	ck_assert(got[0] == 6);
	gt_scale(2, a);
	ck_ok(gt_array_get_rows(a, &rows, got));
	ck_assert(got[3] == 12);
	ck_ok(gt_array_part(a, 3, 3, &part));
	gt_fill(1, part);
	gt_sum_async(a, &sum);
	gt_fill(0, a);
	gt_reductions_wait(be);
	ck_assert(sum == 6 * 12 + 3);
	ck_ok(gt_array_wrap(be, GT_F32, 9, own, &wrapped));
	gt_copy(a, wrapped);
	gt_fill(7, part);
	gt_axpy(1, a, wrapped);
	gt_array_free(wrapped);
	ck_assert(own[2] == 0 && own[3] == 7 && own[5] == 7 && own[6] == 0);
	gt_fill(5, a);
	gt_array_free(part);
	gt_array_free(a);
	ck_ok(gt_backend_status(be));
	gt_backend_close(be);
}

/* A call on some arrays completes their operations; others remain pending. */
GT_TEST(others_go_on_waiting)
{
	gt_backend *be;
	gt_array *a, *b, *c;
	ck_ok(gt_backend_open("cpu:2", &be));
	ck_ok(gt_backend_gather(be));
	ck_ok(gt_array_new(be, GT_F32, 9, &a));
	ck_ok(gt_array_new(be, GT_F32, 5, &b));
	ck_ok(gt_array_new(be, GT_F32, 5, &c));
	gt_fill(1, a);
	gt_fill(1, b);
	gt_backend_wait(be);
	gt_scale(3, a);
	gt_scale(4, b);
	gt_copy(b, c);
	ck_assert(gt_backend_begin_with(be, b, b));
	ck_assert(((const float *)b->data)[4] == 4 && ((const float *)a->data)[8] == 1);
	gt_backend_catch_up(be);
	ck_assert(((const float *)a->data)[8] == 3);
	gt_backend_end(be);
	gt_scale(3, a);
	gt_scale(2, b);
	ck_assert(gt_backend_begin_with(be, c, a));
	ck_assert(((const float *)a->data)[0] == 9 && ((const float *)b->data)[0] == 4);
	gt_backend_end(be);
	ck_assert(((const float *)gt_array_data(b))[0] == 8 && ((const float *)gt_array_data(c))[0] == 4);
	ck_ok(gt_backend_status(be));
	gt_array_free(a);
	gt_array_free(b);
	gt_array_free(c);
	gt_backend_close(be);
}

int main(void) { return gt_test_main("gather", NULL); }
