/* Reconstruction from memory and from files: bit-identical results, messages, progress, plans, start volumes and
 * resumed runs.
 * labels: unit */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/recon/small_recon.h"

static const size_t voxels = (size_t)24 * 22 * 6;

/* Returns the voxels of a run; the caller frees them. */
static float *run(gt_recon *r)
{
	gt_volume *v;
	float *x = malloc(voxels * sizeof *x);
	ck_ok(gt_volume_new(&grid, &v));
	ck_ok(gt_recon_run(r, v));
	memcpy(x, gt_volume_data(v), voxels * sizeof *x);
	gt_volume_free(v);
	return x;
}

static const char *const settings[][6][2] = {
	{ { NULL, NULL } },
	{ { "solver", "os-sart:iterations=2,subsets=4" }, { "init", "zero" }, { NULL, NULL } },
	{ { "preset", "iterative" }, { NULL, NULL } },
	{ { "solver", "pcg:iterations=3" },
	  { "weights", "photons:count=1e5" },
	  { "penalty", "huber:strength=50" },
	  { "precision", "double" },
	  { NULL, NULL } },
};
enum { SETTINGS = sizeof settings / sizeof *settings };

GT_TESTS(memory_as_file, SETTINGS)
{
	char folder[] = "/tmp/test_recon_XXXXXX", scan[64], out[64];
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(scan, sizeof scan, "%s/scan.nc", folder);
	snprintf(out, sizeof out, "%s/volume.nc", folder);
	gt_projections *p = projections();
	ck_ok(gt_write_projections(scan, NULL, p));
	gt_recon *r = recon(p, settings[_i]), *f;
	float *x = run(r);
	ck_ok(gt_recon_open(scan, NULL, &f));
	set_all(f, settings[_i]);
	ck_ok(gt_recon_grid(f, &grid));
	ck_ok(gt_recon_run_to(f, out, NULL));
	gt_volume *v;
	ck_ok(gt_read_volume(out, NULL, &v));
	ck_assert_int_eq(memcmp(gt_volume_data(v), x, voxels * sizeof *x), 0);
	float max = 0;
	for (size_t i = 0; i < voxels; i++)
		max = fmaxf(max, x[i]);
	ck_assert_msg(max > 0.005f && max < 0.1f, "the densest voxel has %g/mm", (double)max);
	gt_volume_free(v);
	gt_recon_free(r);
	gt_recon_free(f);
	free(x);
	gt_projections_free(p);
	unlink(scan);
	unlink(out);
	rmdir(folder);
}

static void collect(void *self, const gt_message *m)
{
	char *all = self;
	ck_assert_uint_eq(m->size, sizeof *m);
	ck_assert_uint_lt(strlen(all) + strlen(m->text) + 2, 4096);
	strcat(strcat(all, m->text), "\n");
}

GT_TEST(messages)
{
	char all[4096] = "";
	gt_projections *p = projections();
	gt_recon *r = recon(p, settings[2]);
	gt_recon_on_message(r, collect, all);
	free(run(r));
	static const char *const expected[] = { "--preset iterative: --solver os-sqs", "backend ", "start: fdk",
		                                "preparing 3 subsets of 48 views", "strength " };
	for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
		ck_assert_msg(strstr(all, expected[i]) != NULL, "'%s' is not in: %s", expected[i], all);
	/* choices are reported once */
	all[0] = 0;
	free(run(r));
	ck_assert_ptr_null(strstr(all, "--preset"));
	ck_assert_ptr_nonnull(strstr(gt_recon_text(r, "solver"), "os-sqs:"));
	ck_assert_ptr_nonnull(strstr(gt_recon_text(r, "projector"), "dd"));
	ck_assert_ptr_nonnull(strstr(gt_recon_text(r, "weights"), "model:slope="));
	ck_assert_ptr_nonnull(strstr(gt_recon_text(r, "penalty"), "qggmrf:"));
	ck_assert_str_eq(gt_recon_text(r, "grid"), "24x22x6@6x6x6");
	ck_assert_str_eq(gt_recon_text(r, "start"), "fdk");
	ck_assert_ptr_nonnull(strstr(gt_recon_text(r, "parameters"), "done=47/47"));
	gt_recon_free(r);
	gt_projections_free(p);
}

typedef struct {
	int phase[GT_RECON_FRACTION + 1], last, stop_at;
	double cost;
} seen;

static int look(void *self, const gt_recon_progress *p)
{
	seen *s = self;
	ck_assert_uint_eq(p->size, sizeof *p);
	s->phase[p->phase]++;
	if (p->phase != GT_RECON_ITERATION)
		return s->stop_at == 0 && p->phase == GT_RECON_BEGINS;
	ck_assert_int_eq(p->iteration, ++s->last);
	ck_assert_int_eq(p->iterations, 6);
	ck_assert_double_gt(p->water, 0.01);
	s->cost = p->cost;
	return p->iteration == s->stop_at;
}

GT_TEST(progress)
{
	static const char *const pcg[][2] = { { "solver", "pcg:iterations=6" }, { NULL, NULL } };
	gt_projections *p = projections();
	gt_recon *r = recon(p, pcg);
	gt_recon_outcome how = { .size = sizeof how };
	seen all = { .stop_at = 99 }, some = { .stop_at = 2 }, none = { .stop_at = 0 };
	gt_recon_on_progress(r, look, &all);
	free(run(r));
	ck_ok(gt_recon_result(r, &how));
	ck_assert_int_eq(all.phase[GT_RECON_BEGINS], 1);
	ck_assert_int_eq(all.phase[GT_RECON_ITERATION], 6);
	ck_assert_int_eq(all.phase[GT_RECON_ENDS], 1);
	ck_assert_int_eq(how.iterations, 6);
	ck_assert_int_eq(how.stopped, 0);
	ck_assert_ptr_null(how.reason);
	ck_assert_uint_eq(how.costs, 6);
	ck_assert_double_eq(how.cost[5], all.cost);
	ck_assert_double_lt(how.cost[5], how.cost[0]);
	ck_assert_double_gt(how.seconds, 0);
	gt_recon_on_progress(r, look, &some);
	free(run(r));
	ck_ok(gt_recon_result(r, &how));
	ck_assert_int_eq(how.iterations, 2);
	ck_assert_int_eq(how.max, 6);
	ck_assert_int_eq(how.stopped, 1);
	ck_assert_str_eq(how.reason, "interrupted");
	gt_recon_on_progress(r, look, &none);
	gt_volume *v;
	ck_ok(gt_volume_new(&grid, &v));
	ck_refused(gt_recon_run(r, v), GT_STOPPED, "before the first iteration");
	ck_refused(gt_recon_result(r, &how), GT_ERR_ARG, "nothing has run yet");
	gt_volume_free(v);
	gt_recon_free(r);
	gt_projections_free(p);
}

GT_TESTS(plan_is_what_is_taken, SETTINGS)
{
	gt_projections *p = projections();
	gt_recon *r = recon(p, settings[_i]);
	gt_memory_estimate m = { .size = sizeof m };
	gt_recon_outcome how = { .size = sizeof how };
	const char *lines;
	ck_ok(gt_recon_grid(r, &grid));
	ck_ok(gt_recon_plan(r, &m, &lines));
	ck_assert_ptr_nonnull(strstr(lines, "grid=24x22x6@6x6x6\n"));
	ck_assert_ptr_nonnull(strstr(lines, "solver="));
	ck_refused(gt_recon_result(r, &how), GT_ERR_ARG, "nothing has run yet");
	free(run(r));
	ck_ok(gt_recon_result(r, &how));
	/* GPU tables of projectors depend on the noise samples, which a plan does not know */
	ck_assert_double_le(fabs((double)m.peak - how.device_peak), gt_test_is_gpu() ? 1e-3 * how.device_peak : 0);
	ck_assert_uint_ge(m.peak, voxels * 4);
	ck_ok(gt_recon_set(r, "device-memory", "1kB"));
	ck_refused(gt_recon_plan(r, &m, &lines), GT_ERR_MEMORY, "needs ");
	ck_assert_uint_eq(m.free, 1000);
	ck_assert_ptr_nonnull(lines);
	gt_recon_free(r);
	gt_projections_free(p);
}

GT_TEST(start_volume)
{
	static const char *const one[][2] = { { "solver", "cgls:iterations=1" }, { NULL, NULL } };
	static const char *const zero[][2] = { { "solver", "cgls:iterations=1" }, { "init", "zero" }, { NULL, NULL } };
	gt_projections *p = projections();
	gt_recon *r = recon(p, one), *z = recon(p, zero);
	float *start = calloc(voxels, sizeof *start);
	ck_ok(gt_recon_start(r, start));
	float *x = run(r), *y = run(z);
	ck_assert_int_eq(memcmp(x, y, voxels * sizeof *x), 0);
	ck_assert_str_eq(gt_recon_text(r, "start"), "array");
	for (size_t i = 0; i < voxels; i++)
		start[i] = 0.01f;
	ck_ok(gt_recon_start(r, start));
	free(x);
	x = run(r);
	ck_assert_int_ne(memcmp(x, y, voxels * sizeof *x), 0);
	ck_ok(gt_recon_set(r, "solver", "fdk"));
	gt_volume *v;
	ck_ok(gt_volume_new(&grid, &v));
	ck_refused(gt_recon_run(r, v), GT_ERR_ARG, "has no start");
	ck_ok(gt_recon_start(r, NULL));
	ck_ok(gt_recon_run(r, v));
	gt_volume_free(v);
	free(start);
	free(x);
	free(y);
	gt_recon_free(r);
	gt_recon_free(z);
	gt_projections_free(p);
}

GT_TEST(resumed)
{
	char folder[] = "/tmp/test_recon_XXXXXX", file[64];
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(file, sizeof file, "%s/a.ck", folder);
	gt_projections *p = projections();
	gt_recon *r = recon(p, NULL);
	gt_recon_outcome how = { .size = sizeof how };
	seen s = { .stop_at = 99 };
	ck_ok(gt_recon_set(r, "solver", "pcg:iterations=6"));
	float *whole = run(r);
	ck_ok(gt_recon_set(r, "solver", "pcg:iterations=3"));
	ck_ok(gt_recon_set(r, "checkpoint", file));
	ck_assert_str_eq(gt_recon_text(r, "checkpoint"), file);
	gt_recon_on_progress(r, look, NULL);
	gt_recon_on_progress(r, NULL, NULL);
	free(run(r));
	ck_ok(gt_recon_set(r, "solver", "pcg:iterations=6"));
	ck_ok(gt_recon_set(r, "checkpoint", NULL));
	ck_ok(gt_recon_set(r, "resume", file));
	s.last = 3;
	gt_recon_on_progress(r, look, &s);
	float *x = run(r);
	ck_assert_int_eq(s.phase[GT_RECON_ITERATION], 3);
	ck_ok(gt_recon_result(r, &how));
	ck_assert_int_eq(how.iterations, 6);
	ck_assert_int_eq(memcmp(x, whole, voxels * sizeof *x), 0);
	gt_projections_data(p)[7] += 1;
	gt_volume *v;
	ck_ok(gt_volume_new(&grid, &v));
	ck_refused(gt_recon_run(r, v), GT_ERR_UNSUPPORTED, "is of another run");
	gt_volume_free(v);
	free(whole);
	free(x);
	gt_recon_free(r);
	gt_projections_free(p);
	unlink(file);
	rmdir(folder);
}

struct canceller {
	size_t asked, from; /* number of calls, and the call from which on it returns 1 */
};
static int cancel(void *self)
{
	struct canceller *c = self;
	return c->asked++ >= c->from;
}

/* A run that is cancelled at its start or later reports it; polling alone changes nothing. */
GT_TESTS(cancelled, SETTINGS)
{
	gt_projections *p = projections();
	gt_recon *r = recon(p, settings[_i]);
	gt_volume *v;
	struct canceller never = { 0, (size_t)-1 }, once = { 0, 1 }, always = { 0, 0 };
	float *whole = run(r);
	ck_ok(gt_volume_new(&grid, &v));
	gt_recon_on_cancel(r, cancel, &always);
	ck_assert_int_eq(gt_recon_run(r, v), GT_STOPPED);
	ck_assert_uint_gt(always.asked, 0);
	gt_recon_on_cancel(r, cancel, &once);
	ck_assert_int_eq(gt_recon_run(r, v), GT_STOPPED);
	for (size_t from = 2; from < 8; from++) { /* the run may end before */
		struct canceller later = { 0, from };
		gt_recon_on_cancel(r, cancel, &later);
		const gt_status st = gt_recon_run(r, v);
		ck_assert_msg(st == (later.asked > from ? GT_STOPPED : GT_OK), "question %zu: %d: %s", from, st, gt_error());
	}
	gt_recon_on_cancel(r, cancel, &never);
	ck_ok(gt_recon_run(r, v));
	ck_assert_uint_gt(never.asked, 0);
	ck_assert_mem_eq(gt_volume_data(v), whole, voxels * sizeof *whole);
	gt_recon_on_cancel(NULL, cancel, &never);
	free(whole);
	gt_volume_free(v);
	gt_recon_free(r);
	gt_projections_free(p);
}

int main(void) { return gt_test_main("recon", NULL); }
