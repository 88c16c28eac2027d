/* Wrong pointers and mismatched arrays give a status and a message, never a crash.
 * labels: unit */
#include <math.h>
#include <string.h>
#include <gantry/gantry.h>
#include "tests/support/penalties.h"
#include "tests/support/problem.h"
#include "tests/support/support.h"

enum { N = 100 };

GT_TEST(operations_on_no_arrays)
{
	gt_backend *be = gt_test_backend();
	gt_array *x = gt_test_array(be, GT_F32, N, 1);
	double number = 1;
	gt_axpy(1, NULL, x);
	ck_refused(gt_backend_status(be), GT_ERR_ARG, "axpy: expected arrays, found an array and NULL");
	gt_copy(x, NULL);
	ck_refused(gt_backend_status(be), GT_ERR_ARG, "copy");
	gt_fill(1, NULL);
	gt_mul_normals(1, NULL);
	ck_assert(isnan(gt_sum(NULL)));
	ck_assert(isnan(gt_dot(x, NULL)));
	ck_refused(gt_backend_status(be), GT_ERR_ARG, "dot");
	gt_dot_async(NULL, NULL, &number);
	gt_reductions_wait(NULL);
	ck_assert(isnan(number));
	gt_array_put(NULL, x);
	ck_refused(gt_backend_status(be), GT_ERR_ARG, "put");
	gt_array_get_float(NULL, NULL);
	gt_array_get(x, NULL);
	ck_refused(gt_backend_status(be), GT_ERR_ARG, "get");
	ck_assert_uint_eq(gt_array_size(NULL), 0);
	ck_assert_ptr_null(gt_array_backend(NULL));
	gt_array_free(NULL);
	gt_array_free(x);
	gt_backend_close(be);
}

GT_TEST(arrays_are_made_of_something)
{
	gt_backend *be = gt_test_backend();
	gt_array *x = gt_test_array(be, GT_F32, N, 1), *y = NULL;
	ck_refused(gt_array_new(NULL, GT_F32, N, &y), GT_ERR_ARG, "expected a backend, found NULL");
	ck_refused(gt_array_new(be, (gt_type)7, N, &y), GT_ERR_ARG, "type 7");
	ck_refused(gt_array_like(NULL, &y), GT_ERR_ARG, "found NULL");
	ck_refused(gt_array_part(NULL, 0, 1, &y), GT_ERR_ARG, "found NULL");
	ck_refused(gt_array_part(x, 50, 51, &y), GT_ERR_ARG, "elements 50 to 101 of an array of 100");
	ck_refused(gt_backend_open(NULL, &be), GT_ERR_ARG, "NULL");
	ck_refused(gt_backend_status(NULL), GT_ERR_ARG, "expected a backend, found NULL");
	gt_backend_wait(NULL);
	gt_backend_close(NULL);
	gt_array_free(x);
	gt_backend_close(be);
}

/* Handles of another kind: their first words differ. */
GT_TEST(handles_of_another_kind)
{
	struct gt_test_problem p = gt_test_problem(gt_test_backend(), GT_F32, 8, 6, 1);
	gt_fill(1, (gt_array *)p.A[0]);
	gt_copy((gt_array *)p.be, p.x);
	ck_refused(gt_backend_status(p.be), GT_ERR_ARG, "something else");
	gt_forward((gt_linop *)p.x, p.truth, p.b[0]);
	ck_refused(gt_backend_status(p.be), GT_ERR_ARG, "expected an operator");
	gt_forward(NULL, p.truth, p.b[0]);
	ck_refused(gt_backend_status(p.be), GT_ERR_ARG, "no operator");
	gt_adjoint(p.A[0], NULL, NULL);
	ck_refused(gt_backend_status(p.be), GT_ERR_ARG, "expected an operator and two arrays");
	gt_linop_free((gt_linop *)p.x);
	gt_array_free((gt_array *)p.A[0]);
	ck_refused(gt_backend_status((gt_backend *)p.x), GT_ERR_ARG, "expected a backend, found something else");
	ck_assert_double_gt(gt_sum(p.truth), 0); /* all objects are intact */
	gt_test_problem_free(&p);
	gt_backend_close(p.be);
}

GT_TEST(arrays_that_do_not_belong_together)
{
	struct gt_test_problem p = gt_test_problem(gt_test_backend(), GT_F32, 8, 6, 1);
	gt_backend *other = gt_test_backend();
	gt_array *shorter = NULL, *wider = NULL, *away = NULL;
	ck_ok(gt_array_new(p.be, GT_F32, 511, &shorter));
	ck_ok(gt_array_new(p.be, GT_F64, 512, &wider));
	ck_ok(gt_array_new(other, GT_F32, 512, &away));
	gt_array *const wrong[] = { shorter, wider, away };
	gt_penalty *R = gt_test_square(&gt_test_square_ops, p.x, 1);
	for (int i = 0; i < 3; i++) {
		gt_forward(p.A[0], wrong[i], p.b[0]);
		ck_refused(gt_backend_status(p.be), GT_ERR_ARG, "dd maps 512");
		gt_adjoint(p.A[0], p.b[0], wrong[i]);
		ck_refused(gt_backend_status(p.be), GT_ERR_ARG, "dd maps 512");
		gt_axpy(1, wrong[i], p.x);
		ck_refused(gt_backend_status(p.be), GT_ERR_ARG, "axpy");
		ck_assert_int_eq(gt_solve(gt_solver_find("cgls"), &p.problem, NULL, wrong[i], NULL), GT_ERR_ARG);
		ck_ok(gt_backend_status(p.be));
		ck_ok(gt_backend_status(other));
	}
	ck_assert(isnan(gt_penalty_value(R, away)));
	ck_refused(gt_backend_status(p.be), GT_ERR_ARG, "value of penalty 'square': an array on");
	gt_penalty_prox(R, 1, 0, 1, p.x, away);
	ck_refused(gt_backend_status(p.be), GT_ERR_ARG, "prox of penalty 'square'");
	ck_assert(isnan(gt_penalty_value(R, NULL)));
	ck_refused(gt_backend_status(p.be), GT_ERR_ARG, "value of penalty 'square'");
	gt_penalty_free(R);
	for (int i = 0; i < 3; i++)
		gt_array_free(wrong[i]);
	gt_backend_close(other);
	gt_test_problem_free(&p);
	gt_backend_close(p.be);
}

GT_TEST(solvers_and_methods_without_something)
{
	struct gt_test_problem p = gt_test_problem(gt_test_backend(), GT_F32, 8, 6, 1);
	const gt_solver *cgls = gt_solver_find("cgls");
	const gt_analytic *fdk = gt_analytic_find("fdk");
	gt_array *const none[] = { NULL };
	gt_linop *const nothing[] = { NULL };
	ck_refused(gt_solve(NULL, &p.problem, NULL, p.x, NULL), GT_ERR_ARG, "NULL");
	ck_refused(gt_solve(cgls, NULL, NULL, p.x, NULL), GT_ERR_ARG, "NULL");
	ck_refused(gt_solve(cgls, &p.problem, NULL, NULL, NULL), GT_ERR_ARG, "volume");
	gt_problem q = p.problem;
	q.b = none;
	ck_assert_int_eq(gt_solve(cgls, &q, NULL, p.x, NULL), GT_ERR_ARG);
	q = p.problem;
	q.A = nothing;
	ck_assert_int_eq(gt_solve(cgls, &q, NULL, p.x, NULL), GT_ERR_ARG);
	q.A = NULL;
	ck_refused(gt_solve(cgls, &q, NULL, p.x, NULL), GT_ERR_ARG, "NULL");
	ck_refused(gt_analytic_run(NULL, p.be, &p.grid, p.scan, NULL, p.b[0], p.x), GT_ERR_ARG, "NULL");
	ck_refused(gt_analytic_run(fdk, NULL, &p.grid, p.scan, NULL, p.b[0], p.x), GT_ERR_ARG, "NULL");
	ck_refused(gt_analytic_run(fdk, p.be, NULL, p.scan, NULL, p.b[0], p.x), GT_ERR_ARG, "NULL");
	ck_refused(gt_analytic_run(fdk, p.be, &p.grid, p.scan, NULL, NULL, p.x), GT_ERR_ARG, "no backend");
	gt_test_problem_free(&p);
	gt_backend_close(p.be);
}

GT_TEST(versions)
{
	ck_assert_int_eq(strncmp(gt_version(), GT_VERSION " (", strlen(GT_VERSION) + 2), 0);
	ck_assert_ptr_nonnull(strstr(gt_version(), "CUDA"));
	ck_assert_int_eq(gt_version_number(), GT_VERSION_NUMBER);
	ck_ok(gt_check_version(GT_VERSION_NUMBER));
	ck_ok(gt_check_version(GT_VERSION_NUMBER + 1)); /* a patch version */
	ck_refused(gt_check_version(100), GT_ERR_UNSUPPORTED, "headers of gantry 0.1.0, run with the library 0.2.0");
	ck_refused(gt_check_version(300), GT_ERR_UNSUPPORTED, "0.3.0");
	ck_refused(gt_check_version(20000), GT_ERR_UNSUPPORTED, "2.0.0");
	ck_refused(gt_check_version(-1), GT_ERR_UNSUPPORTED, "0.2");
}

GT_TEST(devices_and_streams)
{
	gt_backend *be = gt_test_backend();
	ck_assert_int_ge(gt_device_count(), gt_test_is_gpu());
	for (int k = 0; k < gt_device_count(); k++)
		ck_assert_ptr_nonnull(strstr(gt_device_text(k), "GiB"));
	ck_assert_ptr_null(gt_device_text(gt_device_count()));
	ck_assert_ptr_null(gt_device_text(-1));
	ck_assert_int_eq(gt_backend_stream(be) != NULL, gt_test_is_gpu());
	ck_ok(gt_backend_after(be, gt_backend_stream(be)));
	ck_ok(gt_backend_before(be, gt_backend_stream(be)));
	ck_refused(gt_backend_after(NULL, NULL), GT_ERR_ARG, "backend");
	gt_backend_close(be);
}

int main(void) { return gt_test_main("arguments", NULL); }
