/* Progress reports within a long iteration and within a direct method.
 * labels: unit */
#include <math.h>
#include <string.h>
#include "tests/recon/small_recon.h"
#include "tests/support/clock.h"

static gt_projections *few_views(void)
{
	const gt_orbit orbit = { .views = 11,
		                 .rows = 60,
		                 .columns = 90,
		                 .source_to_axis = 500,
		                 .source_to_detector = 1000,
		                 .column_pitch = 4,
		                 .row_pitch = 4,
		                 .turn = 2 * GT_PI };
	return projections_on(&orbit, 0);
}

struct reported {
	int fraction, ended, max; /* reports; iterations; most reports in one iteration */
	int now;
	int inside; /* reports strictly inside the iteration or method */
	double place;
	double done;  /* fraction of the run, at the last report */
	double left;  /* remaining seconds, at the first report that knows them */
	int stop;     /* returned from the second report on */
	int starts;   /* reports of the direct method before an iterative one */
	int prepares; /* reports before the first iteration */
};

static void note_position(struct reported *t, double place)
{
	t->inside += place > 0.05 && place < 0.95 && place > t->place;
	t->place = place;
}

static int listen(void *self, const gt_recon_progress *p)
{
	struct reported *t = self;
	if (p->phase == GT_RECON_ITERATION) {
		ck_assert_int_eq(p->iteration, ++t->ended);
		ck_assert_double_ge(p->done, t->done);
		ck_assert(isnan(p->fraction) && isnan(p->left));
		t->now = 0;
	}
	if (p->phase != GT_RECON_FRACTION)
		return 0;
	ck_assert(p->done >= 0 && p->done <= 1);
	t->fraction++;
	if (!p->iterations) {
		t->starts += p->text && !strcmp(p->text, "start");
		note_position(t, p->done);
		return t->stop && t->fraction > 1;
	}
	ck_assert_int_eq(p->iteration, t->ended);
	if (isnan(p->fraction)) {
		t->prepares++;
		ck_assert_double_eq(p->done, 0);
		return 0;
	}
	ck_assert_double_ge(p->done, t->done);
	ck_assert_double_eq_tol(p->done * p->iterations, p->iteration + p->fraction, 1e-9);
	t->done = p->done;
	note_position(t, p->fraction);
	t->max = ++t->now > t->max ? t->now : t->max;
	if (!t->left && p->left > 0)
		t->left = p->left;
	return t->stop;
}

/* Seconds between two readings of the clock: longer than the minimum interval of reports, so every part of an
 * operator reports its end. */
static const double piece = 0.2;

static gt_status run(const gt_projections *p, const char *const (*set)[2], struct reported *t, gt_recon_outcome *how)
{
	const gt_grid seen = { { 30, 26, 20 }, { 4.8, 4.7, 3.6 }, { 0, 0, 0 } };
	gt_recon *r = recon(p, set);
	gt_volume *v;
	ck_ok(gt_recon_set(r, "backend", "cpu:1"));
	ck_ok(gt_volume_new(&seen, &v));
	gt_recon_on_progress(r, listen, t);
	gt_test_clock(piece);
	const gt_status st = gt_recon_run(r, v);
	if (st == GT_OK) {
		how->size = sizeof *how;
		ck_ok(gt_recon_result(r, how));
	}
	gt_volume_free(v);
	gt_recon_free(r);
	return st;
}

/* Reports come after operators and after parts of them. One subset has two operators per iteration, so more
 * reports come from within the operators. */
static const char *const iterative[][5][2] = {
	{ { "solver", "cgls:iterations=2" }, { "init", "zero" }, { "projector", "dd" }, { "precision", "double" } },
	{ { "solver", "cgls:iterations=1" }, { "init", "zero" }, { "projector", "joseph" } },
	{ { "solver", "cgls:iterations=1" }, { "init", "zero" }, { "projector", "sf-tr" } },
	{ { "solver", "svrg:iterations=1,subsets=2" }, { "init", "zero" }, { "projector", "dd" }, { "precision", "double" } },
	{ { "solver", "os-sart:iterations=1,subsets=2" }, { "init", "zero" }, { "projector", "dd" }, { "precision", "double" } },
};

GT_TESTS(iterations_report_progress, sizeof iterative / sizeof *iterative)
{
	gt_projections *p = few_views();
	struct reported t = { 0 };
	gt_recon_outcome how;
	ck_ok(run(p, iterative[_i], &t, &how));
	ck_assert_int_eq(t.ended, how.max);
	ck_assert_msg(t.max >= 3 && t.inside >= 2, "%d reports within %d iterations, %d of them inside", t.fraction, t.ended, t.inside);
	ck_assert_msg(t.left > 0 && t.left < 20 * how.seconds, "%g s left of %g", t.left, how.seconds);
	gt_projections_free(p);
}

static const char *const fdk[][2] = { { "solver", "fdk" }, { "precision", "double" }, { NULL, NULL } };

GT_TEST(direct_methods_report_progress)
{
	static const char *const starts[][2] = {
		{ "solver", "cgls:iterations=1" }, { "precision", "double" }, { "init", "fdk" }, { NULL, NULL }
	};
	gt_projections *p = few_views();
	struct reported t = { 0 }, started = { 0 };
	gt_recon_outcome how;
	ck_ok(run(p, fdk, &t, &how));
	ck_assert_msg(t.fraction >= 3 && t.inside >= 2, "%d reports, %d of them inside", t.fraction, t.inside);
	ck_assert_int_eq(t.starts, 0);
	ck_ok(run(p, starts, &started, &how));
	ck_assert_int_ge(started.starts, 3);
	gt_projections_free(p);
}

/* A request to stop takes effect after the current iteration, with a volume; a direct method then has no volume. */
GT_TEST(an_answer_stops)
{
	gt_projections *p = few_views();
	struct reported t = { .stop = 1 }, direct = { .stop = 1 };
	gt_recon_outcome how = { .iterations = 0 };
	ck_ok(run(p, iterative[0], &t, &how));
	ck_assert_int_eq(how.iterations, 1);
	ck_assert_int_eq(how.stopped, 1);
	ck_refused(run(p, fdk, &direct, &how), GT_STOPPED, "stopped by the caller");
	ck_assert_int_eq(direct.fraction, 2);
	gt_projections_free(p);
}

int main(void) { return gt_test_main("within", NULL); }
