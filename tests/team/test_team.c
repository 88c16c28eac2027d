/* Teams: names, partitions of arrays, sums in rank order, exchanges; no rank waits for one that fails or ends.
 * labels: unit; backend: none */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "core/partition/partition.h"
#include "core/try.h"
#include "team/team.h"
#include "tests/support/support.h"

GT_TEST(names)
{
	gt_team *t = NULL;
	ck_assert(gt_team_is_spec("cpu:1x4") && gt_team_is_spec("cuda:0,1") && gt_team_is_spec("cuda:0-3") &&
	          gt_team_is_spec("cpu:1+cpu:2"));
	ck_assert(!gt_team_is_spec("cpu:4") && !gt_team_is_spec("cuda:0") && !gt_team_is_spec("auto") && !gt_team_is_spec(NULL));
	gt_backend *be = NULL;
	ck_refused(gt_backend_open("cpu:1x4", &be), GT_ERR_ARG, "backend 'cpu:1x4': several devices, expected one");
	ck_refused(gt_backend_open("cuda:0-3", &be), GT_ERR_ARG, "backend 'cuda:0-3': several devices, expected one");
	ck_refused(gt_team_open("cuda:0,1,0", &t), GT_ERR_ARG, "device 0 is named twice");
	ck_refused(gt_team_open("cuda:0-2,1", &t), GT_ERR_ARG, "device 1 is named twice");
	ck_refused(gt_team_open("cuda:3-1", &t), GT_ERR_ARG, "expected");
	ck_refused(gt_team_open("cuda:0,", &t), GT_ERR_ARG, "expected");
	ck_refused(gt_team_open("cpu:0x2", &t), GT_ERR_ARG, "expected");
	ck_refused(gt_team_open("cpu:1x", &t), GT_ERR_ARG, "expected");
	ck_refused(gt_team_open("cpu:1x2y", &t), GT_ERR_ARG, "expected");
	ck_refused(gt_team_open("cpu:1x999", &t), GT_ERR_ARG, "at most 64");
	ck_refused(gt_team_open("cpu:1+cuda:0", &t), GT_ERR_ARG, "devices of one kind");
	ck_refused(gt_team_open("cuda:0+cuda:0", &t), GT_ERR_ARG, "device 0 is named twice");
	ck_refused(gt_team_open("cpu:1+cpu:", &t), GT_ERR_ARG, "expected");
	ck_refused(gt_team_open("cpu:1+", &t), GT_ERR_ARG, "expected");
	ck_refused(gt_team_open_distributed("cpu:1x3", 8, &t), GT_ERR_ARG, "3 devices");
	ck_ok(gt_team_open("cpu:1+cpu:2+cpu:1x2", &t));
	ck_assert_int_eq(gt_team_size(t), 4);
	ck_assert_str_eq(gt_backend_name(gt_team_backend(t, 1)), "cpu:2");
	ck_assert_str_eq(gt_backend_name(gt_team_backend(t, 3)), "cpu:1");
	gt_team_close(t);
	ck_ok(gt_team_open_distributed("cpu:1+cpu:2", 8, &t));
	ck_assert_str_eq(gt_backend_name(gt_team_backend(t, 3)), "cpu:1");
	ck_assert_str_eq(gt_backend_name(gt_team_backend(t, 4)), "cpu:2");
	gt_team_close(t);
}

/* Partitions ------------------------------------------------------------------- */

enum { N = 23, EACH = 3 };

static gt_status share_on_rank(gt_backend *be, void *self)
{
	double host[N * EACH], back[N * EACH] = { 0 }, dot, min, *sums = self;
	gt_array *x = NULL, *y = NULL, *part = NULL;
	gt_status st = GT_OK;
	for (int i = 0; i < N * EACH; i++)
		host[i] = sin(i) + 2;
	GT_TRY(gt_array_new_shared(be, GT_F64, EACH, N, &x));
	GT_TRY(gt_array_like(x, &y));
	gt_array_put(host, x);
	gt_copy(x, y);
	gt_scale(2, y);
	dot = gt_dot(x, y);
	min = gt_min(x);
	gt_array_get(y, back);
	GT_TRY(gt_array_part(x, 5, 11, &part));
	sums[gt_rank(be)] = dot + 1000 * min + 1e6 * gt_sum(part);
	for (int i = 0; i < N * EACH; i++)
		if (back[i] != 2 * host[i])
			GT_TRY(gt_fail(GT_ERR_ARG, "element %d is %g", i, back[i]));
	if (gt_array_size(part) != 11 || gt_array_size(x) != N * EACH)
		st = gt_fail(GT_ERR_ARG, "sizes");
done:
	gt_array_free(part);
	gt_array_free(x);
	gt_array_free(y);
	return st;
}

GT_TEST(shares)
{
	static const char *const specs[] = { "cpu:1x2", "cpu:1x3", "cpu:1x30" };
	double dot = 0, min = INFINITY, part = 0;
	for (int i = 0; i < N * EACH; i++) {
		dot += 2 * (sin(i) + 2) * (sin(i) + 2);
		min = fmin(min, sin(i) + 2);
		part += i >= 5 && i < 16 ? sin(i) + 2 : 0;
	}
	for (int k = 0; k < 3; k++) {
		double sums[64] = { 0 };
		gt_team *t = NULL;
		ck_ok(gt_team_open(specs[k], &t));
		ck_ok(gt_team_run(t, share_on_rank, sums));
		ck_assert(fabs(sums[0] - (dot + 1000 * min + 1e6 * part)) < 1e-6);
		for (int i = 1; i < gt_team_size(t); i++)
			ck_assert(sums[i] == sums[0]);
		gt_team_close(t);
	}
}

/* Fields --------------------------------------------------------------------- */

enum { FIELDS = 4, APART = N + 5, MARK = -7 };

static gt_status is(const double *found, double a, double b, double from, size_t i, const char *what)
{
	return fabs(found[i] - (a * (from + (double)i) + b)) > 0
	               ? gt_fail(GT_ERR_ARG, "%s: element %zu is %g, expected %g", what, i, found[i], a * (from + (double)i) + b)
	               : GT_OK;
}

/* A rank has a range of each field, in memory with a gap between ranges; the array concatenates the fields. */
static gt_status fields_on_rank(gt_backend *be, void *self)
{
	const gt_range own = gt_local_range(be, N);
	const gt_partition_fields f = { .count = FIELDS, .each = N, .first = own.first, .n = own.n, .apart = APART };
	double room[FIELDS * APART], host[FIELDS * N], back[FIELDS * N];
	gt_array *a = NULL, *part = NULL, *none = NULL;
	gt_status st = GT_OK;
	(void)self;
	for (size_t i = 0; i < FIELDS * APART; i++)
		room[i] = MARK;
	for (size_t i = 0; i < FIELDS * N; i++)
		host[i] = (double)i;
	GT_TRY(gt_array_wrap_fields(be, GT_F64, room, &f, &a));
	if (gt_array_size(a) != FIELDS * N)
		GT_TRY(gt_fail(GT_ERR_ARG, "%zu elements", gt_array_size(a)));
	gt_array_put(host, a);
	for (size_t i = 0; i < FIELDS; i++)
		for (size_t k = 0; k < APART; k++)
			if (fabs(room[i * APART + k] - (k < own.n ? (double)(i * N + own.first + k) : MARK)) > 0)
				GT_TRY(gt_fail(GT_ERR_ARG, "field %zu: element %zu is %g", i, k, room[i * APART + k]));
	gt_array_get(a, back);
	for (size_t i = 0; i < FIELDS * N; i++)
		GT_TRY(is(back, 1, 0, 0, i, "all"));
	/* parts that begin and end within fields, as files are read; and parts of these */
	for (size_t first = 0; first < FIELDS * N; first += 17) {
		const size_t n = FIELDS * N - first < 17 ? FIELDS * N - first : 17;
		double some[17];
		for (size_t i = 0; i < n; i++)
			some[i] = 3 * (double)(first + i) + 1;
		GT_TRY(gt_array_part(a, first, n, &part));
		gt_array_put(some, part);
		gt_array_free(part);
		part = NULL;
	}
	gt_array_get(a, back);
	for (size_t i = 0; i < FIELDS * N; i++)
		GT_TRY(is(back, 3, 1, 0, i, "by parts"));
	gt_fill(0.5, a);
	gt_array_get(a, back);
	for (size_t i = 0; i < FIELDS * N; i++)
		GT_TRY(is(back, 0, 0.5, 0, i, "filled"));
	for (size_t i = 0; i < FIELDS * APART; i++)
		if (i % APART >= own.n && fabs(room[i] - MARK) > 0)
			GT_TRY(gt_fail(GT_ERR_ARG, "what lies between fields is %g", room[i]));
	if (gt_array_like(a, &none) != GT_ERR_UNSUPPORTED)
		GT_TRY(gt_fail(GT_ERR_ARG, "another array of fields was made"));
done:
	gt_array_free(part);
	gt_array_free(a);
	return st;
}

static gt_status operated_on_rank(gt_backend *be, void *self)
{
	const gt_range own = gt_local_range(be, N);
	const gt_partition_fields f = { .count = 2, .each = N, .first = own.first, .n = own.n, .apart = N };
	double room[2 * N] = { 0 };
	gt_array *a = NULL;
	gt_status st = gt_array_wrap_fields(be, GT_F64, room, &f, &a);
	(void)self;
	if (st == GT_OK) {
		gt_scale(2, a);
		st = gt_backend_status(be);
	}
	gt_array_free(a);
	return st;
}

GT_TEST(fields)
{
	for (int ranks = 2; ranks < 5; ranks++) {
		static const double uneven[] = { 1, 0.02, 3, 1.3 };
		char spec[16];
		gt_team *t = NULL;
		snprintf(spec, sizeof spec, "cpu:1x%d", ranks);
		ck_ok(gt_team_open(spec, &t));
		ck_ok(gt_team_set_weights(t, uneven));
		ck_ok(gt_team_run(t, fields_on_rank, NULL));
		ck_refused(gt_team_run(t, operated_on_rank, NULL), GT_ERR_ARG, "scale");
		gt_team_close(t);
	}
}

/* Failing ---------------------------------------------------------------------- */

struct failing {
	int rank, call, ends; /* ends: it returns without error instead */
};

/* Alternates sums, exchanges and gathers; one rank fails, or returns, before one of them. */
static gt_status failing_on_rank(gt_backend *be, void *self)
{
	const struct failing *f = self;
	const int me = gt_rank(be), n = gt_ranks(be);
	gt_array *x = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_array_new_shared(be, GT_F32, 5, 7, &x));
	gt_fill(1, x);
	for (int k = 0; k < 60; k++) {
		float out = (float)me, in = -1;
		if (me == f->rank && k == f->call) {
			if (!f->ends)
				st = gt_fail(GT_ERR_MEMORY, "no memory at call %d", k);
			goto done;
		}
		const gt_exchange_block to = { (me + 1) % n, &out, sizeof out, 1, 0 }, from = { (me + n - 1) % n, &in, sizeof in, 1, 0 };
		if (k % 3 == 0)
			gt_team_exchange(be, &to, 1, &from, 1);
		else if (k % 3 == 1)
			gt_sum(x);
		else
			gt_team_first(be, k);
		if (k % 3 == 0 && gt_backend_known(be) == GT_OK && in != (float)((me + n - 1) % n))
			GT_TRY(gt_fail(GT_ERR_ARG, "got %g", (double)in));
		GT_TRY(gt_backend_known(be));
	}
done:
	gt_array_free(x);
	return st;
}

/* Seconds. A rank that a failure does not wake waits for its timeout, and the test hangs. */
static const double timeout = 1e6;

GT_TEST(one_fails)
{
	gt_team *t = NULL;
	char what[64];
	ck_ok(gt_team_open("cpu:1x4", &t));
	gt_team_set_timeout(t, timeout);
	for (int k = 0; k < 50; k++) {
		struct failing f = { .rank = k % 4, .call = k };
		snprintf(what, sizeof what, "rank %d of 4 (cpu:1): no memory at call %d", k % 4, k);
		ck_refused(gt_team_run(t, failing_on_rank, &f), GT_ERR_MEMORY, what);
	}
	struct failing nobody = { .rank = -1 };
	ck_ok(gt_team_run(t, failing_on_rank, &nobody)); /* the team can be used again */
	gt_team_close(t);
}

GT_TEST(one_ends)
{
	gt_team *t = NULL;
	ck_ok(gt_team_open("cpu:1x3", &t));
	for (int k = 0; k < 12; k++) {
		struct failing f = { .rank = k % 3, .call = k, .ends = 1 };
		ck_refused(gt_team_run(t, failing_on_rank, &f), GT_ERR_DEVICE, "it has ended while");
	}
	gt_team_close(t);
}

/* Ranks 0 and 2 begin to wait at the same time. Rank 1 answers `late` s later, or after both have given up if late
 * is 0. */
struct late {
	pthread_barrier_t others;
	double late;
	atomic_int gave_up;
};

static gt_status late_on_rank(gt_backend *be, void *self)
{
	struct late *l = self;
	const struct timespec pause = { 0, (long)(1e9 * (l->late > 0 ? l->late : 1e-3)) };
	if (gt_rank(be) != 1)
		pthread_barrier_wait(&l->others);
	else
		do
			nanosleep(&pause, NULL);
		while (!(l->late > 0) && atomic_load(&l->gave_up) < 2);
	gt_team_first(be, 1);
	atomic_fetch_add(&l->gave_up, gt_rank(be) != 1);
	return gt_backend_known(be);
}

GT_TEST(one_does_not_answer)
{
	gt_team *t = NULL;
	struct late l = { .late = 0 };
	ck_assert_int_eq(pthread_barrier_init(&l.others, NULL, 2), 0);
	ck_ok(gt_team_open("cpu:1x3", &t));
	gt_team_set_timeout(t, 2);
	ck_refused(gt_team_run(t, late_on_rank, &l), GT_ERR_DEVICE, "rank 1 of 3 (cpu:1): timeout: not at the barrier after 2 s");
	gt_team_set_timeout(t, timeout);
	l.late = 0.2;
	ck_ok(gt_team_run(t, late_on_rank, &l));
	gt_team_close(t);
	pthread_barrier_destroy(&l.others);
}

static gt_status mismatched_on_rank(gt_backend *be, void *self)
{
	float out[2] = { 0 }, in[2];
	(void)self;
	const int other = 1 - gt_rank(be);
	const gt_exchange_block to = { other, out, gt_rank(be) ? 4 : 8, 1, 0 }, from = { other, in, 8, 1, 0 };
	gt_team_exchange(be, &to, 1, &from, 1);
	return gt_backend_known(be);
}

GT_TEST(mismatched_blocks_are_refused)
{
	gt_team *t = NULL;
	ck_ok(gt_team_open("cpu:1x2", &t));
	ck_refused(gt_team_run(t, mismatched_on_rank, NULL), GT_ERR_DEVICE, "which sent no matching block");
	gt_team_close(t);
}

int main(void) { return gt_test_main("team", NULL); }
