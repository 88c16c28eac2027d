/* Joint reconstruction of several scans: one scan, shared edges, checkpoints and refusals.
 * labels: unit property slow */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "core/variant/of_run.h"
#include "core/variant/variant.h"
#include "recon/joint/block_operator.h"
#include "tests/recon/small_recon.h"
#include "tests/support/images.h"

/* The phantom of small_recon.h with scaled attenuation and the given number of photons. */
static gt_projections *channel(double factor, double photons, uint64_t seed)
{
	gt_projections *p = projections(), *q;
	const gt_scan *scan = gt_projections_scan(p);
	const size_t n = gt_scan_size(scan);
	gt_phantom *phantom;
	const gt_phantom_options half = { .water = 0.02 * factor, .scale = 0.5 };
	ck_ok(gt_projections_new(scan, &q));
	float *data = gt_projections_data(q);
	ck_ok(gt_phantom_new("shepp-logan", &half, &phantom));
	ck_ok(gt_phantom_project(phantom, scan, 2, NULL, NULL, NULL, data));
	gt_add_photon_noise(photons, 0, seed, 0, NULL, data, n);
	gt_phantom_free(phantom);
	gt_projections_free(p);
	return q;
}

static gt_volume *truth_of(double factor)
{
	const gt_phantom_options half = { .water = 0.02 * factor, .scale = 0.5 };
	gt_phantom *phantom;
	gt_volume *v;
	ck_ok(gt_phantom_new("shepp-logan", &half, &phantom));
	ck_ok(gt_volume_new(&grid, &v));
	ck_ok(gt_phantom_voxelise(phantom, &grid, 3, NULL, NULL, NULL, gt_volume_data(v)));
	gt_phantom_free(phantom);
	return v;
}

static double apart(const gt_volume *a, const gt_volume *b)
{
	double sum = 0, all = 0;
	for (size_t i = 0; i < gt_grid_voxels(&grid); i++) {
		sum += pow((double)gt_volume_data(a)[i] - gt_volume_data(b)[i], 2);
		all += pow(gt_volume_data(b)[i], 2);
	}
	return sqrt(sum / all);
}

static gt_recon *ready(const gt_projections *p, const char *solver, const char *penalty)
{
	const char *const set[][2] = { { "solver", solver }, { "penalty", penalty }, { "init", "zero" }, { "weights", "uniform" },
		                       { "padding", "no" },  { "check", "no" },      { NULL, NULL } };
	return recon(p, set);
}

static gt_volume *volume(void)
{
	gt_volume *v;
	ck_ok(gt_volume_new(&grid, &v));
	return v;
}

/* Reconstructs p[i] jointly into v[i]. */
static void run_joint(const gt_projections *const *p, size_t n, const char *solver, const char *penalty, gt_volume **v)
{
	gt_recon *r[4];
	for (size_t i = 0; i < n; i++) {
		r[i] = ready(p[i], solver, penalty);
		v[i] = volume();
	}
	ck_ok(gt_recon_run_joint(r, n, v));
	for (size_t i = 0; i < n; i++) {
		gt_recon_outcome how = { .size = sizeof how };
		ck_ok(gt_recon_result(r[i], &how));
		ck_assert_int_gt(how.iterations, 0);
		ck_assert_ptr_nonnull(strstr(gt_recon_text(r[i], "parameters"), penalty));
		gt_recon_free(r[i]);
	}
}

static gt_volume *run_alone(const gt_projections *p, const char *solver, const char *penalty)
{
	gt_recon *r = ready(p, solver, penalty);
	gt_volume *v = volume();
	ck_ok(gt_recon_run(r, v));
	gt_recon_free(r);
	return v;
}

/* Solvers that use one step size for all scans, with and without subsets. One scan is bit-identical to a separate
 * run, with joint-tv or, to rounding, tv. */
GT_TESTS(one_scan_is_as_alone, 4)
{
	static const char *const solvers[] = { "fista:iterations=12,prox=yes", "spdhg:iterations=6,subsets=4", "pdhg:iterations=12",
		                               "pnp-fista:iterations=8" };
	const gt_projections *p = channel(1, 1e4, 4);
	gt_volume *joint, *alone = run_alone(p, solvers[_i], "joint-tv:strength=0.3");
	gt_volume *tv = run_alone(p, solvers[_i], "tv:strength=0.3");
	run_joint(&p, 1, solvers[_i], "joint-tv:strength=0.3", &joint);
	ck_assert_mem_eq(gt_volume_data(joint), gt_volume_data(alone), gt_grid_voxels(&grid) * sizeof(float));
	ck_assert_double_le(apart(joint, tv), 1e-4);
	gt_volume_free(joint), gt_volume_free(alone), gt_volume_free(tv);
	gt_projections_free((gt_projections *)p);
}

/* Without coupling, two scans give the volumes of two separate runs. */
GT_TEST(scans_do_not_mix)
{
	const gt_projections *p[2] = { channel(1, 1e5, 4), channel(0.5, 1e4, 5) };
	gt_volume *joint[2];
	run_joint(p, 2, "spdhg:iterations=6,subsets=4", "joint-tv:strength=0", joint);
	for (int i = 0; i < 2; i++) {
		gt_volume *alone = run_alone(p[i], "spdhg:iterations=6,subsets=4", "tv:strength=0");
		ck_assert_double_le(apart(joint[i], alone), 0.05); /* they share step sizes */
		gt_volume_free(alone), gt_volume_free(joint[i]);
	}
	gt_projections_free((gt_projections *)p[0]), gt_projections_free((gt_projections *)p[1]);
}

/* A noisy channel has less error with a low-noise channel of the same edges, each at its best strength. */
GT_TEST(two_scans_share_edges)
{
	static const double strengths[] = { 0.1, 0.3, 1, 3 };
	const gt_projections *p[2] = { channel(1, 1e6, 4), channel(0.8, 300, 5) };
	gt_volume *truth = truth_of(0.8);
	double best[2] = { INFINITY, INFINITY };
	for (size_t k = 0; k < sizeof strengths / sizeof *strengths; k++) {
		char joint[64], tv[64];
		gt_volume *both[2], *alone;
		snprintf(joint, sizeof joint, "joint-tv:strength=%g", strengths[k]);
		snprintf(tv, sizeof tv, "tv:strength=%g", strengths[k]);
		run_joint(p, 2, "fista:iterations=60,prox=yes", joint, both);
		alone = run_alone(p[1], "fista:iterations=60,prox=yes", tv);
		best[0] = fmin(best[0], apart(both[1], truth));
		best[1] = fmin(best[1], apart(alone, truth));
		gt_volume_free(both[0]), gt_volume_free(both[1]), gt_volume_free(alone);
	}
	printf("the noisy channel: %.4f together, %.4f alone\n", best[0], best[1]);
	fflush(stdout);
	ck_assert_double_le(best[0], 0.93 * best[1]);
	gt_volume_free(truth);
	gt_projections_free((gt_projections *)p[0]), gt_projections_free((gt_projections *)p[1]);
}

/* All results report the same end of the run. */
GT_TEST(each_reports_the_same_end)
{
	gt_projections *p[2] = { channel(1, 1e5, 4), channel(0.5, 1e4, 5) };
	gt_recon *r[2];
	gt_volume *v[2];
	gt_recon_outcome how[2] = { { .size = sizeof *how }, { .size = sizeof *how } };
	for (int i = 0; i < 2; i++) {
		r[i] = ready(p[i], "fista:iterations=50,prox=yes", "joint-tv:strength=0.3");
		ck_ok(gt_recon_set(r[i], "stop", "change=100HU"));
		v[i] = volume();
	}
	ck_ok(gt_recon_run_joint(r, 2, v));
	for (int i = 0; i < 2; i++)
		ck_ok(gt_recon_result(r[i], &how[i]));
	ck_assert_int_lt(how[0].iterations, 50);
	ck_assert_ptr_nonnull(how[0].reason);
	ck_assert_ptr_nonnull(how[1].reason);
	ck_assert_str_eq(how[0].reason, how[1].reason);
	ck_assert_uint_eq(how[0].costs, (size_t)how[0].iterations);
	ck_assert_uint_eq(how[1].costs, how[0].costs);
	ck_assert_mem_eq(how[0].cost, how[1].cost, how[0].costs * sizeof(double));
	for (int i = 0; i < 2; i++) {
		gt_recon_free(r[i]);
		gt_volume_free(v[i]);
		gt_projections_free(p[i]);
	}
}

GT_TEST(low_rank_of_two)
{
	const gt_projections *p[2] = { channel(1, 1e6, 4), channel(0.5, 300, 5) };
	gt_volume *v[2], *truth = truth_of(0.5), *alone = run_alone(p[1], "fista:iterations=40,nonneg=no", NULL);
	run_joint(p, 2, "fista:iterations=40,prox=yes,nonneg=no", "low-rank:strength=60", v);
	printf("low rank: %.4f together, %.4f alone\n", apart(v[1], truth), apart(alone, truth));
	fflush(stdout);
	ck_assert_double_le(apart(v[1], truth), 0.8 * apart(alone, truth));
	gt_volume_free(v[0]), gt_volume_free(v[1]), gt_volume_free(truth), gt_volume_free(alone);
	gt_projections_free((gt_projections *)p[0]), gt_projections_free((gt_projections *)p[1]);
}

static const gt_variant_request toy = { "dd-toy", "rows=8", "A=9" };
/* A joint run uses one set of kernel variants, which its checkpoint can name. */
static int looks(void *self, const gt_recon_progress *p)
{
	static const char *const given[] = { "dd-toy[A=1]", "dd-toy[A=2]" };
	char *text = self;
	for (size_t i = 0; i < 2 && !*text && p->phase == GT_RECON_ITERATION; i++) {
		gt_variant_only(given[i]);
		gt_variant_find(&toy, text, 64);
		*text = i ? *text : 0;
	}
	return 0;
}

GT_TEST(one_run_has_one_choice_of_kernels)
{
	gt_projections *p[2] = { channel(1, 1e5, 4), channel(0.5, 1e4, 5) };
	char text[64] = "";
	gt_recon *r[2];
	gt_volume *v[2];
	for (int i = 0; i < 2; i++) {
		r[i] = ready(p[i], "fista:iterations=2,prox=yes", "joint-tv:strength=0.3");
		v[i] = volume();
	}
	gt_recon_on_progress(r[0], looks, text);
	ck_ok(gt_recon_run_joint(r, 2, v));
	ck_assert_str_eq(text, "A=1");
	ck_assert_int_eq(gt_variant_find(&toy, text, sizeof text), GT_VARIANT_NONE);
	for (int i = 0; i < 2; i++)
		gt_recon_free(r[i]), gt_volume_free(v[i]), gt_projections_free(p[i]);
}
/* Checkpoints: a continued joint run is bit-identical to an uninterrupted one; other data are refused. */
static gt_status joint_until(gt_projections **p, const char *solver, const char *key, const char *value, gt_volume **v)
{
	gt_recon *r[2];
	for (int i = 0; i < 2; i++) {
		r[i] = ready(p[i], solver, "joint-tv:strength=0.3");
		ck_ok(gt_recon_set(r[i], "weights", "noise"));
		v[i] = volume();
	}
	if (key)
		ck_ok(gt_recon_set(r[0], key, value));
	const gt_status st = gt_recon_run_joint(r, 2, v);
	gt_recon_free(r[0]), gt_recon_free(r[1]);
	return st;
}

GT_TEST(continued_with_the_same_bits)
{
	gt_projections *p[2] = { channel(1, 1e5, 4), channel(0.5, 1e4, 5) }, *swapped[2] = { p[1], p[0] };
	gt_volume *whole[2], *v[2];
	char path[] = "/tmp/gantry-joint-XXXXXX", spec[64];
	ck_assert_ptr_nonnull(mkdtemp(path));
	snprintf(spec, sizeof spec, "%s/run.nc:every=4", path);
	ck_ok(joint_until(p, "fista:iterations=9,prox=yes", NULL, NULL, whole));
	ck_ok(joint_until(p, "fista:iterations=5,prox=yes", "checkpoint", spec, v));
	gt_volume_free(v[0]), gt_volume_free(v[1]);
	*strrchr(spec, ':') = 0;
	gt_recon *r[2];
	for (int i = 0; i < 2; i++) {
		r[i] = ready(p[i], "fista:iterations=9,prox=yes", "joint-tv:strength=0.3");
		ck_ok(gt_recon_set(r[i], "weights", "noise"));
		v[i] = volume();
	}
	ck_ok(gt_recon_set(r[0], "resume", spec));
	ck_ok(gt_recon_set(r[1], "projector", "joseph")); /* the second scan only */
	ck_refused(gt_recon_run_joint(r, 2, v), GT_ERR_UNSUPPORTED, "65536 joseph");
	for (int i = 0; i < 2; i++)
		gt_recon_free(r[i]), gt_volume_free(v[i]);
	ck_ok(joint_until(p, "fista:iterations=9,prox=yes", "resume", spec, v));
	for (int i = 0; i < 2; i++) {
		ck_assert_mem_eq(gt_volume_data(v[i]), gt_volume_data(whole[i]), gt_grid_voxels(&grid) * sizeof(float));
		gt_volume_free(v[i]), gt_volume_free(whole[i]);
	}
	ck_refused(joint_until(swapped, "fista:iterations=9,prox=yes", "resume", spec, v), GT_ERR_UNSUPPORTED, "the measured data");
	gt_volume_free(v[0]), gt_volume_free(v[1]);
	unlink(spec);
	ck_assert_int_eq(rmdir(path), 0);
	gt_projections_free(p[0]), gt_projections_free(p[1]);
}

/* Scans of different dose: the weights of each have mean 1, so both have the same best strength. Weights by
 * photons would give the noisy scan a thirtieth of it. */
GT_TEST(one_strength_for_any_dose)
{
	static const double strengths[] = { 0.1, 1, 3 };
	static const char *const said[2] = { "photons:count=1e5", "photons:count=2000" };
	const gt_projections *p[2] = { channel(1, 1e5, 4), channel(1, 2000, 5) };
	gt_volume *truth = truth_of(1);
	double error[3][2];
	for (size_t k = 0; k < 3; k++) {
		char penalty[64];
		gt_recon *r[2];
		gt_volume *v[2];
		snprintf(penalty, sizeof penalty, "joint-tv:strength=%g", strengths[k]);
		for (int i = 0; i < 2; i++) {
			r[i] = ready(p[i], "fista:iterations=150,prox=yes", penalty);
			ck_ok(gt_recon_set(r[i], "weights", said[i]));
			v[i] = volume();
		}
		ck_ok(gt_recon_run_joint(r, 2, v));
		for (int i = 0; i < 2; i++) {
			error[k][i] = apart(v[i], truth);
			gt_volume_free(v[i]), gt_recon_free(r[i]);
		}
		printf("strength %g: errors %.4f, %.4f\n", strengths[k], error[k][0], error[k][1]);
		fflush(stdout);
	}
	for (int i = 0; i < 2; i++) {
		ck_assert_double_le(error[1][i], 1.02 * fmin(error[0][i], error[2][i]));
		gt_projections_free((gt_projections *)p[i]);
	}
	gt_volume_free(truth);
}

static void scale(void *self, const gt_array *x, gt_array *y)
{
	gt_copy(x, y);
	gt_scale(*(double *)self, y);
}

GT_TEST(blocks_are_side_by_side)
{
	static const struct gt_linop_ops ops = { .name = "scale", .forward = scale, .adjoint = scale };
	double factor[2] = { 2, -3 }, difference, largest;
	gt_backend *be = gt_test_backend();
	gt_linop *A[2], *all;
	for (size_t i = 0; i < 2; i++)
		ck_ok(gt_linop_new(&ops, &factor[i], be, GT_F64, 3 + i, 3 + i, &A[i]));
	ck_ok(gt_block_operator_new(A, 2, &all));
	ck_assert_uint_eq(gt_linop_nx(all), 7);
	gt_array *x = gt_test_array(be, GT_F64, 7, 1), *y;
	ck_ok(gt_array_like(x, &y));
	gt_forward(all, x, y);
	double *in = gt_test_values(x), *out = gt_test_values(y);
	for (size_t i = 0; i < 7; i++)
		ck_assert_double_eq_tol(out[i], (i < 3 ? 2 : -3) * in[i], 1e-14);
	ck_ok(gt_linop_mismatch_elements(all, &difference, &largest));
	ck_assert_double_eq_tol(difference, 0, 1e-14);
	ck_assert_double_eq_tol(largest, 3, 1e-14);
	free(in), free(out);
	gt_array_free(x), gt_array_free(y);
	gt_linop_free(all), gt_linop_free(A[0]), gt_linop_free(A[1]);
	gt_backend_close(be);
}

static void refused(gt_recon *a, gt_recon *b, gt_status status, const char *says)
{
	gt_recon *r[2] = { a, b };
	gt_volume *v[2] = { volume(), volume() };
	gt_volume_data(v[1])[3] = 7;
	ck_refused(gt_recon_run_joint(r, 2, v), status, says);
	ck_assert_float_eq(gt_volume_data(v[1])[3], 7);
	gt_volume_free(v[0]), gt_volume_free(v[1]);
	gt_recon_free(a);
	if (a != b)
		gt_recon_free(b);
}

GT_TEST(refusals)
{
	gt_projections *p = channel(1, 1e5, 4);
	gt_volume *v = volume();
	const char *fista = "fista:iterations=2,prox=yes,nonneg=no", *joint = "joint-tv:strength=1";
	gt_grid other = grid;
	gt_recon *r = ready(p, fista, joint);
	refused(r, r, GT_ERR_ARG, "gt_recon_run_joint");
	refused(ready(p, fista, NULL), ready(p, fista, NULL), GT_ERR_ARG, "2 scans together: no penalty");
	refused(ready(p, "fdk", NULL), ready(p, "fdk", NULL), GT_ERR_ARG, "fdk is an analytic method");
	refused(ready(p, fista, "tv"), ready(p, fista, "tv"), GT_ERR_ARG, "with strength=NUMBER");
	refused(ready(p, fista, "tv:strength=1"), ready(p, fista, "tv:strength=1"), GT_ERR_UNSUPPORTED, "of one volume, not of 2");
	refused(ready(p, "fista:iterations=2", "low-rank:strength=1"), ready(p, fista, "low-rank:strength=1"), GT_ERR_UNSUPPORTED,
	        "nonneg=no");
	other.pitch[0] *= 2;
	r = ready(p, fista, joint);
	ck_ok(gt_recon_grid(r, &other));
	refused(ready(p, fista, joint), r, GT_ERR_UNSUPPORTED, "differs from the grid of");
	ck_refused(gt_recon_run_joint(NULL, 1, &v), GT_ERR_ARG, "expected 1 to 1024");
	ck_refused(gt_recon_run_joint(&r, 0, &v), GT_ERR_ARG, "0 scans");
	gt_volume_free(v);
	gt_projections_free(p);
}

int main(void) { return gt_test_main("joint", NULL); }
