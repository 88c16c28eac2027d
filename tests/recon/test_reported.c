/* Progress reports: all starts of a joint run, and the end of an iteration that a callback asked to stop.
 * labels: unit backend: none */
#include <math.h>
#include <string.h>
#include "tests/recon/small_recon.h"
#include "tests/support/clock.h"

typedef struct {
	int of_start[2]; /* reports of starts: first scan, second scan */
	int fraction, ended, after;
	double last;
	int stop; /* return value of the first report within an iteration */
} reported;

/* Starts of the second scan are the second half of all starts. */
static int listen(void *self, const gt_recon_progress *p)
{
	reported *t = self;
	if (p->phase == GT_RECON_ITERATION) {
		ck_assert_int_eq(p->iteration, ++t->ended);
		t->after += t->fraction > 0;
	}
	if (p->phase != GT_RECON_FRACTION)
		return 0;
	if (p->iterations) {
		t->fraction++;
		return t->stop;
	}
	ck_assert_str_eq(p->text, "start");
	ck_assert_msg(p->done >= t->last && p->done <= 1, "%g after %g", p->done, t->last);
	t->of_start[p->done > 0.5]++;
	t->last = p->done;
	return 0;
}

/* Each reading of the clock is later by more than the interval of reports. */
static gt_recon *ready(const gt_projections *p, const char *solver, const char *penalty, const char *init, reported *t)
{
	const char *const set[][2] = { { "solver", solver },   { "init", init },    { "weights", "uniform" },
		                       { "backend", "cpu:1" }, { "padding", "no" }, { "check", "no" },
		                       { NULL, NULL } };
	gt_recon *r = recon(p, set);
	if (penalty)
		ck_ok(gt_recon_set(r, "penalty", penalty));
	gt_recon_on_progress(r, listen, t);
	gt_test_clock(0.12);
	return r;
}

GT_TEST(all_starts_of_scans_together)
{
	static const char *const penalty = "joint-tv:strength=0.3";
	gt_projections *p = projections();
	gt_volume *v[2];
	gt_recon *r[2];
	reported t = { .fraction = 0 };
	for (int i = 0; i < 2; i++) {
		r[i] = ready(p, "fista:iterations=2,prox=yes", penalty, "fdk", &t);
		ck_ok(gt_volume_new(&grid, &v[i]));
	}
	ck_ok(gt_recon_run_joint(r, 2, v));
	ck_assert_msg(t.of_start[0] > 0 && t.of_start[1] > 0, "%d and %d reports", t.of_start[0], t.of_start[1]);
	ck_assert_int_eq(t.ended, 2);
	for (int i = 0; i < 2; i++) {
		ck_assert_str_eq(gt_recon_text(r[i], "start"), "fdk");
		gt_volume_free(v[i]);
		gt_recon_free(r[i]);
	}
	gt_projections_free(p);
}

/* The current iteration ends and is reported, so that logs and histories are complete. */
GT_TEST(the_last_iteration_is_reported)
{
	gt_projections *p = projections();
	reported t = { .stop = 1 };
	gt_recon_outcome how = { .size = sizeof how };
	gt_recon *r = ready(p, "cgls:iterations=9", NULL, "zero", &t);
	gt_volume *v;
	ck_ok(gt_volume_new(&grid, &v));
	ck_ok(gt_recon_run(r, v));
	ck_ok(gt_recon_result(r, &how));
	ck_assert_int_eq(how.stopped, 1);
	ck_assert_int_gt(t.fraction, 0);
	ck_assert_int_eq(t.after, 1);
	ck_assert_int_eq(t.ended, how.iterations);
	ck_assert_uint_eq(how.costs, (size_t)how.iterations);
	gt_volume_free(v);
	gt_recon_free(r);
	gt_projections_free(p);
}

int main(void) { return gt_test_main("reported", NULL); }
