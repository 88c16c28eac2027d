/* Teams of processes: refused without mpirun. Ranks exchange values and blocks, and unequal ranks are balanced. A
 * failure ends all and names its rank; a finished rank is not awaited.
 * labels: unit; backend: none */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/processes.h>
#include <gantry/recon.h>
#include "core/partition/partition.h"
#include "core/try.h"
#include "team/balance.h"
#include "team/process_group.h"
#include "team/team.h"
#include "tests/support/support.h"

START_TEST(alone_is_refused)
{
	gt_team *t = NULL;
	int me = -1, n = -1, tells = 0;
	ck_assert(gt_group_all(1) && !gt_group_all(0));
	ck_refused(gt_team_open("mpi", &t), GT_ERR_UNSUPPORTED, "expected mpirun");
	ck_refused(gt_team_open_distributed("mpi:cpu:1", 8, &t), GT_ERR_UNSUPPORTED, "backend 'mpi:cpu:1': no launcher");
	ck_assert(gt_team_is_spec("mpi") && gt_team_is_spec("mpi:cuda:0-3") && !gt_team_is_spec("mpix"));
	ck_ok(gt_processes_begin(&me, &n));
	ck_assert(me == 0 && n == 1 && gt_process() == 0);
	ck_assert(gt_processes_end(GT_ERR_IO, &tells) == GT_ERR_IO && tells);
	gt_processes_leave(0);
}
END_TEST

enum { N = 23, EACH = 3 };

/* Sums, minima, all elements on even ranks, and blocks from each rank to the next. */
static gt_status together(gt_backend *be, void *self)
{
	const int me = gt_rank(be), n = gt_ranks(be), next = (me + 1) % n, before = (me + n - 1) % n;
	double host[N * EACH], back[N * EACH] = { 0 }, sum = 0, mine[6], from[6] = { 0 };
	double *sums = self;
	gt_array *x = NULL, *block = NULL, *room = NULL;
	gt_status st = GT_OK;
	for (int i = 0; i < N * EACH; i++)
		sum += host[i] = sin(i) + 2;
	for (int i = 0; i < 6; i++)
		mine[i] = 100 * me + i;
	GT_TRY(gt_array_new_shared(be, GT_F64, EACH, N, &x));
	gt_array_put(host, x);
	sums[me] = gt_sum(x);
	if (fabs(sums[me] - sum) > 1e-12 * sum || gt_team_min(be, me) != 0 || gt_team_first(be, me + 5) != 5)
		GT_TRY(gt_fail(GT_ERR_ARG, "numbers of all are wrong on rank %d", me));
	gt_array_get(x, me % 2 ? NULL : back);
	if (me % 2 == 0 && memcmp(back, host, sizeof host))
		GT_TRY(gt_fail(GT_ERR_ARG, "elements of all are wrong on rank %d", me));
	GT_TRY(gt_array_new(be, GT_F64, 6, &block));
	GT_TRY(gt_array_new(be, GT_F64, 6, &room));
	gt_array_put(mine, block);
	gt_fill(0, room);
	/* the first and the last of three pairs, with a gap on arrival too; then a dense block */
	const size_t b = sizeof(double);
	double *to = gt_array_data(room), *at = gt_array_data(block);
	const gt_exchange_block out[2] = { { next, at, b, 2, 4 * b }, { next, at + 1, 2 * b, 1, 0 } };
	const gt_exchange_block in[2] = { { before, to, b, 2, 3 * b }, { before, to + 4, 2 * b, 1, 0 } };
	gt_team_exchange(be, out, 2, in, 2);
	gt_array_get(room, from);
	const double want[6] = { 100 * before, 0, 0, 100 * before + 4, 100 * before + 1, 100 * before + 2 };
	if (memcmp(from, want, sizeof want))
		GT_TRY(gt_fail(GT_ERR_ARG, "blocks are wrong on rank %d: %g %g %g %g", me, from[0], from[3], from[4], from[5]));
	st = gt_backend_status(be);
done:
	gt_array_free(x);
	gt_array_free(block);
	gt_array_free(room);
	return st;
}

static int processes(void) { return atoi(getenv("OMPI_COMM_WORLD_SIZE")); }

START_TEST(ranks_exchange)
{
	gt_team *t = NULL;
	char spec[32];
	double sums[64] = { 0 };
	for (int each = 1; each <= 2; each++) { /* ranks per process */
		snprintf(spec, sizeof spec, each == 1 ? "mpi:cpu:1" : "mpi:cpu:1x%d", 2 * processes());
		ck_ok(gt_team_open(spec, &t));
		ck_assert_int_eq(gt_team_size(t), each * processes());
		for (int i = 0; i < 20; i++)
			ck_ok(gt_team_run(t, together, sums));
		gt_team_close(t);
	}
}
END_TEST

START_TEST(processes_agree)
{
	int me, n;
	ck_ok(gt_processes_begin(&me, &n));
	ck_assert_int_eq(n, processes());
	for (int other = 0; other < n; other++)
		ck_assert_int_eq(gt_group_all(me != other), 0);
	ck_assert_int_eq(gt_group_all(0), 0);
	ck_assert_int_eq(gt_group_all(me + 1), 1);
}
END_TEST

static gt_status fails_at_last(gt_backend *be, void *self)
{
	const int *kind = self;
	double sums[64];
	const gt_status st = together(be, sums);
	if (st != GT_OK || gt_rank(be) < gt_ranks(be) - 1)
		return st != GT_OK ? st : together(be, sums);
	if (*kind == 1)
		return GT_OK; /* ends while the others wait */
	return gt_fail(*kind ? GT_ERR_ARG : GT_ERR_MEMORY, "made to fail");
}

START_TEST(a_failure_is_that_of_all)
{
	gt_team *t = NULL;
	char who[96];
	double sums[64];
	snprintf(who, sizeof who, "rank %d of %d (host %.30s, cpu:1): made to fail", processes() - 1, processes(), gt_group_host());
	ck_ok(gt_team_open("mpi:cpu:1", &t));
	gt_team_set_timeout(t, 1e6); /* s: a rank that learns of no failure waits, and the test hangs */
	for (int i = 0; i < 3; i++) {
		ck_refused(gt_team_run(t, fails_at_last, &(int){ 0 }), GT_ERR_MEMORY, who);
		ck_refused(gt_team_run(t, fails_at_last, &(int){ 1 }), GT_ERR_DEVICE, "it has ended while others wait for it");
		ck_refused(gt_team_run(t, fails_at_last, &(int){ 2 }), GT_ERR_ARG, "made to fail");
		ck_ok(gt_team_run(t, together, sums)); /* and the team continues */
	}
	gt_team_close(t);
}
END_TEST

START_TEST(other_versions_and_devices_are_refused)
{
	gt_team *t = NULL;
	int me, n;
	double sums[64];
	ck_ok(gt_processes_begin(&me, &n));
	gt_group_set_version(me ? "0.0.7 (other)" : NULL);
	ck_refused(gt_team_open("mpi:cpu:1", &t), GT_ERR_UNSUPPORTED, "is of version 0.0.7 (other), process 0 (host ");
	gt_group_set_version(NULL);
	ck_refused(gt_team_open(me ? "mpi:cpu:no" : "mpi:cpu:1", &t), GT_ERR_ARG, "rank 1 of ");
	ck_refused(gt_team_open("mpi:cpu:1x7", &t), GT_ERR_ARG, "7 devices for");
	ck_refused(gt_team_open_distributed("mpi:cpu:1", 7, &t), GT_ERR_ARG, "expected a divisor of 7");
	ck_ok(gt_team_open("mpi:cpu:1", &t));
	ck_ok(gt_team_run(t, together, sums));
	gt_team_close(t);
}
END_TEST

/* Rank i takes i + 1 times as long per item, plus a fixed time. */
enum { THINGS = 60 };
static const double each_takes = 1.5e-3, all_take = 4e-3;

static double takes(int rank, size_t things) { return all_take + each_takes * (rank + 1) * (double)things; }

static gt_status work(gt_backend *be, void *self, double *seconds)
{
	(void)self;
	*seconds = takes(gt_rank(be), gt_local_range(be, THINGS).n);
	return GT_OK;
}

static void count_splits(void *self, int split, int ranks, const size_t *share, const double *seconds)
{
	(void)ranks, (void)share, (void)seconds;
	*(int *)self = split;
}

static double slowest(int ranks, const size_t *share)
{
	double max = 0;
	for (int i = 0; i < ranks; i++)
		max = fmax(max, takes(i, share[i]));
	return max;
}

/* The minimum makespan: gives each item to the rank that finishes it first. */
static double best(int ranks)
{
	size_t share[64] = { 0 };
	for (int k = 0; k < THINGS; k++) {
		int first = 0;
		for (int i = 1; i < ranks; i++)
			first = takes(i, share[i] + 1) < takes(first, share[first] + 1) ? i : first;
		share[first]++;
	}
	return slowest(ranks, share);
}

struct balanced {
	size_t share[64];
	int splits;
};

static gt_status balance(gt_backend *be, void *self)
{
	struct balanced *b = self;
	const gt_balance_work w = { THINGS, work, &b->splits, count_splits };
	gt_status st = gt_balance_run(be, &w, b->share);
	for (int i = 0; i < gt_ranks(be) && st == GT_OK; i++) /* every process uses this partition */
		if (gt_team_range(be, i, THINGS).n != b->share[i])
			st = gt_fail(GT_ERR_ARG, "rank %d has %zu things, expected %zu", i, gt_team_range(be, i, THINGS).n, b->share[i]);
	return st;
}

START_TEST(uneven_processes_come_within_5_percent)
{
	gt_team *t = NULL;
	struct balanced b = { .splits = 0 };
	ck_ok(gt_team_open("mpi:cpu:1", &t));
	ck_ok(gt_team_run(t, balance, &b));
	const int n = gt_team_size(t);
	ck_assert_msg(slowest(n, b.share) <= 1.05 * best(n), "%zu:%zu ...: %.4g ms, the best split %.4g", b.share[0], b.share[1],
	              1e3 * slowest(n, b.share), 1e3 * best(n));
	ck_assert_int_le(b.splits, GT_BALANCE_SPLITS);
	gt_team_close(t);
}
END_TEST

static void fill(TCase *tc)
{
	if (!getenv("GT_TEAM")) {
		tcase_add_test(tc, alone_is_refused);
		return;
	}
	tcase_add_test(tc, ranks_exchange);
	tcase_add_test(tc, processes_agree);
	tcase_add_test(tc, a_failure_is_that_of_all);
	tcase_add_test(tc, other_versions_and_devices_are_refused);
	tcase_add_test(tc, uneven_processes_come_within_5_percent);
}

int main(void) { return gt_test_main("processes", fill); }
