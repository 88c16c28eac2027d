/* Objects on a backend keep it alive: freed in any order, by any thread, after its last owner closed it; wrapped
 * memory.
 * labels: unit */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/gantry.h>
#include "core/device/download.h"
#include "core/device/upload.h"
#include "tests/support/penalties.h"
#include "tests/support/problem.h"
#include "tests/support/support.h"

enum { N = 1000 };

GT_TEST(the_backend_goes_first)
{
	gt_backend *be = gt_test_backend();
	gt_array *x = gt_test_array(be, GT_F32, N, 1), *y = NULL, *part = NULL;
	gt_upload *u = NULL;
	gt_download *d = NULL;
	ck_ok(gt_array_like(x, &y));
	ck_ok(gt_array_part(x, 10, 20, &part));
	ck_ok(gt_upload_new(be, 4096, &u));
	ck_ok(gt_download_new(be, &d));
	void *locked = gt_locked_new(be, 4096, "test");
	gt_penalty *R = gt_test_square(&gt_test_square_ops, x, 1);
	gt_backend_close(be);
	gt_fill(2, x);
	gt_copy(x, y);
	ck_assert_double_eq(gt_dot(x, y), 4.0 * N);
	ck_assert_double_eq(gt_penalty_value(R, x), 2.0 * N);
	ck_ok(gt_backend_status(gt_array_backend(x)));
	gt_array_free(x);
	ck_assert_double_eq(gt_sum(y), 2.0 * N);
	gt_penalty_free(R);
	gt_array_free(part);
	gt_locked_free(gt_array_backend(y), locked);
	gt_upload_free(u);
	gt_array_free(y);
	gt_download_free(d);
}

/* Every second array is freed before the backend is closed, the others later by another thread. */
struct crowd {
	gt_linop *A;
	gt_array *x[8];
};

static void *bury(void *self)
{
	struct crowd *c = self;
	for (int i = 7; i >= 0; i -= 2)
		gt_array_free(c->x[i]);
	gt_linop_free(c->A);
	return NULL;
}

GT_TEST(operators_outlive_their_backend)
{
	struct gt_test_problem p = gt_test_problem(gt_test_backend(), GT_F32, 8, 6, 1);
	struct crowd c = { .A = p.A[0] };
	pthread_t thread;
	for (int i = 0; i < 8; i++)
		ck_ok(gt_array_like(p.x, &c.x[i]));
	for (int i = 0; i < 8; i += 2)
		gt_array_free(c.x[i]);
	gt_backend_close(p.be);
	gt_forward(p.A[0], p.truth, p.b[0]);
	ck_assert_double_gt(gt_sum(p.b[0]), 0);
	gt_array_free(p.truth);
	gt_array_free(p.x);
	gt_array_free(p.b[0]);
	ck_assert_int_eq(pthread_create(&thread, NULL, bury, &c), 0);
	pthread_join(thread, NULL);
	free(p.A);
	free(p.b);
	gt_scan_free(p.scan);
}

GT_TEST(wrapped_memory_is_used_as_it_is)
{
	gt_backend *be = gt_test_backend();
	gt_array *own = gt_test_array(be, GT_F64, N, 3), *wrapped = NULL;
	const gt_counters before = gt_test_counters(be);
	ck_ok(gt_array_wrap(be, GT_F64, N, gt_array_data(own), &wrapped));
	ck_assert_ptr_eq(gt_array_data(wrapped), gt_array_data(own));
	ck_assert_uint_eq(gt_test_counters(be).bytes, before.bytes);
	ck_assert_uint_eq(gt_test_counters(be).allocations, before.allocations);
	gt_fill(0.5, wrapped);
	ck_assert_double_eq(gt_sum(own), 0.5 * N);
	gt_array_free(wrapped);
	ck_assert_double_eq(gt_sum(own), 0.5 * N); /* still valid */
	ck_refused(gt_array_wrap(be, GT_F64, N, (char *)gt_array_data(own) + 1, &wrapped), GT_ERR_ARG, "aligned");
	ck_refused(gt_array_wrap(be, GT_F64, N, NULL, &wrapped), GT_ERR_ARG, "1000 doubles");
	gt_array_free(own);
	gt_backend_close(be);
}

GT_TEST(memory_of_the_host_is_wrapped)
{
	gt_backend *be = NULL;
	gt_array *a = NULL;
	float memory[5] = { 1, 2, 3, 4, 5 };
	ck_ok(gt_backend_open("cpu:2", &be));
	ck_ok(gt_array_wrap(be, GT_F32, 5, memory, &a));
	gt_scale(2, a);
	ck_ok(gt_backend_known(be));
	ck_assert_float_eq(memory[4], 10);
	gt_array_free(a);
	ck_assert_float_eq(memory[0], 2);
	gt_backend_close(be);
}

int main(void) { return gt_test_main("ownership", NULL); }
