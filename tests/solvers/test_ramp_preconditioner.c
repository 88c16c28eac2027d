/* The ramp preconditioner of pcg: symmetric, positive definite, equal on all backends. It gives the same minimum in
 * fewer iterations, without allocation or transfer; refusals.
 * labels: property slow */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/analytic.h>
#include <gantry/projector.h>
#include <gantry/regularizer.h>
#include "solvers/circulant_preconditioner.h"
#include "tests/support/geometries.h"
#include "tests/support/head.h"
#include "tests/support/images.h"
#include "tests/support/support.h"

/* A weighted problem of random data on a small odd geometry. */
struct small {
	gt_backend *be;
	gt_grid grid;
	gt_linop *A;
	gt_array *b, *w, *x, *g, *z, *r;
	gt_penalty *R;
	gt_problem p;
};

static struct small *small(gt_backend *be, gt_type type, int geometry, const char *penalty, int weighted)
{
	struct small *s = calloc(1, sizeof *s);
	struct gt_test_geometry t = gt_test_geometry(geometry);
	s->be = be;
	s->grid = t.grid;
	ck_ok(gt_projector_new("dd", be, type, &t.grid, t.scan, &s->A));
	s->b = gt_test_array(be, type, gt_scan_size(t.scan), 2);
	s->w = gt_test_array(be, type, gt_scan_size(t.scan), 3);
	s->x = gt_test_array(be, type, gt_grid_voxels(&t.grid), 4);
	gt_clamp(0, 1, s->w); /* half of the rays have weight 0 */
	ck_ok(gt_array_like(s->x, &s->g));
	ck_ok(gt_array_like(s->x, &s->z));
	ck_ok(gt_array_like(s->b, &s->r));
	if (penalty)
		ck_ok(gt_regularizer_new(penalty, be, type, &t.grid, NULL, &s->R));
	s->p = (gt_problem){ .subsets = 1,
		             .A = &s->A,
		             .b = &s->b,
		             .w = weighted ? &s->w : NULL,
		             .R = s->R,
		             .n = { s->grid.n[0], s->grid.n[1], s->grid.n[2] },
		             .lo = -INFINITY,
		             .hi = INFINITY };
	gt_scan_free(t.scan);
	return s;
}

static void small_free(struct small *s)
{
	gt_linop_free(s->A);
	gt_array_free(s->b);
	gt_array_free(s->w);
	gt_array_free(s->x);
	gt_array_free(s->g);
	gt_array_free(s->z);
	gt_array_free(s->r);
	gt_penalty_free(s->R);
	free(s);
}

static const struct {
	int geometry, weighted;
	const char *penalty;
} cases[] = { { 0, 1, "huber:strength=30,delta=5HU" },
	      { 0, 0, NULL },
	      { 1, 1, "qggmrf:strength=3,c=10HU,p=1.8,neighbours=6" },
	      { 3, 1, NULL },
	      { 5, 0, "quadratic:strength=1e4" },
	      { 6, 1, "tv:strength=1e-3" } };
enum { CASES = sizeof cases / sizeof *cases, VECTORS = 4 };

GT_TESTS(symmetric_and_positive_definite, 2 * CASES)
{
	const gt_type type = _i / CASES ? GT_F64 : GT_F32;
	const int c = _i % CASES;
	const double limit = type == GT_F32 ? 1e-5 : 1e-12;
	gt_backend *be = gt_test_backend();
	struct small *s = small(be, type, cases[c].geometry, cases[c].penalty, cases[c].weighted);
	gt_circulant *m = NULL;
	gt_array *u[VECTORS], *Mu[VECTORS];
	ck_ok(gt_circulant_new("test", &s->p, s->r, s->g, s->z, &m));
	for (int i = 0; i < VECTORS; i++) {
		u[i] = gt_test_array(be, type, gt_array_size(s->x), 10 + (unsigned)i);
		if (i == 1) /* smooth: the minimum of the response */
			gt_fill(1, u[i]);
		if (i == 2) { /* a corner */
			gt_array *one = NULL;
			gt_fill(0, u[i]);
			ck_ok(gt_array_part(u[i], gt_array_size(u[i]) - 1, 1, &one));
			gt_fill(1, one);
			gt_array_free(one);
		}
		ck_ok(gt_array_like(s->x, &Mu[i]));
		gt_circulant_apply(m, u[i], Mu[i]);
	}
	for (int i = 0; i < VECTORS; i++)
		for (int j = 0; j < VECTORS; j++) {
			const double a = gt_dot(u[i], Mu[j]), b = gt_dot(Mu[i], u[j]);
			const double size = sqrt(gt_dot(u[i], u[i]) * gt_dot(Mu[j], Mu[j])) +
			                    sqrt(gt_dot(Mu[i], Mu[i]) * gt_dot(u[j], u[j]));
			ck_assert_msg(fabs(a - b) <= limit * size, "case %d: <u%d, M u%d> = %.9g, <M u%d, u%d> = %.9g", c, i, j, a, i, j,
			              b);
			if (i == j)
				ck_assert_msg(a > 10 * limit * size || a > 0.01 * sqrt(gt_dot(u[i], u[i]) * gt_dot(Mu[i], Mu[i])),
				              "case %d: <u%d, M u%d> = %.9g", c, i, i, a);
		}
	ck_ok(gt_backend_status(be));
	for (int i = 0; i < VECTORS; i++) {
		gt_array_free(u[i]);
		gt_array_free(Mu[i]);
	}
	gt_circulant_free(m);
	small_free(s);
	gt_backend_close(be);
}

static double *applied(gt_backend *be, gt_type type)
{
	struct small *s = small(be, type, 0, "huber:strength=30,delta=5HU", 1);
	gt_circulant *m = NULL;
	ck_ok(gt_circulant_new("test", &s->p, s->r, s->g, s->z, &m));
	gt_circulant_apply(m, s->x, s->z);
	double *values = gt_test_values(s->z);
	ck_ok(gt_backend_status(be));
	gt_circulant_free(m);
	small_free(s);
	return values;
}

GT_TEST(same_everywhere)
{
	gt_backend *be = gt_test_backend(), *cpu = NULL;
	const size_t n = 11 * 13 * 9;
	ck_ok(gt_backend_open("cpu:2", &cpu));
	double *truth = applied(cpu, GT_F64), *single = applied(be, GT_F32), *precise = applied(be, GT_F64);
	ck_assert_double_lt(gt_test_off(single, truth, n), 2e-5);
	ck_assert_double_lt(gt_test_off(precise, truth, n), 1e-6); /* voxel weights are stored in single precision */
	free(truth), free(single), free(precise);
	gt_backend_close(cpu);
	gt_backend_close(be);
}

/* Convergence of a run towards a volume, and its use of the backend. */
struct watch {
	const struct gt_test_head *h;
	const double *near; /* NULL: not requested */
	int iterations, reached;
	gt_counters first, last;
};

static int see(void *self, const gt_progress *p)
{
	struct watch *w = self;
	w->iterations = p->iteration;
	if (w->near && !w->reached && gt_test_head_difference(w->h, p->x, w->near) < 1)
		w->reached = p->iteration;
	w->last = gt_test_counters(gt_array_backend(p->x));
	if (p->iteration == 1)
		w->first = w->last;
	return w->reached > 0;
}

static void run(struct gt_test_head *h, const gt_array *start, int iterations, const char *preconditioner, struct watch *w)
{
	char text[80];
	void *o = NULL;
	const gt_solver *s = gt_solver_find("pcg");
	snprintf(text, sizeof text, "iterations=%d,preconditioner=%s", iterations, preconditioner);
	ck_ok(gt_params_new(s->params, text, s->defaults, s->options_size, &o));
	gt_copy(start, h->x);
	const gt_status st = gt_solve(s, &h->problem, o, h->x, &(gt_monitor){ .each = see, .self = w });
	ck_assert_msg(st == GT_OK || (st == GT_STOPPED && w->reached), "%s: %s", text, gt_error());
	free(o);
}

/* Iterations to within 1 HU of the minimum from the direct method's image: a third of those with the diagonal. The
 * gain grows with the volume, which is smaller on the CPU. */
static const struct {
	size_t side, slices, coarse;
	double gain;
	const char *penalty[2];
} sizes[] = { { 32, 3, 16, 1.5, { "qggmrf:strength=600,c=10HU", "huber:strength=600,delta=10HU" } },
	      { 128, 8, 4, 3, { "qggmrf:strength=150,c=10HU", "huber:strength=150,delta=10HU" } } };

GT_TESTS(a_third_of_the_iterations, 2)
{
	gt_backend *be = gt_test_backend();
	const int size = gt_backend_is_gpu(be);
	const char *penalty = sizes[size].penalty[_i];
	struct gt_test_head *h = gt_test_head(be, GT_F32, sizes[size].side, sizes[size].slices, sizes[size].coarse, 1, 1e5);
	gt_penalty *R = NULL;
	gt_array *start = NULL;
	ck_ok(gt_regularizer_new(penalty, be, GT_F32, &h->grid, NULL, &R));
	h->problem.R = R;
	ck_ok(gt_array_like(h->x, &start));
	ck_ok(gt_analytic_run(gt_analytic_for(h->scan), be, &h->grid, h->scan, NULL, h->b[0], start));
	struct watch whole = { .h = h };
	run(h, start, 300, "ramp", &whole);
	double *minimum = gt_test_values(h->x);
	struct watch ramp = { .h = h, .near = minimum }, diagonal = ramp;
	run(h, start, 300, "ramp", &ramp);
	run(h, start, 900, "diagonal", &diagonal);
	printf("%s: within 1 HU after %d iterations with ramp, %d with diagonal\n", penalty, ramp.reached, diagonal.reached);
	ck_assert(ramp.reached > 0 && diagonal.reached > 0);
	ck_assert_double_le(sizes[size].gain * ramp.reached, diagonal.reached);
	free(minimum);
	gt_array_free(start);
	gt_penalty_free(R);
	gt_test_head_free(h);
	gt_backend_close(be);
}

GT_TEST(stays_on_the_device)
{
	gt_backend *be = gt_test_backend();
	struct gt_test_head *h = gt_test_head(be, GT_F32, 24, 2, 16, 1, 1e5);
	gt_penalty *R = NULL;
	gt_array *start = NULL;
	ck_ok(gt_regularizer_new("huber:strength=300,delta=10HU", be, GT_F32, &h->grid, NULL, &R));
	h->problem.R = R;
	ck_ok(gt_array_like(h->x, &start));
	gt_fill(0, start);
	struct watch w = { .h = h };
	run(h, start, 24, "ramp", &w); /* four adaptations, one recomputation of A x */
	ck_assert_int_eq(w.iterations, 24);
	ck_assert_uint_eq(w.last.allocations, w.first.allocations);
	ck_assert_uint_eq(w.last.puts, w.first.puts);
	ck_assert_uint_eq(w.last.gets, w.first.gets);
	gt_array_free(start);
	gt_penalty_free(R);
	gt_test_head_free(h);
	gt_backend_close(be);
}

GT_TEST(refusals)
{
	gt_backend *be = gt_test_backend();
	struct small *s = small(be, GT_F32, 0, "huber:strength=30,delta=5HU", 1);
	gt_circulant *m = NULL;
	s->p.n[0] = 0;
	ck_refused(gt_circulant_new("pcg", &s->p, s->r, s->g, s->z, &m), GT_ERR_ARG,
	           "solver 'pcg': preconditioner=ramp filters the slices");
	s->p.n[0] = s->grid.n[0];
	s->p.n[1]++;
	ck_refused(gt_circulant_new("pcg", &s->p, s->r, s->g, s->z, &m), GT_ERR_ARG, "the grid has 1386 voxels, the volume 1287");
	ck_assert_ptr_null(m);
	small_free(s);
	gt_backend_close(be);
}

int main(void) { return gt_test_main("ramp_preconditioner", NULL); }
