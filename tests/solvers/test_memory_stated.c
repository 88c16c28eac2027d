/* Memory: a dry run predicts the memory of the real run, for every solver, projector, penalty and direct method.
 * Solvers hold the number of arrays that their descriptions state.
 * labels: unit */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <gantry/analytic.h>
#include <gantry/io.h>
#include <gantry/projector.h>
#include <gantry/regularizer.h>
#include "core/basis/basis.h"
#include "tests/support/problem.h"
#include "tests/support/support.h"

enum { SIDE = 10, VIEWS = 14 };

/* Arrays held in an iteration, without the problem, result and bases. Volumes: `volumes`, plus one per subset with
 * per_subset. Data: `data` of full size and `parts` of the size of the largest subset. */
static const struct run {
	const char *solver, *options, *penalty;
	size_t subsets;
	int weights, volumes, per_subset, data, parts;
} runs[] = {
	{ "os-sart", "iterations=2,keep=no", NULL, 4, 0, 3, 0, 0, 2 },
	{ "os-sart", "iterations=2,keep=yes", NULL, 4, 0, 2, 1, 1, 1 },
	{ "os-sart", "iterations=3,keep=no,momentum=yes", NULL, 5, 0, 3, 0, 0, 2 },
	{ "sirt", "iterations=2", NULL, 1, 0, 2, 1, 1, 1 },
	{ "sirt", "iterations=2,momentum=yes", NULL, 1, 0, 2, 1, 2, 1 },
	{ "sirt", "iterations=2,anderson=3", NULL, 1, 0, 3, 1, 1, 1 },
	{ "sart", "iterations=1,keep=no", NULL, VIEWS, 0, 3, 0, 0, 2 },
	{ "sart", "iterations=1,keep=yes", NULL, VIEWS, 0, 2, 1, 1, 1 },
	{ "cgls", "iterations=3", NULL, 1, 1, 2, 0, 2, 0 },
	{ "lsqr", "iterations=3", NULL, 1, 1, 3, 0, 2, 0 },
	{ "lsmr", "iterations=3,damp=1", NULL, 1, 1, 4, 0, 2, 0 },
	{ "ab-gmres", "iterations=2,steps=5", NULL, 1, 0, 1, 0, 0, 0 },
	{ "ba-gmres", "iterations=2,steps=4", NULL, 1, 0, 0, 0, 1, 0 },
	{ "ab-gmres", "iterations=2,steps=5", NULL, 1, 1, 1, 0, 1, 0 },
	{ "ba-gmres", "iterations=2,steps=4", NULL, 1, 1, 0, 0, 1, 0 },
	{ "hybrid-lsqr", "iterations=5", NULL, 1, 1, 3, 0, 2, 0 },
	{ "mlem", "iterations=2", NULL, 1, 0, 2, 1, 0, 2 },
	{ "osem", "iterations=2", NULL, 4, 0, 2, 1, 0, 2 },
	{ "mltr", "iterations=2", "huber", 4, 1, 3, 0, 1, 2 },
	{ "mltr", "iterations=2,curvature=precomputed", NULL, 1, 0, 4, 0, 1, 2 },
	{ "saga", "iterations=2", "huber", 4, 1, 5, 0, 1, 1 },
	{ "svrg", "iterations=2", NULL, 3, 0, 5, 0, 1, 1 },
	{ "spdhg", "iterations=2", NULL, 3, 0, 5, 0, 1, 1 },
	{ "spdhg", "iterations=2", "tv", 4, 1, 4, 0, 1, 1 },
	{ "os-lalm", "iterations=2", NULL, 4, 0, 6, 0, 0, 1 },
	{ "os-lalm", "iterations=2", "huber", 4, 1, 7, 0, 0, 1 },
	{ "admm", "iterations=2", "tv", 1, 1, 5, 0, 1, 0 },
	{ "pcg", "iterations=3", "huber", 1, 1, 4, 0, 2, 0 },
	{ "pcg", "iterations=3,preconditioner=none", NULL, 1, 0, 3, 0, 2, 0 },
	{ "fista", "iterations=3", "qggmrf", 1, 1, 3, 0, 2, 0 },
	{ "fista", "iterations=3,prox=yes", "tv", 1, 0, 2, 0, 2, 0 },
	{ "fista", "iterations=3,anderson=2", "huber", 1, 1, 4, 0, 2, 0 },
	{ "os-sqs", "iterations=6,subsets=6", "hyperbola", 6, 1, 5, 0, 0, 1 },
	{ "os-sqs", "iterations=3", NULL, 1, 0, 3, 0, 0, 1 },
	{ "pdhg", "iterations=3", NULL, 1, 1, 2, 0, 3, 0 },
	{ "pdhg", "iterations=3", "huber", 1, 0, 4, 0, 3, 0 },
	{ "pdhg", "iterations=3", "tv", 1, 0, 1, 0, 3, 0 },
	{ "asd-pocs", "iterations=3,keep=no", "tv", 4, 0, 4, 0, 0, 2 },
	{ "asd-pocs", "iterations=3,keep=yes", "fair", 4, 0, 3, 1, 1, 1 },
	{ "pnp-fista", "iterations=3", "nlm", 1, 1, 2, 0, 1, 0 },
	{ "pnp-admm", "iterations=3", "nlm", 1, 0, 5, 0, 1, 0 },
	{ "red", "iterations=3", "nlm", 1, 0, 3, 0, 1, 0 },
};
enum { RUNS = sizeof runs / sizeof *runs };

struct seen {
	size_t bytes;
	int calls;
};

static int each(void *self, const gt_progress *p)
{
	struct seen *s = self;
	s->bytes = gt_test_counters(gt_array_backend(p->x)).bytes;
	s->calls++;
	return 0;
}

static gt_backend *backend(int dry)
{
	gt_backend *be = gt_test_backend();
	if (dry)
		ck_ok(gt_backend_dry_run(be));
	ck_assert_int_eq(gt_backend_is_dry_run(be), dry);
	return be;
}

/* The counters of a backend without arrays. */
static gt_counters closed(gt_backend *be)
{
	const gt_counters count = gt_test_counters(be);
	ck_assert_uint_eq(count.bytes, 0);
	gt_backend_close(be);
	return count;
}

static void same_peak(const char *name, gt_counters run, gt_counters dry_run)
{
	ck_assert_msg(dry_run.peak_bytes == run.peak_bytes, "%s: %zu bytes at most, stated %zu", name, run.peak_bytes, dry_run.peak_bytes);
}

/* Vectors in core/basis/ for these options. */
static const struct {
	const char *solver;
	size_t of_volumes, of_data, numbers; /* numbers: additional doubles */
} bases[] = { { "ab-gmres", 0, 6, 0 }, { "ba-gmres", 5, 0, 0 }, { "hybrid-lsqr", 5, 0, 12 } };

static size_t basis_bytes(const char *solver, const char *options, const struct gt_test_problem *p)
{
	const char *anderson = strstr(options, "anderson=");
	const size_t depth = anderson ? (size_t)atoi(anderson + 9) : 0;
	size_t bytes = depth ? 2 * gt_basis_bytes(p->x, depth) + (depth * depth + 3) * sizeof(double) : 0;
	for (size_t i = 0; i < sizeof bases / sizeof *bases; i++)
		if (!strcmp(bases[i].solver, solver))
			bytes = bases[i].numbers * sizeof(double) +
			        (bases[i].of_data ? gt_basis_bytes(p->b[0], bases[i].of_data) : gt_basis_bytes(p->x, bases[i].of_volumes));
	return bytes;
}

/* Counters after the whole run, and the solver's memory in its last iteration. */
static gt_counters solve(const struct run *r, gt_type type, int dry, struct seen *held, size_t *volume, size_t *data, size_t *part)
{
	gt_backend *be = backend(dry);
	struct gt_test_problem p = gt_test_problem(be, type, SIDE, VIEWS, r->subsets);
	const gt_solver *s = gt_solver_find(r->solver);
	gt_penalty *R = NULL;
	void *options;
	ck_ok(gt_params_new(s->params, r->options, s->defaults, s->options_size, &options));
	p.problem.w = r->weights ? gt_test_weights(&p) : NULL;
	if (r->penalty)
		ck_ok(gt_regularizer_new(r->penalty, be, type, &p.grid, NULL, &R));
	p.problem.R = R;
	const size_t before = gt_test_counters(be).bytes;
	*held = (struct seen){ 0, 0 };
	ck_ok(gt_solve(s, &p.problem, options, p.x, &(gt_monitor){ .each = each, .self = held }));
	ck_assert_int_gt(held->calls, 0);
	held->bytes -= before;
	*volume = gt_array_bytes(p.x);
	*data = 0;
	*part = 0;
	held->bytes -= basis_bytes(r->solver, r->options, &p);
	for (size_t k = 0; k < r->subsets; k++) {
		const size_t bytes = gt_array_bytes(p.b[k]);
		*data += bytes;
		*part = bytes > *part ? bytes : *part;
	}
	ck_assert_uint_eq(gt_test_counters(be).bytes, before);
	gt_test_weights_free(&p, p.problem.w);
	free(options);
	gt_penalty_free(R);
	gt_test_problem_free(&p);
	return closed(be);
}

GT_TESTS(solvers_hold_what_they_state, 2 * RUNS)
{
	const struct run *r = &runs[_i / 2];
	const gt_type type = _i % 2 ? GT_F64 : GT_F32;
	struct seen real, stated;
	size_t volume, data, part;
	const gt_counters run = solve(r, type, 0, &real, &volume, &data, &part);
	const gt_counters dry_run = solve(r, type, 1, &stated, &volume, &data, &part);
	same_peak(r->solver, run, dry_run);
	ck_assert_uint_eq(dry_run.allocations, run.allocations);
	ck_assert_uint_eq(stated.bytes, real.bytes);
	const size_t arrays = ((size_t)r->volumes + (r->per_subset ? r->subsets : 0)) * volume + (size_t)r->data * data +
	                      (size_t)r->parts * part;
	ck_assert_msg(real.bytes == arrays, "%s:%s holds %zu bytes, its description says %zu", r->solver, r->options, real.bytes, arrays);
}

GT_TEST(all_solvers_are_here)
{
	for (const gt_solver *const *s = gt_solvers; *s; s++) {
		int found = 0;
		for (int i = 0; i < RUNS; i++)
			found |= !strcmp(runs[i].solver, (*s)->name);
		ck_assert_msg(found, "%s is not tried", (*s)->name);
	}
}

/* It holds padded slices in addition to volumes. */
GT_TESTS(ramp_holds_what_it_states, 2)
{
	const struct run r = { "pcg", "iterations=2,preconditioner=ramp", "huber", 1, _i, 0, 0, 0, 0 };
	struct seen real, stated;
	size_t volume, data, part;
	const gt_counters run = solve(&r, GT_F32, 0, &real, &volume, &data, &part);
	same_peak("ramp", run, solve(&r, GT_F32, 1, &stated, &volume, &data, &part));
}

static gt_counters project(const gt_projector *p, gt_type type, int dry, gt_status *st)
{
	gt_backend *be = backend(dry);
	struct gt_test_problem t = gt_test_problem(be, type, SIDE, VIEWS, 1);
	gt_linop *A = NULL;
	*st = gt_projector_new(p->name, be, type, &t.grid, t.scan, &A);
	if (*st == GT_OK) {
		gt_forward(A, t.x, t.b[0]);
		gt_adjoint(A, t.b[0], t.x);
		ck_ok(gt_backend_status(be));
	}
	gt_linop_free(A);
	gt_test_problem_free(&t);
	return closed(be);
}

GT_TESTS(projectors_rehearse, 2)
{
	const gt_type type = _i ? GT_F64 : GT_F32;
	for (const gt_projector *const *p = gt_projectors; *p; p++) {
		gt_status real, stated;
		const gt_counters run = project(*p, type, 0, &real), dry_run = project(*p, type, 1, &stated);
		ck_assert_int_eq(real, stated);
		same_peak((*p)->name, run, dry_run);
	}
}

/* Writes the spec; a prior image, if required, is a file that the caller removes. */
static void spec_of(const gt_regularizer *r, const gt_grid *grid, char *spec, size_t size, char path[64])
{
	gt_volume *v;
	snprintf(spec, size, "%s", r->name);
	for (const gt_param *p = r->params; p->key; p++)
		if (!strcmp(p->key, "prior")) {
			ck_ok(gt_volume_new(grid, &v));
			snprintf(path, 64, "/tmp/gantry-prior-%ld.nc", (long)getpid());
			ck_ok(gt_write_volume(path, NULL, v));
			gt_volume_free(v);
			snprintf(spec, size, "%s:prior=%s", r->name, path);
		}
}

static gt_counters penalise(const gt_regularizer *r, gt_type type, int dry)
{
	const gt_grid grid = { { 7, 9, 5 }, { 1, 1.5, 2 }, { 0, 0, 0 } };
	gt_backend *be = backend(dry);
	gt_array *x, *g, *kappa;
	gt_penalty *R = NULL;
	double slope, curvature;
	ck_ok(gt_array_new(be, type, gt_grid_voxels(&grid), &x));
	ck_ok(gt_array_like(x, &g));
	ck_ok(gt_array_like(x, &kappa));
	gt_fill(0.02, x);
	gt_fill(0, g);
	gt_fill(1, kappa);
	char spec[128], path[64] = "";
	spec_of(r, &grid, spec, sizeof spec, path);
	const gt_status st = gt_regularizer_new(spec, be, type, &grid, kappa, &R);
	ck_assert(st == GT_OK || st == GT_ERR_UNSUPPORTED);
	if (st == GT_ERR_UNSUPPORTED)
		ck_ok(gt_regularizer_new(spec, be, type, &grid, NULL, &R));
	unlink(path);
	gt_penalty_value(R, x);
	if (gt_penalty_has(R) & GT_HAS_GRADIENT)
		gt_penalty_gradient(R, x, g, NULL);
	if (gt_penalty_has(R) & GT_HAS_LINE)
		gt_penalty_line(R, x, g, 0, &slope, &curvature);
	if (gt_penalty_has(R) & GT_HAS_PROX)
		gt_penalty_prox(R, 1, -INFINITY, INFINITY, x, g); /* low-rank takes no bounds */
	ck_ok(gt_backend_status(be));
	gt_penalty_free(R);
	gt_array_free(x);
	gt_array_free(g);
	gt_array_free(kappa);
	return closed(be);
}

GT_TESTS(penalties_rehearse, 2)
{
	const gt_type type = _i ? GT_F64 : GT_F32;
	for (const gt_regularizer *const *r = gt_regularizers; *r; r++)
		same_peak((*r)->name, penalise(*r, type, 0), penalise(*r, type, 1));
}

static gt_counters direct(gt_type type, int dry)
{
	gt_backend *be = backend(dry);
	struct gt_test_problem t = gt_test_problem(be, type, SIDE, 3 * VIEWS, 1);
	ck_ok(gt_analytic_run(gt_analytic_for(t.scan), be, &t.grid, t.scan, NULL, t.b[0], t.x));
	gt_test_problem_free(&t);
	return closed(be);
}

GT_TESTS(direct_methods_rehearse, 2)
{
	const gt_type type = _i ? GT_F64 : GT_F32;
	same_peak("direct", direct(type, 0), direct(type, 1));
}

/* A dry run may exceed the memory of any device; arrays are neither read nor written. */
GT_TEST(rehearsals_need_no_memory)
{
	gt_backend *be = gt_test_backend();
	gt_array *a, *b;
	size_t available, total, left;
	ck_ok(gt_array_new(be, GT_F32, 3, &a));
	ck_refused(gt_backend_dry_run(be), GT_ERR_ARG, "12 bytes");
	gt_array_free(a);
	ck_ok(gt_backend_dry_run(be));
	gt_backend_memory(be, &available, &total);
	ck_ok(gt_array_new(be, GT_F64, total, &a));
	ck_ok(gt_array_new(be, GT_F64, total, &b));
	ck_assert_uint_eq(gt_test_counters(be).peak_bytes, 16 * total);
	gt_backend_memory(be, &left, &total);
	ck_assert_uint_eq(left, 0);
	gt_fill(2, a);
	gt_axpy(3, a, b);
	ck_assert_double_eq(gt_dot(a, b), 1);
	double host = 5;
	gt_array_get(a, &host);
	ck_assert_double_eq(host, 5);
	ck_ok(gt_backend_status(be));
	gt_array_free(a);
	gt_array_free(b);
	ck_assert_uint_eq(gt_test_counters(be).bytes, 0);
	gt_backend_close(be);
}

int main(void) { return gt_test_main("memory_stated", NULL); }
