/* Vector bases: products against sums on the host, bit-identical for any number of threads, and memory limits.
 * labels: unit property */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/basis/basis.h"
#include "tests/support/support.h"

static const size_t lengths[] = { 1, 7, 4096, 10007, 33333 };
enum { MAX_VECTORS = 70, LENGTHS = sizeof lengths / sizeof *lengths };

static double *host(const gt_array *a)
{
	const size_t n = gt_array_size(a);
	double *h = malloc(n * sizeof *h);
	if (gt_array_type(a) == GT_F64) {
		gt_array_get(a, h);
		return h;
	}
	float *single = malloc(n * sizeof *single);
	gt_array_get(a, single);
	for (size_t i = 0; i < n; i++)
		h[i] = single[i];
	free(single);
	return h;
}

static gt_basis *random_basis(gt_backend *be, gt_type type, size_t n, size_t max, gt_array **w)
{
	gt_basis *b = NULL;
	*w = gt_test_array(be, type, n, 3);
	ck_ok(gt_basis_new("a test", *w, max, &b));
	for (size_t i = 0; i < max; i++) {
		gt_array *v = gt_test_array(be, type, n, 10 + (unsigned)i);
		gt_copy(v, gt_basis_vector(b, i));
		gt_array_free(v);
	}
	return b;
}

/* Expected products of k vectors: y = V' w, and w + V c. */
static void expected(const double *V, const double *w, size_t n, size_t k, const double *c, double *y, double *sum)
{
	memcpy(sum, w, n * sizeof *sum);
	for (size_t j = 0; j < k; j++) {
		y[j] = 0;
		for (size_t i = 0; i < n; i++) {
			y[j] += V[j * n + i] * w[i];
			sum[i] += c[j] * V[j * n + i];
		}
	}
}

static double max_of(const double *got, const double *want, size_t n)
{
	double max = 0;
	for (size_t i = 0; i < n; i++) {
		ck_assert(isfinite(got[i]));
		max = fmax(max, fabs(got[i] - want[i]));
	}
	return max;
}

static void check(gt_type type, size_t n, size_t k)
{
	gt_backend *be = gt_test_backend();
	gt_array *w = NULL;
	gt_basis *b = random_basis(be, type, n, MAX_VECTORS, &w);
	double y[MAX_VECTORS], got[MAX_VECTORS], c[MAX_VECTORS], *V = host(gt_basis_whole(b)), *before = host(w),
								 *sum = malloc(n * sizeof *sum);
	/* doubles to rounding; floats are rounded, and cuBLAS sums them partly in single precision */
	const double close = (type == GT_F64 ? 1e-13 : 1e-6) * (double)(n + k);
	for (size_t j = 0; j < k; j++)
		c[j] = 0.1 * (double)j - 1;
	expected(V, before, n, k, c, y, sum);
	const gt_counters count = gt_test_counters(be);
	gt_basis_dots(b, k, w, got);
	ck_assert_double_le(max_of(got, y, k), close);
	ck_assert_uint_eq(gt_test_counters(be).waits, count.waits + (k > 0));
	gt_basis_add(b, k, c, w);
	double *after = host(w);
	ck_assert_double_le(max_of(after, sum, n), 1e-5 * (type == GT_F64 ? 1e-8 : 1) * (double)(k + 1));
	free(after);
	for (size_t j = 0; j < k; j++)
		c[j] = -y[j];
	expected(V, before, n, k, c, y, sum);
	gt_array *again = gt_test_array(be, type, n, 3);
	const gt_counters made = gt_test_counters(be);
	gt_copy(again, w);
	gt_basis_project_out(b, k, w, got);
	ck_assert_uint_eq(gt_test_counters(be).allocations, made.allocations);
	ck_assert_uint_eq(gt_test_counters(be).puts, made.puts);
	after = host(w);
	ck_assert_double_le(max_of(got, y, k), close);
	ck_assert_double_le(max_of(after, sum, n), (type == GT_F64 ? 1e-12 : 1e-4) * (double)(n + k));
	free(V), free(before), free(after), free(sum);
	gt_basis_free(b);
	gt_array_free(again);
	gt_array_free(w);
	ck_assert_uint_eq(gt_test_counters(be).bytes, 0);
	gt_backend_close(be);
}

GT_TESTS(products_are_those_of_the_host, LENGTHS)
{
	static const size_t some[] = { 0, 1, 5, 64, 65, MAX_VECTORS };
	for (size_t i = 0; i < sizeof some / sizeof *some; i++)
		for (gt_type t = GT_F32; t <= GT_F64; t++)
			check(t, lengths[_i], some[i]);
}

/* V' w and w - V V' w as bytes. */
static void *products(const char *backend, gt_type type, size_t n, size_t *bytes)
{
	gt_backend *be = NULL;
	gt_array *w = NULL;
	ck_ok(gt_backend_open(backend, &be));
	gt_basis *b = random_basis(be, type, n, 9, &w);
	*bytes = gt_array_bytes(w) + 9 * sizeof(double);
	char *result = malloc(*bytes);
	double y[9];
	gt_basis_project_out(b, 9, w, y);
	gt_array_get(w, result);
	memcpy(result + gt_array_bytes(w), y, sizeof y);
	gt_basis_free(b);
	gt_array_free(w);
	gt_backend_close(be);
	return result;
}

GT_TESTS(any_number_of_threads_gives_the_same_bits, LENGTHS)
{
	static const char *const more[] = { "cpu:2", "cpu:3", "cpu:8" };
	for (gt_type t = GT_F32; t <= GT_F64; t++) {
		size_t bytes;
		void *one = products("cpu:1", t, lengths[_i], &bytes);
		for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
			void *some = products(more[i], t, lengths[_i], &bytes);
			ck_assert_msg(!memcmp(one, some, bytes), "%s: other bits", more[i]);
			free(some);
		}
		free(one);
	}
}

/* The refusal states how many vectors fit; a dry run counts the memory of a real one. */
GT_TEST(what_does_not_fit_is_refused)
{
	gt_backend *be = gt_test_backend();
	size_t available, total;
	gt_array *w = gt_test_array(be, GT_F32, 1000, 1);
	gt_basis *b = NULL;
	gt_backend_memory(be, &available, &total);
	ck_refused(gt_basis_new("solver 'x'", w, total / 1000, &b), GT_ERR_MEMORY, "solver 'x': a basis of");
	const char *max = strstr(gt_error(), "expected ");
	ck_assert_ptr_nonnull(max);
	const double fit = strtod(max + 9, NULL) * 4000;
	ck_assert(fit > 0.3 * (double)available && fit < 2 * (double)available);
	ck_refused(gt_basis_new("solver 'x'", w, SIZE_MAX / 8, &b), GT_ERR_MEMORY, "solver 'x': a basis of");
	const size_t before = gt_test_counters(be).bytes;
	ck_ok(gt_basis_new("solver 'x'", w, 7, &b));
	const size_t bytes = gt_test_counters(be).bytes - before;
	ck_assert_uint_eq(bytes, gt_basis_bytes(w, 7));
	ck_assert_double_eq(gt_dot(gt_basis_whole(b), gt_basis_whole(b)), 0);
	ck_assert_ptr_null(gt_basis_vector(b, 7));
	double y[8];
	gt_basis_dots(b, 8, w, y);
	ck_assert(isnan(y[0]));
	ck_refused(gt_backend_status(be), GT_ERR_ARG, "a basis of 7 vectors of 1000 single values: not 8 of 1000");
	gt_basis_free(b);
	gt_array_free(w);
	gt_backend_close(be);
	be = gt_test_backend();
	ck_ok(gt_backend_dry_run(be));
	w = gt_test_array(be, GT_F32, 1000000, 1);
	ck_ok(gt_basis_new("solver 'x'", w, total / 4000000 + 8, &b));
	gt_basis_project_out(b, 8, w, y);
	ck_assert_double_eq(y[7], 1);
	gt_basis_free(b);
	gt_array_free(w);
	gt_backend_close(be);
}

int main(void) { return gt_test_main("basis", NULL); }
