/* Asynchronous uploads and downloads: the data at the time of the call arrive, whatever is computed in the meantime. */
/* labels: unit */
#include <stdlib.h>
#include <string.h>
#include <gantry/array.h>
#include "core/device/backend.h"
#include "core/device/download.h"
#include "core/array/staged.h"
#include "core/device/upload.h"
#include "tests/support/support.h"

enum { N = 100003, ROUNDS = 7, CUT = 33331 };

typedef struct {
	gt_backend *be;
	gt_type type;
	gt_upload *up;
	gt_download *down;
	gt_array *x[2];
	char *in[2], *out[2];
	float *numbers;
} transfers;

static size_t bytes_of(const transfers *t, size_t n) { return n * gt_type_size(t->type); }

static void setup(transfers *t, gt_type type)
{
	*t = (transfers){ .be = gt_test_backend(), .type = type, .numbers = malloc(N * sizeof(float)) };
	ck_ok(gt_upload_new(t->be, bytes_of(t, N), &t->up));
	ck_ok(gt_download_new(t->be, &t->down));
	for (int i = 0; i < 2; i++) {
		ck_ok(gt_array_new(t->be, type, N, &t->x[i]));
		ck_assert_ptr_nonnull(t->in[i] = gt_locked_new(t->be, bytes_of(t, N), "input"));
		ck_assert_ptr_nonnull(t->out[i] = gt_locked_new(t->be, bytes_of(t, N), "output"));
	}
}

static void teardown(transfers *t)
{
	for (int i = 0; i < 2; i++) {
		gt_array_free(t->x[i]);
		gt_locked_free(t->be, t->in[i]);
		gt_locked_free(t->be, t->out[i]);
	}
	gt_upload_free(t->up);
	gt_download_free(t->down);
	ck_assert_uint_eq(gt_test_counters(t->be).bytes, 0);
	gt_backend_close(t->be);
	free(t->numbers);
}

/* Uploads random numbers of a round in two blocks, and doubles them in an array of that round. */
static void send_round(transfers *t, int k)
{
	char *in = t->in[k % 2];
	gt_test_random((unsigned)k, N, t->numbers);
	for (size_t i = 0; i < N; i++)
		if (t->type == GT_F32)
			memcpy(in + bytes_of(t, i), &t->numbers[i], sizeof(float));
		else
			memcpy(in + bytes_of(t, i), &(double){ t->numbers[i] }, sizeof(double));
	gt_upload_put(t->up, in, 0, bytes_of(t, CUT));
	gt_upload_put(t->up, in + bytes_of(t, CUT), bytes_of(t, CUT), bytes_of(t, N - CUT));
	gt_upload_wait(t->up);
	memset(in, 0xff, bytes_of(t, N));
	gt_array *block = NULL;
	ck_ok(gt_array_wrap(t->be, t->type, N, (void *)(size_t)gt_upload_block(t->up), &block));
	gt_copy(block, t->x[k % 2]);
	gt_array_free(block);
	gt_upload_turn(t->up);
	gt_scale(2, t->x[k % 2]);
}

static void check_round(transfers *t, int k)
{
	size_t bad = 0;
	gt_download_wait(t->down);
	gt_test_random((unsigned)k, N, t->numbers);
	for (size_t i = 0; i < N; i++) {
		double got = 0;
		float single;
		memcpy(t->type == GT_F32 ? (void *)&single : (void *)&got, t->out[k % 2] + bytes_of(t, i), gt_type_size(t->type));
		if (t->type == GT_F32)
			got = single;
		bad += got != 2 * (double)t->numbers[i];
	}
	ck_assert_msg(!bad, "round %d: %zu of %d numbers are wrong", k, bad, N);
}

static void check(gt_type type)
{
	transfers t;
	setup(&t, type);
	const gt_counters before = gt_test_counters(t.be);
	for (int k = 0; k <= ROUNDS; k++) {
		if (k < ROUNDS)
			send_round(&t, k);
		if (k > 0)
			check_round(&t, k - 1);
		if (k < ROUNDS)
			gt_download_get(t.down, t.x[k % 2], t.out[k % 2]);
	}
	const gt_counters after = gt_test_counters(t.be);
	ck_assert_uint_eq(after.get_bytes - before.get_bytes, ROUNDS * bytes_of(&t, N));
	ck_assert_uint_eq(after.put_bytes - before.put_bytes, ROUNDS * bytes_of(&t, N));
	ck_ok(gt_backend_status(t.be));
	teardown(&t);
}

GT_TEST(single_precision) { check(GT_F32); }

GT_TEST(double_precision) { check(GT_F64); }

/* Downloads of 32 MiB and more to ordinary memory: the page-locked buffers of the first one are used again. */
GT_TEST(large_downloads_keep_their_buffers)
{
	gt_backend *be = gt_test_backend();
	const size_t n = (size_t)10 << 20;
	float *host = malloc(n * sizeof *host), *seen = malloc(n * sizeof *seen);
	void *first = NULL;
	gt_array *x;
	ck_ok(gt_array_new(be, GT_F32, n, &x));
	for (unsigned k = 0; k < 3; k++) {
		gt_test_random(k, n, host);
		gt_array_put(host, x);
		gt_array_get(x, seen);
		ck_ok(gt_backend_status(be));
		ck_assert_mem_eq(host, seen, n * sizeof *host);
		if (!k)
			first = be->staged[1];
		ck_assert_ptr_eq(be->staged[1], first);
	}
	ck_assert_int_eq(first != NULL, gt_backend_is_gpu(be));
	free(host), free(seen);
	gt_array_free(x);
	gt_backend_close(be);
}

/* Every third block of 7 kB: a GPU receives them as one array. */
GT_TEST(large_uploads_of_blocks)
{
	enum { BLOCK = 1777, STRIDE = 3 };
	gt_backend *be = gt_test_backend();
	const size_t n = (size_t)5300 * BLOCK;
	float *host = malloc(STRIDE * n * sizeof *host), *seen = malloc(n * sizeof *seen);
	size_t bad = 0;
	gt_array *x;
	gt_test_random(3, STRIDE * n, host);
	ck_ok(gt_array_new(be, GT_F32, n, &x));
	ck_assert_int_eq(gt_array_put_staged(host, BLOCK * sizeof *host, STRIDE * BLOCK * sizeof *host, x), gt_backend_is_gpu(be));
	gt_array_get(x, seen);
	ck_ok(gt_backend_status(be));
	for (size_t i = 0; i < n && gt_backend_is_gpu(be); i++)
		bad += seen[i] != host[i / BLOCK * STRIDE * BLOCK + i % BLOCK];
	ck_assert_uint_eq(bad, 0);
	free(host), free(seen);
	gt_array_free(x);
	gt_backend_close(be);
}

int main(void) { return gt_test_main("transfers", NULL); }
