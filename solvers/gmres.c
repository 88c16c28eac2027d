/* Minimal residuals for a projector A and any backprojector B, which need be no transposes: Hansen, Hayami and
 * Morikuni, J. Comput. Appl. Math. 413 (2022) 114352; Hayami, Yin and Ito, SIAM J. Matrix Anal. Appl. 31 (2010) 2400.
 *   ab-gmres: least |b - A B u| over u in the Krylov space of A B, x = B u. |b - A x| never rises. Basis: steps + 1
 *     arrays like the data.
 *   ba-gmres: least |B (b - A x)| over x in the Krylov space of B A. |B (b - A x)| never rises. Basis: steps + 1
 *     volumes.
 * An iteration is a cycle of `steps` steps, after which both begin anew from the volume that they found: one forward
 * and one back for each step, and for ab-gmres one back, for both one forward and for ba-gmres one back beside.
 * Beside x and the basis: 1 volume (ab), 1 array like the data (ba). Reductions in an iteration: 3 for each step and
 * 2 others. */
#include <math.h>
#include <stdio.h>
#include "core/try.h"
#include "solvers/krylov/arnoldi.h"

struct options {
	int iterations, steps;
	double tolerance;
};
static const struct options defaults = { .iterations = 2, .steps = 10 };
#define AT(field) .at = offsetof(struct options, field)
static const gt_param params[] = {
	{ .key = "iterations", .help = "cycles, each of `steps` steps", .kind = GT_INT, AT(iterations), .least = 0, .most = 1e6 },
	{ .key = "steps",
	  .help = "steps of a cycle: a forward and a back projection each, and a vector that is kept",
	  .kind = GT_INT,
	  AT(steps),
	  .least = 1,
	  .most = 500 },
	{ .key = "tolerance", .help = "stop when what falls has fallen by this factor", .kind = GT_REAL, AT(tolerance), .most = 1 },
	{ .key = NULL },
};

struct state {
	const gt_problem *p;
	const char *name;
	int ab;           /* or ba */
	gt_arnoldi space; /* of data, or of volumes */
	gt_array *t;      /* a volume, or an array like the data */
	double first;     /* what falls, at the start */
};

/* Vector 0 = b - A x, or B of it; *residual = |b - A x|. Returns what falls, |vector 0|. */
static double begin(struct state *s, const gt_array *x, double *residual)
{
	gt_array *start = gt_basis_vector(s->space.V, 0), *r = s->ab ? start : s->t;
	gt_forward(s->p->A[0], x, r);
	gt_xpay(s->p->b[0], -1, r);
	gt_dot_async(r, r, residual);
	if (!s->ab)
		gt_adjoint(s->p->A[0], r, start);
	const double size = gt_arnoldi_start(&s->space);
	*residual = sqrt(*residual);
	return size;
}

/* *moved: |x - x before|^2, there after the next wait. */
static void cycle(struct state *s, int steps, double stop, double left, gt_array *x, double *moved)
{
	gt_arnoldi *a = &s->space;
	const gt_linop *A = s->p->A[0];
	for (int j = 0; j < steps && left > stop; j++) {
		gt_array *v = gt_basis_vector(a->V, a->k), *next = gt_basis_vector(a->V, a->k + 1);
		if (s->ab) {
			gt_adjoint(A, v, s->t);
			gt_forward(A, s->t, next);
		} else {
			gt_forward(A, v, s->t);
			gt_adjoint(A, s->t, next);
		}
		left = gt_arnoldi_step(a);
	}
	if (!s->ab) {
		*moved = gt_arnoldi_add(a, x);
		return;
	}
	gt_array *u = gt_basis_vector(a->V, a->k); /* no step needs it any more */
	gt_fill(0, u);
	gt_arnoldi_add(a, u);
	gt_adjoint(A, u, s->t);
	gt_dot_async(s->t, s->t, moved);
	gt_axpy(1, s->t, x);
}

static gt_status run_one(struct state *s, const struct options *o, gt_array *x, const gt_monitor *m)
{
	char who[32];
	gt_status st = GT_OK;
	int done = 0;
	double residual;
	snprintf(who, sizeof who, "solver '%s'", s->name);
	GT_TRY(gt_arnoldi_new(who, s->ab ? s->p->b[0] : x, (size_t)o->steps, &s->space));
	GT_TRY(gt_array_like(s->ab ? x : s->p->b[0], &s->t));
	double left = s->first = begin(s, x, &residual);
	const gt_state_entry kept[] = { { "x", x, NULL }, { "first", NULL, &s->first }, { NULL, NULL, NULL } };
	GT_TRY(gt_resume(m, kept, &done));
	if (done)
		left = begin(s, x, &residual);
	for (int k = done + 1; k <= o->iterations && left > o->tolerance * s->first; k++) {
		double moved;
		gt_progress g;
		gt_progress_of(k, o->iterations, x, &g);
		cycle(s, o->steps, o->tolerance * s->first, left, x, &moved);
		left = begin(s, x, &g.residual);
		g.cost = g.data = 0.5 * g.residual * g.residual;
		g.penalty = 0;
		g.change = sqrt(moved / (double)gt_array_size(x));
		g.gradient = s->ab ? NAN : left;
		g.kept = kept;
		GT_TRY(gt_report(m, &g));
	}
	if (!isfinite(left))
		st = gt_fail(GT_ERR_DIVERGED, "%s diverged: its residual is not finite", who);
done:
	gt_arnoldi_free(&s->space);
	gt_array_free(s->t);
	return st;
}

static gt_status run_ab(const gt_problem *p, const void *options, gt_array *x, const gt_monitor *m)
{
	return run_one(&(struct state){ .p = p, .name = "ab-gmres", .ab = 1 }, options, x, m);
}

static gt_status run_ba(const gt_problem *p, const void *options, gt_array *x, const gt_monitor *m)
{
	return run_one(&(struct state){ .p = p, .name = "ba-gmres" }, options, x, m);
}

#define GMRES(which, about_)                                                           \
	const gt_solver gt_solver_##which##_gmres = { .name = #which "-gmres",         \
		                                      .about = about_,                 \
		                                      .params = params,                \
		                                      .defaults = &defaults,           \
		                                      .options_size = sizeof defaults, \
		                                      .run = run_##which }
GMRES(ab, "least residual with a backprojector that is no transpose, as dd-bl: a basis of data (Hansen, Hayami, Morikuni 2022)");
GMRES(ba, "the same with a basis of volumes, where these are smaller than the data; least B(b - A x) (the same)");
