/* Joint reconstruction of several scans on a team: equal to one device for any split, reproducible, with
 * exchangeable checkpoints.
 * labels: unit slow; backend: none */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/recon/small_recon.h"

enum { SCANS = 2 };

/* Two scans with different views, rows and noise. */
static gt_projections *scan_of(int i)
{
	const gt_orbit orbit = { .views = i ? 31 : 48,
		                 .rows = i ? 12 : 10,
		                 .columns = 40,
		                 .source_to_axis = 500,
		                 .source_to_detector = 1000,
		                 .column_pitch = 8,
		                 .row_pitch = 10,
		                 .start_angle = 0.2 * i,
		                 .turn = 2 * GT_PI };
	return projections_on(&orbit, i ? 3e3 : 1e5);
}

struct how {
	const char *backend, *split, *solver, *penalty, *key, *value;
};

static gt_status run(const struct how *h, gt_volume **v)
{
	gt_projections *p[SCANS];
	gt_recon *r[SCANS];
	for (int i = 0; i < SCANS; i++) {
		const char *const set[][2] = { { "solver", h->solver }, { "penalty", h->penalty },
			                       { "init", "fdk" },       { "weights", "noise" },
			                       { "check", "no" },       { "padding", "no" },
			                       { "split", h->split },   { NULL, NULL } };
		p[i] = scan_of(i);
		ck_ok(gt_volume_new(&grid, &v[i]));
		ck_ok(gt_recon_new(p[i], &r[i]));
		set_all(r[i], set);
		ck_ok(gt_recon_set(r[i], "backend", h->backend));
	}
	if (h->key)
		ck_ok(gt_recon_set(r[0], h->key, h->value));
	const gt_status st = gt_recon_run_joint(r, SCANS, v);
	for (int i = 0; i < SCANS; i++) {
		gt_recon_outcome how = { .size = sizeof how };
		if (st == GT_OK) {
			ck_ok(gt_recon_result(r[i], &how));
			ck_assert_int_gt(how.iterations, 0);
			if (!h->key || strcmp(h->key, "resume"))
				ck_assert_uint_eq(how.costs, (size_t)how.iterations);
			ck_assert_str_eq(gt_recon_text(r[i], "backend"), h->backend);
			ck_assert_ptr_nonnull(strstr(gt_recon_text(r[i], "parameters"), h->penalty));
			if (h->key && !strcmp(h->key, "precision"))
				ck_assert_ptr_nonnull(strstr(gt_recon_text(r[i], "parameters"), "precision=double"));
		}
		gt_recon_free(r[i]);
		gt_projections_free(p[i]);
	}
	return st;
}

static void drop(gt_volume **v)
{
	for (int i = 0; i < SCANS; i++)
		gt_volume_free(v[i]);
}

/* Largest difference of a voxel, relative to the largest value. */
static double apart(gt_volume *const *a, gt_volume *const *b)
{
	double max = 0, largest = 0;
	for (int i = 0; i < SCANS; i++)
		for (size_t k = 0; k < gt_grid_voxels(&grid); k++) {
			max = fmax(max, fabs((double)gt_volume_data(a[i])[k] - (double)gt_volume_data(b[i])[k]));
			largest = fmax(largest, fabs((double)gt_volume_data(b[i])[k]));
		}
	return max / largest;
}

static int same_bits(gt_volume *const *a, gt_volume *const *b)
{
	int same = 1;
	for (int i = 0; i < SCANS; i++)
		same &= !memcmp(gt_volume_data(a[i]), gt_volume_data(b[i]), gt_grid_voxels(&grid) * sizeof(float));
	return same;
}

static const char *const problems[][2] = { { "fista:iterations=4,prox=yes", "joint-tv:strength=0.3" },
	                                   { "spdhg:iterations=3,subsets=4", "joint-tv:strength=0.3,kind=nuclear,inner=9" },
	                                   { "fista:iterations=4,prox=yes,nonneg=no", "low-rank:strength=0.5" },
	                                   { "pdhg:iterations=4,nonneg=no", "low-rank:strength=0.2" },
	                                   { "fista:iterations=4,prox=yes,anderson=2", "joint-tv:strength=0.3" } };

/* Includes a team with more ranks than slices. Two of the teams for each problem, one of them twice; all with GT_LONG=1. */
GT_TESTS(teams_equal_one_device, (int)(sizeof problems / sizeof *problems))
{
	static const struct {
		const char *backend, *split;
	} teams[] = { { "cpu:1x3", "slices" }, { "cpu:1x4", "2x2" }, { "cpu:1x7", "views" } };
	enum { TEAMS = sizeof teams / sizeof *teams };
	struct how h = { .backend = "cpu:1",
		         .split = "auto",
		         .solver = problems[_i][0],
		         .penalty = problems[_i][1],
		         .key = "precision",
		         .value = "double" };
	gt_volume *one[SCANS], *v[SCANS], *again[SCANS];
	ck_ok(run(&h, one));
	for (int k = 0; k < (gt_tests_long() ? TEAMS : 2); k++) {
		h.backend = teams[(_i + k) % TEAMS].backend;
		h.split = teams[(_i + k) % TEAMS].split;
		ck_ok(run(&h, v));
		ck_assert_msg(apart(v, one) < 1e-7, "%s on %s by %s: %g of one device's", h.penalty, h.backend, h.split, apart(v, one));
		if (k == 0 || gt_tests_long()) {
			ck_ok(run(&h, again));
			ck_assert(same_bits(v, again));
			drop(again);
		}
		drop(v);
	}
	drop(one);
}

GT_TEST(reproducible_on_any_number)
{
	const struct how h = { "cpu:1", "auto", problems[0][0], problems[0][1], "reproducible", "yes" };
	struct how four = h;
	gt_volume *one[SCANS], *v[SCANS];
	four.backend = "cpu:1x4";
	ck_ok(run(&h, one));
	ck_ok(run(&four, v));
	ck_assert(same_bits(v, one));
	drop(one), drop(v);
}

/* Checkpoints of three ranks and of one device, each continued by the other. */
GT_TESTS(checkpoints_do_not_depend_on_the_team, 2)
{
	static const char *const backends[] = { "cpu:1x3", "cpu:1" };
	char folder[] = "/tmp/gantry-joint-team-XXXXXX", path[64], spec[80];
	gt_volume *whole[SCANS], *v[SCANS];
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/run.nc", folder);
	snprintf(spec, sizeof spec, "%s:every=2", path);
	for (int from = 0; from < 2; from++)
		for (int to = 0; to < 2; to++) {
			const char *all = _i ? "pdhg:iterations=7" : "fista:iterations=7,prox=yes",
				   *some = _i ? "pdhg:iterations=4" : "fista:iterations=4,prox=yes";
			const struct how begun = { backends[from], "auto", some, problems[0][1], "checkpoint", spec },
					 rest = { backends[to], "auto", all, problems[0][1], "resume", path },
					 once = { backends[to], "auto", all, problems[0][1], NULL, NULL };
			ck_ok(run(&begun, v));
			drop(v);
			ck_ok(run(&rest, v));
			ck_ok(run(&once, whole));
			ck_assert_msg(apart(v, whole) < 1e-5, "from %s to %s: %g", backends[from], backends[to], apart(v, whole));
			if (from == to)
				ck_assert(same_bits(v, whole));
			drop(v), drop(whole);
		}
	unlink(path);
	ck_assert_int_eq(rmdir(folder), 0);
}

GT_TEST(refusals)
{
	struct how h = { "mpi:cpu:1", "auto", problems[0][0], problems[0][1], NULL, NULL };
	gt_volume *v[SCANS];
	ck_refused(run(&h, v), GT_ERR_UNSUPPORTED, "2 scans together: expected devices of one process, as cpu:1x4, not mpi:cpu:1");
	drop(v);
	h.backend = "cpu:2";
	h.split = "views";
	ck_refused(run(&h, v), GT_ERR_ARG, "--split=views: one device computes 2 scans together");
	drop(v);
	h.backend = "cpu:1x3";
	h.split = "2x2";
	ck_refused(run(&h, v), GT_ERR_ARG, "expected 4 ranks, found 3");
	drop(v);
	/* the second scan has too few views: 31 in 16 subsets */
	h.split = "views";
	h.solver = "spdhg:iterations=1,subsets=16";
	ck_refused(run(&h, v), GT_ERR_ARG, "3 blocks of views of subsets with 1 view");
	drop(v);
	h.backend = "cpu:1x2";
	h.solver = problems[2][0];
	h.penalty = "low-rank:strength=1";
	h.split = "slices";
	h.solver = "fista:iterations=2,prox=yes";
	ck_refused(run(&h, v), GT_ERR_UNSUPPORTED, "nonneg=no");
	drop(v);
}

int main(void) { return gt_test_main("joint_team", NULL); }
