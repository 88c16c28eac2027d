/* Several members compute what one does: every solver, each split, both precisions; twice the same bits; members with nothing to do.
 * labels: unit */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/projector.h>
#include <gantry/regularizer.h>
#include <gantry/solver.h>
#include "core/team/share.h"
#include "core/try.h"
#include "recon/team_split.h"
#include "tests/support/support.h"

static const gt_grid grid = { { 20, 18, 9 }, { 8, 9, 6 }, { 3, -2, 1 } };

/* One run on some members. */
struct run {
	const char *solver, *options, *penalty, *split;
	size_t subsets;
	gt_type type;
	int members, kappa;
	const double *share; /* NULL: equal */
	const gt_scan *scan;
	const float *data, *weights;
	double *result; /* [voxels], of all */
};

static gt_status new_penalty(const struct run *r, gt_backend *be, const gt_array *x, gt_penalty **R)
{
	gt_array *kappa = NULL;
	gt_status st = GT_OK;
	const size_t n = gt_grid_voxels(&grid);
	float *host = malloc(n * sizeof *host);
	if (!r->penalty) {
		free(host);
		return GT_OK;
	}
	for (size_t i = 0; i < n; i++)
		host[i] = 0.5f + (float)(i * 7919 % 101) / 101;
	if (r->kappa) {
		GT_TRY(gt_array_like(x, &kappa));
		gt_array_put_float(host, kappa);
	}
	GT_TRY(gt_regularizer_new(r->penalty, be, r->type, &grid, kappa, R));
done:
	gt_array_free(kappa);
	free(host);
	return st;
}

static void get_double(const gt_array *x, double *to)
{
	float *single = NULL;
	if (gt_array_type(x) == GT_F64) {
		gt_array_get(x, to);
		return;
	}
	single = malloc(gt_array_size(x) * sizeof *single);
	gt_array_get_float(x, single);
	for (size_t i = 0; i < gt_array_size(x); i++)
		to[i] = single[i];
	free(single);
}

static gt_status solve(gt_backend *be, void *self)
{
	const struct run *r = self;
	const gt_solver *s = gt_solver_find(r->solver);
	gt_subsets sub = { 0 };
	gt_split_spec asked, split;
	gt_penalty *R = NULL;
	gt_array *x = NULL;
	double *own = NULL;
	void *options = malloc(s->options_size ? s->options_size : 1);
	gt_status st = GT_OK;
	memcpy(options, s->defaults, s->options_size);
	GT_TRY(gt_params_parse(s->params, r->options, options));
	GT_TRY(gt_array_new_shared(be, r->type, grid.n[0] * grid.n[1], grid.n[2], &x));
	gt_fill(0.001, x);
	if (gt_members(be) == 1) {
		GT_TRY(gt_subsets_new("dd", be, r->type, &grid, r->scan, r->data, r->weights, r->subsets, &sub));
	} else {
		GT_TRY(gt_split_spec_parse(r->split, &asked));
		GT_TRY(gt_split_choose(&asked, (size_t)gt_members(be), &grid, r->scan, r->subsets, &split));
		GT_TRY(gt_team_subsets_new(&split, "dd", be, r->type, &grid, r->scan, r->data, r->weights, r->subsets, &sub));
	}
	GT_TRY(new_penalty(r, be, x, &R));
	const gt_problem p = { .subsets = r->subsets,
		               .A = sub.A,
		               .b = sub.b,
		               .w = sub.w,
		               .R = R,
		               .n = { grid.n[0], grid.n[1], grid.n[2] },
		               .lo = s->traits & GT_SUPPORTS_BOUNDS ? 0 : -INFINITY,
		               .hi = INFINITY };
	GT_TRY(gt_solve(s, &p, options, x, NULL));
	own = malloc(gt_grid_voxels(&grid) * sizeof *own);
	get_double(x, own); /* all of it, on every member */
	if (gt_member(be) == gt_members(be) - 1)
		memcpy(r->result, own, gt_grid_voxels(&grid) * sizeof *own);
	GT_TRY(gt_backend_status(be));
done:
	free(own);
	free(options);
	gt_penalty_free(R);
	gt_subsets_free(&sub);
	gt_array_free(x);
	return st;
}

/* A team on the backend that is tested; 0: it has not as many devices. */
static int team_of(int members, gt_team **t)
{
	char spec[64];
	const char *tested = getenv("GT_BACKEND");
	const int on_gpu = tested && !strncmp(tested, "cuda", 4);
	if (on_gpu && gt_device_count() < members)
		return 0;
	snprintf(spec, sizeof spec, on_gpu ? "cuda:0-%d" : "cpu:1x%d", on_gpu ? members - 1 : members);
	ck_assert_msg(gt_team_open(spec, t) == GT_OK, "%s: %s", spec, gt_error());
	return 1;
}

static int run(struct run *r)
{
	gt_backend *be = NULL;
	gt_team *t = NULL;
	gt_status st;
	if (r->members == 1) {
		be = gt_test_backend();
		st = solve(be, r);
		gt_backend_close(be);
	} else {
		if (!team_of(r->members, &t))
			return 0;
		ck_assert_int_eq(gt_team_set_weights(t, r->share), GT_OK);
		st = gt_team_run(t, solve, r);
		gt_team_close(t);
	}
	ck_assert_msg(st == GT_OK, "%s %s on %d: %s", r->solver, r->split, r->members, gt_error());
	return 1;
}

static double difference(const double *a, const double *b)
{
	double d = 0, n = 0;
	for (size_t i = 0; i < gt_grid_voxels(&grid); i++) {
		d += (a[i] - b[i]) * (a[i] - b[i]);
		n += b[i] * b[i];
	}
	return sqrt(d / n);
}

struct data {
	gt_scan *scan;
	float *values, *weights;
};

/* Line integrals of an ellipsoid off the centre with a hole: rays that hardly meet the voxels have next to none. */
static void project_truth(const gt_scan *scan, float *values)
{
	gt_backend *be = NULL;
	gt_linop *A = NULL;
	gt_array *x = NULL, *y = NULL;
	const size_t n = gt_grid_voxels(&grid);
	double *truth = malloc(n * sizeof *truth);
	for (size_t i = 0; i < n; i++) {
		const double X = ((double)(i % 20) - 9) / 9, Y = ((double)(i / 20 % 18) - 9) / 8, Z = ((double)(i / 360) - 4) / 5;
		truth[i] = X * X + Y * Y + Z * Z > 1 ? 0 : hypot(X - 0.3, Y) < 0.3 && Z > 0 ? 0.005 : 0.02;
	}
	ck_ok(gt_backend_open("cpu:1", &be));
	ck_ok(gt_projector_new("dd", be, GT_F64, &grid, scan, &A));
	ck_ok(gt_array_new(be, GT_F64, n, &x));
	ck_ok(gt_array_new(be, GT_F64, gt_scan_size(scan), &y));
	gt_array_put(truth, x);
	gt_forward(A, x, y);
	gt_array_get_float(y, values);
	gt_array_free(x);
	gt_array_free(y);
	gt_linop_free(A);
	gt_backend_close(be);
	free(truth);
}

static struct data data_of(gt_shape shape, double pitch)
{
	const gt_orbit o = { .shape = shape,
		             .views = 23,
		             .rows = 11,
		             .columns = 34,
		             .source_to_axis = 541,
		             .source_to_detector = 949,
		             .column_pitch = 12,
		             .row_pitch = 11,
		             .column_offset = 0.4,
		             .row_offset = -0.7,
		             .start_angle = 0.3,
		             .turn = 2 * M_PI * (pitch > 0 ? 2.5 : 1),
		             .pitch_per_turn = pitch,
		             .z_center = 1 };
	struct data d;
	ck_assert_int_eq(gt_scan_orbit(&o, &d.scan), GT_OK);
	const size_t n = gt_scan_size(d.scan);
	d.values = malloc(n * sizeof *d.values);
	d.weights = malloc(n * sizeof *d.weights);
	project_truth(d.scan, d.values);
	for (size_t i = 0; i < n; i++) {
		d.values[i] *= 1 + 0.05f * (float)gt_test_normal(5, i);
		d.weights[i] = expf(-d.values[i]);
	}
	return d;
}

static void data_free(struct data *d)
{
	gt_scan_free(d->scan);
	free(d->values);
	free(d->weights);
}

static const struct {
	const char *solver, *options, *penalty;
	size_t subsets;
	int weighted, kappa;
	double tolerance; /* in double */
} cases[] = {
	{ "os-sart", "iterations=3", NULL, 4, 0, 0, 1e-12 },
	{ "os-sart", "iterations=3,keep=no", NULL, 3, 0, 0, 1e-12 },
	{ "sirt", "iterations=4,momentum=yes", NULL, 1, 0, 0, 1e-12 },
	{ "cgls", "iterations=5", NULL, 1, 1, 0, 1e-12 },
	{ "lsqr", "iterations=5", NULL, 1, 0, 0, 1e-12 },
	{ "lsmr", "iterations=5", NULL, 1, 0, 0, 1e-12 },
	{ "mlem", "iterations=3", NULL, 1, 0, 0, 1e-12 },
	{ "pcg", "iterations=5,preconditioner=diagonal", "qggmrf:strength=20", 1, 1, 1, 1e-12 },
	{ "pcg", "iterations=6,preconditioner=ramp", "qggmrf:strength=20", 1, 1, 0, 1e-8 },
	{ "fista", "iterations=5", "huber:strength=50,neighbours=6", 1, 1, 0, 1e-12 },
	{ "fista", "iterations=5,prox=yes", "tv:strength=0.1,inner=7", 1, 1, 0, 1e-12 },
	{ "fista", "iterations=4", "tv:strength=0.1,inner=0", 1, 0, 0, 1e-12 },
	{ "os-sqs", "iterations=3", "hyperbola:strength=50", 4, 1, 0, 1e-12 },
	{ "os-lalm", "iterations=3", "fair:strength=50", 4, 1, 0, 1e-12 },
	{ "pdhg", "iterations=5", "tv:strength=0.1,kind=anisotropic,inner=5", 1, 1, 0, 1e-12 },
	{ "asd-pocs", "iterations=2", "tv:inner=0", 4, 0, 0, 1e-12 },
};

/* Runs a case on some members, twice, against one member. */
static void compare(struct run *r, const double *one, double tolerance)
{
	const size_t n = gt_grid_voxels(&grid);
	double *got = calloc(n, sizeof *got), *again = calloc(n, sizeof *again);
	r->result = got;
	if (run(r)) {
		const double d = difference(got, one);
		ck_assert_msg(d <= tolerance, "%s %s %s, %s, %s of %d: differs by %.2g, at most %.2g", r->solver, r->options,
		              r->penalty ? r->penalty : "", gt_type_name(r->type), r->split, r->members, d, tolerance);
		r->result = again;
		run(r);
		ck_assert_msg(!memcmp(got, again, n * sizeof *got), "%s %s of %d: other bits again", r->solver, r->split, r->members);
	}
	free(got);
	free(again);
}

static struct run run_of(int i, const struct data *d, gt_type type)
{
	return (struct run){ .solver = cases[i].solver,
		             .options = cases[i].options,
		             .penalty = cases[i].penalty,
		             .split = "views",
		             .subsets = cases[i].subsets,
		             .type = type,
		             .members = 1,
		             .kappa = cases[i].kappa,
		             .scan = d->scan,
		             .data = d->values,
		             .weights = cases[i].weighted ? d->weights : NULL };
}

/* Single precision: a last bit that flips goes further where steps are searched for. */
static void each_split(int i, gt_shape shape, double pitch, gt_type type)
{
	static const double uneven[] = { 1, 2.5, 1.5, 0.8 };
	static const struct {
		const char *split;
		int members, uneven;
	} splits[] = { { "views", 2, 0 }, { "views", 3, 1 }, { "slices", 2, 0 }, { "slices", 3, 1 },
		       { "2x2", 4, 0 },   { "views", 4, 1 }, { "slices", 4, 0 } };
	struct data d = data_of(shape, pitch);
	struct run r = run_of(i, &d, type);
	double *one = calloc(gt_grid_voxels(&grid), sizeof *one);
	r.result = one;
	run(&r);
	for (size_t k = 0; k < sizeof splits / sizeof *splits; k++) {
		r.split = splits[k].split;
		r.members = splits[k].members;
		r.share = splits[k].uneven ? uneven : NULL;
		compare(&r, one, type == GT_F64 ? cases[i].tolerance : 1e-5);
	}
	free(one);
	data_free(&d);
}

START_TEST(members_compute_what_one_does)
{
	each_split(_i, _i % 2 ? GT_ARC : GT_FLAT, 0, GT_F64);
	each_split(_i, _i % 2 ? GT_FLAT : GT_ARC, 0, GT_F32);
}
END_TEST

START_TEST(members_share_a_helix)
{
	each_split(0, GT_ARC, 25, GT_F64);
	each_split(7, GT_ARC, 25, GT_F64);
}
END_TEST

/* Every entry of the team's operator and of its adjoint, from unit vectors. */
struct matrix {
	const char *split;
	const gt_grid *grid;
	const gt_scan *scan;
	double *forward, *adjoint; /* [ny][nx] */
};

static gt_status matrix_text(gt_backend *be, void *self)
{
	const struct matrix *m = self;
	const size_t nx = gt_grid_voxels(m->grid), ny = gt_scan_size(m->scan), most = nx > ny ? nx : ny;
	gt_split_spec asked, split;
	gt_subsets s = { 0 };
	gt_array *x = NULL, *y = NULL;
	double *unit = calloc(most, sizeof *unit), *got = calloc(most, sizeof *got);
	float *zero = calloc(ny, sizeof *zero);
	gt_status st = GT_OK;
	GT_TRY(gt_split_spec_parse(m->split, &asked));
	GT_TRY(gt_split_choose(&asked, (size_t)gt_members(be), m->grid, m->scan, 1, &split));
	GT_TRY(gt_team_subsets_new(&split, "dd", be, GT_F64, m->grid, m->scan, zero, NULL, 1, &s));
	GT_TRY(gt_array_new_shared(be, GT_F64, m->grid->n[0] * m->grid->n[1], m->grid->n[2], &x));
	GT_TRY(gt_array_like(s.b[0], &y));
	for (size_t j = 0; j < nx + ny; j++) {
		const int is_x = j < nx;
		const size_t at = is_x ? j : j - nx, n = is_x ? ny : nx;
		unit[at] = 1;
		gt_array_put(unit, is_x ? x : y);
		unit[at] = 0;
		if (is_x)
			gt_forward(s.A[0], x, y);
		else
			gt_adjoint(s.A[0], y, x);
		gt_array_get(is_x ? y : x, got);
		for (size_t i = 0; i < n && gt_member(be) == 0; i++)
			*(is_x ? &m->forward[i * nx + at] : &m->adjoint[at * nx + i]) = got[i];
	}
	GT_TRY(gt_backend_status(be));
done:
	gt_array_free(x);
	gt_array_free(y);
	gt_subsets_free(&s);
	free(unit);
	free(got);
	free(zero);
	return st;
}

static void certify(const char *split, int members, const double *share, gt_shape shape, double pitch, double shift)
{
	const gt_grid g = { { 6, 5, 5 }, { 20, 22, 9 }, { 2, -3, 1 } };
	const gt_orbit o = { .shape = shape,
		             .views = 7,
		             .rows = 5,
		             .columns = 7,
		             .source_to_axis = 541,
		             .source_to_detector = 949,
		             .column_pitch = 40,
		             .row_pitch = 14,
		             .column_offset = 0.3,
		             .row_offset = 0.4,
		             .turn = 2 * M_PI * (pitch > 0 ? 2 : 1),
		             .pitch_per_turn = pitch };
	gt_scan *scan = NULL;
	gt_team *t = NULL;
	double most = 0, off = 0;
	ck_ok(gt_scan_orbit(&o, &scan));
	if (shift > 0)
		ck_ok(gt_scan_perturb(scan, shift, 0, 3));
	const size_t n = gt_grid_voxels(&g) * gt_scan_size(scan);
	struct matrix m = { split, &g, scan, calloc(n, sizeof(double)), calloc(n, sizeof(double)) };
	struct matrix one = { "views", &g, scan, calloc(n, sizeof(double)), calloc(n, sizeof(double)) };
	if (team_of(members, &t)) {
		ck_ok(gt_team_set_weights(t, share));
		ck_ok(gt_team_run(t, matrix_text, &m));
		gt_team_close(t);
		ck_assert(team_of(1, &t)); /* a team of one: the whole operator */
		ck_ok(gt_team_run(t, matrix_text, &one));
		gt_team_close(t);
		for (size_t i = 0; i < n; i++) {
			most = fmax(most, fabs(one.forward[i]));
			off = fmax(off, fmax(fabs(m.forward[i] - m.adjoint[i]), fabs(m.forward[i] - one.forward[i])));
		}
		ck_assert_msg(most > 0 && off <= 1e-12 * most, "%s of %d, shape %d: entries differ by %g of %g", split, members, (int)shape,
		              off, most);
	}
	free(m.forward);
	free(m.adjoint);
	free(one.forward);
	free(one.adjoint);
	gt_scan_free(scan);
}

START_TEST(every_entry)
{
	static const double uneven[] = { 0.1, 3, 1, 2, 1 };
	static const gt_shape shapes[] = { GT_FLAT, GT_ARC, GT_PARALLEL };
	for (int i = 0; i < 3; i++) {
		certify("views", 2, NULL, shapes[i], 0, 0);
		certify("views", 3, uneven, shapes[i], 0, 0); /* one sees no view */
		certify("slices", 5, NULL, shapes[i], 0, 0);  /* a slice each */
		certify("slices", 3, uneven, shapes[i], 0, 0);
		certify("2x2", 4, NULL, shapes[i], 0, 0);
	}
	certify("slices", 3, NULL, GT_FLAT, 0, 6);
	certify("views", 3, NULL, GT_ARC, 40, 0);
	certify("views", 3, NULL, GT_FLAT, 90, 0); /* some views see nothing */
	certify("2x2", 4, NULL, GT_ARC, 40, 0);
	certify("2x2", 4, uneven, GT_FLAT, 90, 0);
}
END_TEST

/* More members than slices: some hold none. */
START_TEST(more_members_than_slices)
{
	struct data d = data_of(GT_FLAT, 0);
	double *one = calloc(gt_grid_voxels(&grid), sizeof *one);
	static const int some[] = { 0, 7, 10 };
	for (int k = 0; k < 3; k++) {
		struct run r = run_of(some[k], &d, GT_F64);
		r.result = one;
		r.subsets = 1;
		run(&r);
		r.members = 11;
		compare(&r, one, 1e-12);
	}
	struct run r = run_of(0, &d, GT_F64);
	r.members = 11;
	r.split = "slices";
	gt_team *t = NULL;
	if (team_of(11, &t)) {
		ck_refused(gt_team_run(t, solve, &r), GT_ERR_ARG, "11 slabs of 9 slices");
		gt_team_close(t);
	}
	free(one);
	data_free(&d);
}
END_TEST

static gt_status refused_text(gt_backend *be, void *self)
{
	(void)self;
	gt_penalty *R = NULL;
	return gt_regularizer_new("tgv", be, GT_F32, &grid, NULL, &R);
}

START_TEST(what_cannot_run_is_refused_by_name)
{
	struct data d = data_of(GT_FLAT, 0);
	struct run r = run_of(3, &d, GT_F64);
	gt_team *t = NULL;
	r.solver = "hybrid-lsqr";
	r.members = 2;
	if (team_of(2, &t)) {
		ck_refused(gt_team_run(t, solve, &r), GT_ERR_UNSUPPORTED, "solver 'hybrid-lsqr' cannot run on several devices together");
		ck_refused(gt_team_run(t, refused_text, NULL), GT_ERR_UNSUPPORTED, "penalty 'tgv' cannot run on several devices together");
		gt_team_close(t);
	}
	data_free(&d);
}
END_TEST

static void fill(TCase *tc)
{
	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, members_compute_what_one_does, 0, (int)(sizeof cases / sizeof *cases));
	tcase_add_test(tc, members_share_a_helix);
	tcase_add_test(tc, every_entry);
	tcase_add_test(tc, more_members_than_slices);
	tcase_add_test(tc, what_cannot_run_is_refused_by_name);
}

int main(void) { return gt_test_main("team", fill); }
