/* A slow link between ranks changes no bit, no timeout and no partition, which follows operator times alone. A
 * rank that does not answer ends the run and is named.
 * labels: unit; backend: none */
#include <math.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include "team/team_impl.h"
#include "tests/recon/team_runs.h"
#include "tests/support/clock.h"

/* The link of one rank: each pull takes `latency` s, or blocks until the team has failed. */
static struct {
	int rank, stands_still;
	double latency;
	atomic_int pulls;
	atomic_int begun_after; /* pulls of that rank that began when the team had failed */
} link_;

static void nap(double seconds) { nanosleep(&(struct timespec){ .tv_nsec = (long)(1e9 * seconds) }, NULL); }

static int has_failed(const gt_backend *be)
{
	int rank;
	return gt_team_failure(be->rank->team, &rank, NULL) != GT_OK;
}

static void stand_still(gt_backend *be)
{
	atomic_fetch_add(&link_.begun_after, has_failed(be));
	while (!has_failed(be))
		nap(1e-3);
}

static void nothing(gt_backend *be, void *state) { (void)be, (void)state; }
static void after(gt_backend *be, const void *peer, int taken) { (void)be, (void)peer, (void)taken; }
static void pull(gt_backend *be, const void *peer, const gt_exchange_block *from, const gt_exchange_block *to)
{
	(void)peer;
	if (gt_rank(be) == link_.rank && link_.stands_still)
		stand_still(be);
	if (gt_rank(be) == link_.rank || to->peer == link_.rank) {
		atomic_fetch_add(&link_.pulls, 1);
		nap(link_.latency);
	}
	/* last: a rank that gives up in the meantime must not free the memory */
	for (size_t k = 0; k < to->count; k++)
		memcpy((char *)to->at + k * to->stride, (const char *)from->at + k * from->stride, to->bytes);
}
static const struct gt_exchange_impl slow = { .close = nothing, .ready = nothing, .after = after, .pull = pull, .taken = nothing };

static const struct team_case method = { "os-sart", "iterations=3", NULL, 4, 0, 0, 0, 0, 1 };

/* A run on three ranks, of which the second has the link. */
static gt_status run_on(const char *split, const struct gt_exchange_impl *impl, double timeout, double *result)
{
	struct data d = data_of(GT_FLAT, 0);
	struct run r = run_of(&method, &d, GT_F64);
	gt_team *t = NULL;
	r.split = split;
	r.result = result;
	ck_ok(gt_team_open("cpu:1x3", &t));
	link_.rank = 1;
	t->impl = impl;
	gt_team_set_timeout(t, timeout);
	const gt_status st = gt_team_run(t, solve, &r);
	gt_team_close(t);
	data_free(&d);
	return st;
}

GT_TESTS(slow_links_change_no_bit, 2)
{
	const char *split = _i ? "slices" : "views";
	const size_t n = gt_grid_voxels(&grid);
	double *fast = calloc(n, sizeof *fast), *late = calloc(n, sizeof *late);
	ck_ok(run_on(split, NULL, 600, fast));
	ck_assert_int_eq(link_.pulls, 0);
	link_.latency = 5e-3;
	ck_ok(run_on(split, &slow, 600, late));
	/* 12 subsets, two directions, at least two pulls by the rank itself */
	ck_assert_int_ge(link_.pulls, 12 * 2 * 2);
	ck_assert(!memcmp(fast, late, n * sizeof *fast));
	free(fast);
	free(late);
}

GT_TEST(a_link_that_stands_still_is_named)
{
	double *got = calloc(gt_grid_voxels(&grid), sizeof *got);
	link_.stands_still = 1;
	ck_refused(run_on("views", &slow, 1, got), GT_ERR_DEVICE, "(cpu:1): timeout: not at the barrier after ");
	/* the pull in progress ends; the next one of the same exchange does not start */
	ck_assert_int_eq(link_.begun_after, 0);
	free(got);
}

/* Operator times in a team with a nearly unreachable second rank. Each exchange would add an hour to the clock,
 * anything else a few readings. */
struct probes {
	const gt_scan *scan;
	double seconds[3], exchange[3];
};

enum { HOUR = 3600 };

static void pull_slowly(gt_backend *be, const void *peer, const gt_exchange_block *from, const gt_exchange_block *to)
{
	gt_test_clock_pass(HOUR);
	pull(be, peer, from, to);
}
static const struct gt_exchange_impl hourly = { .close = nothing, .ready = nothing, .after = after, .pull = pull_slowly, .taken = nothing };

static gt_status probe(gt_backend *be, void *self)
{
	struct probes *p = self;
	const gt_split_spec by_views = { GT_SPLIT_VIEWS, 1, 3 };
	const gt_team_problem q = { "dd", GT_F64, &grid, p->scan, NULL, NULL, 4 };
	const int me = gt_rank(be), next = (me + 1) % 3, before = (me + 2) % 3;
	float out = 1, in;
	const gt_exchange_block to = { next, &out, sizeof out, 1, 0 }, from = { before, &in, sizeof in, 1, 0 };
	const gt_status st = gt_team_probe(&by_views, be, &q, &p->seconds[me]);
	const double start = gt_seconds();
	gt_team_exchange(be, &to, 1, &from, 1);
	p->exchange[me] = gt_seconds() - start;
	return st == GT_OK ? gt_backend_known(be) : st;
}

GT_TEST(shares_do_not_follow_links)
{
	struct data d = data_of(GT_FLAT, 0);
	struct probes p = { .scan = d.scan };
	gt_team *t = NULL;
	ck_ok(gt_team_open("cpu:1x3", &t));
	link_.rank = 1;
	t->impl = &hourly;
	gt_test_clock(1e-3);
	ck_ok(gt_team_run(t, probe, &p));
	for (int i = 0; i < 3; i++)
		ck_assert_msg(p.seconds[i] > 0 && p.seconds[i] < HOUR && p.exchange[i] > HOUR, "rank %d: %g s, an exchange %g s", i,
		              p.seconds[i], p.exchange[i]);
	gt_team_close(t);
	data_free(&d);
}

int main(void) { return gt_test_main("team_link", NULL); }
