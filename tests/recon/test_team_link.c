/* A link between members that is slow: the same bits, nobody gives up, and no member gets less to compute for it, since
 * shares follow times of operators alone; one that does not answer at all ends the run with its name.
 * labels: unit
 * backend: none */
#include <math.h>
#include <string.h>
#include <time.h>
#include "core/clock.h"
#include "core/team/team_impl.h"
#include "tests/recon/team_runs.h"

/* What comes to or from one member goes at so many bytes per second, and takes so long besides. */
static struct {
	int member;
	double rate, latency;
} link_;

static void sleep_for(double seconds)
{
	const struct timespec t = { (time_t)seconds, (long)(1e9 * (seconds - floor(seconds))) };
	nanosleep(&t, NULL);
}

static void nothing(gt_backend *be, void *state) { (void)be, (void)state; }
static void after(gt_backend *be, const void *peer, int taken) { (void)be, (void)peer, (void)taken; }
static void pull(gt_backend *be, const void *peer, const gt_piece *from, const gt_piece *to)
{
	(void)peer;
	if (gt_member(be) == link_.member || to->peer == link_.member)
		sleep_for(link_.latency + (double)(to->bytes * to->count) / link_.rate);
	/* Last: a rank that gives up meanwhile must not free the memory. */
	for (size_t k = 0; k < to->count; k++)
		memcpy((char *)to->at + k * to->stride, (const char *)from->at + k * from->stride, to->bytes);
}
static const struct gt_exchange_impl slow = { .close = nothing, .ready = nothing, .after = after, .pull = pull, .taken = nothing };

static const struct team_case method = { "os-sart", "iterations=3", NULL, 4, 0, 0, 0, 0, 1 };

/* What a run takes and makes on three members, one of whose links is slow if `rate` is above 0. */
static gt_status run_on(const char *split, double rate, double latency, double patience, double *result, double *seconds)
{
	struct data d = data_of(GT_FLAT, 0);
	struct run r = run_of(&method, &d, GT_F64);
	gt_team *t = NULL;
	r.split = split;
	r.result = result;
	ck_ok(gt_team_open("cpu:1x3", &t));
	if (rate > 0) {
		link_.member = 1;
		link_.rate = rate;
		link_.latency = latency;
		t->impl = &slow;
	}
	gt_team_set_patience(t, patience);
	const double start = gt_seconds();
	const gt_status st = gt_team_run(t, solve, &r);
	*seconds = gt_seconds() - start;
	gt_team_close(t);
	data_free(&d);
	return st;
}

START_TEST(slow_links_change_no_bit)
{
	const char *split = _i ? "slices" : "views";
	const size_t n = gt_grid_voxels(&grid);
	double *fast = calloc(n, sizeof *fast), *late = calloc(n, sizeof *late), seconds[2];
	ck_ok(run_on(split, 0, 0, 30, fast, &seconds[0]));
	ck_ok(run_on(split, 5e6, 5e-3, 30, late, &seconds[1]));
	/* 12 subsets, both ways, of two pulls by the member itself at least. */
	ck_assert_double_gt(seconds[1], 12 * 2 * 5e-3);
	ck_assert(!memcmp(fast, late, n * sizeof *fast));
	free(fast);
	free(late);
}
END_TEST

START_TEST(a_link_that_stands_still_is_named)
{
	double *got = calloc(gt_grid_voxels(&grid), sizeof *got), seconds;
	ck_refused(run_on("views", 1e9, 1.5, 0.3, got, &seconds), GT_ERR_DEVICE, "(cpu:1): no answer for ");
	/* Pulls on their way come to their end; none begins. */
	ck_assert_double_lt(seconds, 10);
	free(got);
}
END_TEST

/* Times of the members' operators in a team whose second member can hardly be reached. */
struct probes {
	const gt_scan *scan;
	double seconds[3];
};

static gt_status probe(gt_backend *be, void *self)
{
	struct probes *p = self;
	const gt_split_spec by_views = { GT_SPLIT_VIEWS, 1, 3 };
	const gt_team_problem q = { "dd", GT_F64, &grid, p->scan, NULL, NULL, 4 };
	return gt_team_probe(&by_views, be, &q, &p->seconds[gt_member(be)]);
}

START_TEST(shares_do_not_follow_links)
{
	struct data d = data_of(GT_FLAT, 0);
	struct probes p = { .scan = d.scan };
	gt_team *t = NULL;
	ck_ok(gt_team_open("cpu:1x3", &t));
	link_.member = 1;
	link_.rate = 1e3; /* a volume would take 26 s */
	t->impl = &slow;
	ck_ok(gt_team_run(t, probe, &p));
	for (int i = 0; i < 3; i++)
		ck_assert_msg(p.seconds[i] > 0 && p.seconds[i] < 3, "member %d: %g s", i, p.seconds[i]);
	gt_team_close(t);
	data_free(&d);
}
END_TEST

static void fill(TCase *tc)
{
	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, slow_links_change_no_bit, 0, 2);
	tcase_add_test(tc, a_link_that_stands_still_is_named);
	tcase_add_test(tc, shares_do_not_follow_links);
}

int main(void) { return gt_test_main("team_link", fill); }
