#ifndef GT_TESTS_TEAM_RUNS_H
#define GT_TESTS_TEAM_RUNS_H
/* Runs solvers and penalties on a team and compares with one rank. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <gantry/io.h>
#include <gantry/projector.h>
#include <gantry/regularizer.h>
#include <gantry/solver.h>
#include "core/partition/partition.h"
#include "core/try.h"
#include "recon/joint/joint_subsets.h"
#include "recon/team/team_split.h"
#include "tests/recon/team_of.h"
#include "tests/support/support.h"

static const gt_grid grid = { { 20, 18, 9 }, { 8, 9, 6 }, { 3, -2, 1 } };

struct run {
	const char *solver, *options, *penalty, *split;
	size_t subsets, volumes;
	gt_type type;
	int ranks, kappa;
	const double *share; /* NULL: equal */
	const gt_scan *scan;
	const float *data, *weights;
	int repeats;    /* run twice: bit-identical */
	int shows;      /* rank that returns the result */
	double *result; /* [volumes][voxels] */
	double value;   /* penalty at the result */
};

static inline double truth_at(size_t i);

/* Writes the noisy truth to a file; the caller unlinks it. */
static inline void write_prior(char path[64])
{
	gt_volume *v = NULL;
	ck_ok(gt_volume_new(&grid, &v));
	for (size_t i = 0; i < gt_grid_voxels(&grid); i++)
		gt_volume_data(v)[i] = (float)(truth_at(i) + 0.003 * gt_test_normal(8, i));
	snprintf(path, 64, "/tmp/gantry-team-prior-%ld.nc", (long)getpid());
	ck_ok(gt_write_volume(path, NULL, v));
	gt_volume_free(v);
}

static inline gt_status new_penalty(const struct run *r, gt_backend *be, const gt_array *x, gt_penalty **R)
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
	if (r->volumes > 1)
		GT_TRY(gt_regularizer_new_joint(r->penalty, be, r->type, &grid, r->volumes, R));
	else
		GT_TRY(gt_regularizer_new(r->penalty, be, r->type, &grid, kappa, R));
done:
	gt_array_free(kappa);
	free(host);
	return st;
}

static inline void get_double(const gt_array *x, double *to)
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

static inline size_t size_of(const struct run *r) { return r->volumes * gt_grid_voxels(&grid); }

/* The scan of volume i has 3 i views fewer, other noise and lower attenuation than the first. */
static inline gt_status new_subsets(const struct run *r, gt_backend *be, size_t i, gt_subsets *sub)
{
	gt_split_spec asked, split;
	gt_scan *scan = NULL;
	gt_status st = gt_scan_clone(r->scan, &scan);
	GT_TRY(st);
	scan->views -= 3 * i;
	const size_t n = gt_scan_size(scan);
	float *data = malloc(n * sizeof *data);
	for (size_t k = 0; k < n; k++)
		data[k] = i ? r->data[k] * (float)(1 - 0.2 * (double)i + 0.1 * gt_test_normal(40 + i, k)) : r->data[k];
	if (gt_ranks(be) == 1) {
		st = gt_subsets_new("dd", be, r->type, &grid, scan, data, r->weights, r->subsets, sub);
	} else {
		const gt_model_case c = { .grid = &grid, .scan = scan, .subsets = r->subsets, .element = 4 };
		const gt_team_problem q = { "dd", r->type, &grid, scan, data, r->weights, r->subsets };
		st = gt_split_spec_parse(r->split, &asked);
		if (st == GT_OK)
			st = gt_split_choose(&asked, (size_t)gt_ranks(be), &c, &split);
		if (st == GT_OK)
			st = gt_team_subsets_new(&split, be, &q, sub);
	}
	free(data);
done:
	gt_scan_free(scan);
	return st;
}

static inline gt_status solve(gt_backend *be, void *self)
{
	struct run *r = self;
	const gt_solver *s = gt_solver_find(r->solver);
	gt_subsets part[4] = { { 0 } }, sub = { 0 };
	gt_penalty *R = NULL;
	gt_array *x = NULL;
	double *own = NULL;
	void *options = malloc(s->options_size ? s->options_size : 1);
	gt_status st = GT_OK;
	memcpy(options, s->defaults, s->options_size);
	GT_TRY(gt_params_parse(s->params, r->options, options));
	GT_TRY(gt_joint_volumes_new(be, r->type, &grid, r->volumes, &x));
	gt_fill(0.001, x);
	for (size_t i = 0; i < r->volumes; i++)
		GT_TRY(new_subsets(r, be, i, r->volumes > 1 ? &part[i] : &sub));
	if (r->volumes > 1)
		GT_TRY(gt_joint_subsets_new(part, r->volumes, &sub));
	GT_TRY(new_penalty(r, be, x, &R));
	const gt_problem p = { .subsets = r->subsets,
		               .A = sub.A,
		               .b = sub.b,
		               .w = sub.w,
		               .R = R,
		               .n = { grid.n[0], grid.n[1], r->volumes * grid.n[2] },
		               .lo = s->traits & GT_SUPPORTS_BOUNDS && !strstr(r->options, "nonneg=no") ? 0 : -INFINITY,
		               .hi = INFINITY };
	GT_TRY(gt_solve(s, &p, options, x, NULL));
	const double value = gt_penalty_value(R, x); /* equal on every rank */
	own = malloc(size_of(r) * sizeof *own);
	get_double(x, own); /* the whole volume, on every rank */
	if (gt_rank(be) == r->shows) {
		memcpy(r->result, own, size_of(r) * sizeof *own);
		r->value = value;
	}
	GT_TRY(gt_backend_status(be));
done:
	free(own);
	free(options);
	gt_penalty_free(R);
	gt_subsets_free(&sub);
	for (size_t i = 0; i < 4; i++)
		gt_subsets_free(&part[i]);
	gt_array_free(x);
	return st;
}

static inline int run(struct run *given)
{
	gt_backend *be = NULL;
	gt_team *t = NULL;
	gt_status st;
	struct run own = *given, *const r = &own;
	r->shows = 0;
	if (r->ranks == 1) {
		be = gt_test_backend();
		st = solve(be, r);
		gt_backend_close(be);
	} else {
		if (!team_of(r->ranks, &t))
			return 0;
		ck_assert_int_eq(gt_team_set_weights(t, r->share), GT_OK);
		r->shows = last_here(t);
		st = gt_team_run(t, solve, r);
		gt_team_close(t);
	}
	given->value = r->value;
	ck_assert_msg(st == GT_OK, "%s %s on %d: %s", r->solver, r->split, r->ranks, gt_error());
	return 1;
}

static inline double difference(const double *a, const double *b, size_t size)
{
	double d = 0, n = 0;
	for (size_t i = 0; i < size; i++) {
		d += (a[i] - b[i]) * (a[i] - b[i]);
		n += b[i] * b[i];
	}
	return sqrt(d / n);
}

struct data {
	gt_scan *scan;
	float *values, *weights;
	char prior[64], penalty[256]; /* prior: a file, if a penalty uses one */
};

/* An ellipsoid off the centre with a hole. */
static inline double truth_at(size_t i)
{
	const double X = ((double)(i % 20) - 9) / 9, Y = ((double)(i / 20 % 18) - 9) / 8, Z = ((double)(i / 360) - 4) / 5;
	return X * X + Y * Y + Z * Z > 1 ? 0 : hypot(X - 0.3, Y) < 0.3 && Z > 0 ? 0.005 : 0.02;
}

/* Line integrals of the truth; rays that barely touch the voxels are near 0. */
static inline void project_truth(const gt_scan *scan, float *values)
{
	gt_backend *be = NULL;
	gt_linop *A = NULL;
	gt_array *x = NULL, *y = NULL;
	const size_t n = gt_grid_voxels(&grid);
	double *truth = malloc(n * sizeof *truth);
	for (size_t i = 0; i < n; i++)
		truth[i] = truth_at(i);
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

static inline struct data data_of(gt_shape shape, double pitch)
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
	struct data d = { .prior = "" };
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

static inline void data_free(struct data *d)
{
	gt_scan_free(d->scan);
	free(d->values);
	free(d->weights);
	if (*d->prior)
		unlink(d->prior);
}

struct team_case {
	const char *solver, *options, *penalty;
	size_t subsets;
	int weighted, kappa;
	double tolerance; /* in double precision */
	double single;
	size_t volumes;
};

struct team_split {
	const char *split;
	int ranks, uneven;
};

/* Every second split from first on, cyclically, count in all; with GT_LONG=1 each of the n. once: none runs twice. */
struct team_splits {
	const struct team_split *all;
	size_t n, first, count;
	int once;
};

/* Runs a case on a team and compares with one rank; twice if r->repeats or GT_LONG=1. */
static inline void compare(struct run *r, const double *one, double tolerance)
{
	const double value = r->value;
	const size_t n = size_of(r);
	double *got = calloc(n, sizeof *got), *again = calloc(n, sizeof *again);
	r->result = got;
	if (run(r)) {
		const double d = difference(got, one, n);
		ck_assert_msg(d <= tolerance, "%s %s %s, %s, %s of %d: differs by %.2g, at most %.2g", r->solver, r->options,
		              r->penalty ? r->penalty : "", gt_type_name(r->type), r->split, r->ranks, d, tolerance);
		ck_assert_msg(fabs(r->value - value) <= 10 * tolerance * fabs(value), "%s %s, %s of %d: value %.17g, expected %.17g",
		              r->solver, r->penalty ? r->penalty : "", r->split, r->ranks, r->value, value);
		r->result = again;
		ck_assert_msg(!(r->repeats || gt_tests_long()) || (run(r) && !memcmp(got, again, n * sizeof *got)),
		              "%s %s of %d: other bits again", r->solver, r->split, r->ranks);
	}
	r->value = value;
	free(got);
	free(again);
}

/* The penalty of a case, with a file name in place of PRIOR. All runs share the file: the first read of a file
 * starts a probe process, which is slow under a sanitizer. */
static inline const char *penalty_of(const struct team_case *c, struct data *d)
{
	const char *at = c->penalty ? strstr(c->penalty, "PRIOR") : NULL;
	if (!at)
		return c->penalty;
	if (!*d->prior)
		write_prior(d->prior);
	snprintf(d->penalty, sizeof d->penalty, "%.*s%s", (int)(at - c->penalty), c->penalty, d->prior);
	return d->penalty;
}

/* The returned strings stay valid until the next call with the same data. */
static inline struct run run_of(const struct team_case *c, struct data *d, gt_type type)
{
	return (struct run){ .solver = c->solver,
		             .options = c->options,
		             .penalty = penalty_of(c, d),
		             .split = "views",
		             .subsets = c->subsets,
		             .volumes = c->volumes,
		             .type = type,
		             .ranks = 1,
		             .repeats = 1,
		             .kappa = c->kappa,
		             .scan = d->scan,
		             .data = d->values,
		             .weights = c->weighted ? d->weights : NULL };
}

/* Runs a case with some splits, the first of them twice unless s->once. Line searches and the flat minimum of hybrid-lsqr amplify
 * rounding in single precision. The preconditioner follows the curvatures of the penalty, which are steep for p < 2
 * between equal neighbours. Each iteration then amplifies a difference 25 times: after 6 iterations to 4e-5 in single
 * and at most 4e-11 in double precision. One rank in single precision is itself 2e-5 from double. pcg with awtv
 * amplifies one bit 100 times, to 1.2e-5 and 1e-14; os-sqs does not. */
static inline void by_splits(const struct team_case *c, const struct team_splits *s, gt_shape shape, double pitch, gt_type type)
{
	static const double uneven[] = { 1, 2.5, 1.5, 0.8 };
	struct data d = data_of(shape, pitch);
	struct run r = run_of(c, &d, type);
	double *one = calloc(size_of(&r), sizeof *one);
	r.result = one;
	run(&r);
	const size_t count = gt_tests_long() ? s->n : s->count, step = gt_tests_long() ? 1 : 2;
	for (size_t k = 0; k < count; k++) {
		const struct team_split *split = &s->all[(s->first + step * k) % s->n];
		r.split = split->split;
		r.ranks = split->ranks;
		r.share = split->uneven ? uneven : NULL;
		r.repeats = k == 0 && !s->once;
		compare(&r, one, type == GT_F64 ? c->tolerance : c->single);
	}
	free(one);
	data_free(&d);
}
#endif
