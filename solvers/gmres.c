/* GMRES for a projector A and an unmatched backprojector B: Hansen, Hayami and Morikuni, J. Comput. Appl. Math. 413
 * (2022) 114352; Hayami, Yin and Ito, SIAM J. Matrix Anal. Appl. 31 (2010) 2400.
 *    ab-gmres: minimises |b - A B u| over u in the Krylov space of A B, x = B u. |b - A x| never rises. Basis: steps + 1
 *      arrays like the data.
 *    ba-gmres: minimises |B (b - A x)| over x in the Krylov space of B A. |B (b - A x)| never rises. Basis: steps + 1
 *      volumes.
 * Weights of the data act as an inner product: ab-gmres minimises |W^1/2 (b - A B W^1/2 u)| with x = B W^1/2 u, and
 * ba-gmres |B W (b - A x)|.
 * An iteration is a restart cycle of `steps` steps. Operators: one forward and one back per step; ab-gmres adds one
 * forward and one back, ba-gmres likewise.
 * Memory in addition to x and the basis: 1 volume (ab), and with weights their root; 1 array like the data (ba).
 * Reductions per iteration: 3 per step and 2. */
#include <math.h>
#include <stdio.h>
#include "core/try.h"
#include "solvers/krylov/two_ways.h"
#include "solvers/steps/options.h"

struct options {
	int iterations, steps;
	double tolerance;
};
static const struct options defaults = { .iterations = 2, .steps = 10 };
static const gt_param params[] = {
	OPTION_INT(iterations, "cycles, each of `steps` steps", 0, 1e6),
	OPTION_INT(steps, "steps of a cycle: a forward and a back projection each, and a vector that is kept", 1, 500),
	OPTION_REAL(tolerance, "stop when what falls has fallen by this factor", 0, 1),
	{ .key = NULL },
};

/* Computes the root of the weights; NULL if none is needed. */
static gt_status make_root(gt_two_ways *s)
{
	gt_status st = GT_OK;
	if (!s->ab || !s->p->w)
		return GT_OK;
	GT_TRY(gt_array_like(s->p->w[0], &s->root));
	gt_copy(s->p->w[0], s->root);
	gt_pow(0.5, s->root);
done:
	return st;
}

static gt_status run_one(gt_two_ways *s, const struct options *o, gt_array *x, const gt_monitor *m)
{
	char who[32];
	gt_status st = GT_OK;
	int done = 0;
	double squares;
	snprintf(who, sizeof who, "solver '%s'", s->name);
	GT_TRY(gt_arnoldi_new(who, s->ab ? s->p->b[0] : x, (size_t)o->steps, &s->space));
	GT_TRY(gt_array_like(s->ab ? x : s->p->b[0], &s->t));
	GT_TRY(make_root(s));
	double left = s->first = gt_two_ways_begin(s, x, &squares);
	const gt_state_entry kept[] = { { "x", x, NULL }, { "first", NULL, &s->first }, { NULL, NULL, NULL } };
	GT_TRY(gt_resume(m, kept, &done));
	if (done)
		left = gt_two_ways_begin(s, x, &squares);
	for (int k = done + 1; k <= o->iterations && left > o->tolerance * s->first; k++) {
		double moved;
		gt_progress g;
		gt_progress_of(k, o->iterations, x, &g);
		gt_two_ways_cycle(s, o->steps, o->tolerance * s->first, left, x, &moved);
		left = gt_two_ways_begin(s, x, &squares);
		g.residual = s->p->w ? NAN : sqrt(squares);
		g.cost = g.data = squares / 2;
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
	gt_array_free(s->root);
	return st;
}

static gt_status run_ab(const gt_problem *p, const void *options, gt_array *x, const gt_monitor *m)
{
	return run_one(&(gt_two_ways){ .p = p, .name = "ab-gmres", .ab = 1 }, options, x, m);
}

static gt_status run_ba(const gt_problem *p, const void *options, gt_array *x, const gt_monitor *m)
{
	return run_one(&(gt_two_ways){ .p = p, .name = "ba-gmres" }, options, x, m);
}

#define GMRES(which, about_)                                                                                                         \
	const gt_solver gt_solver_##which##_gmres = { .name = #which "-gmres",                                                       \
		                                      .about = about_,                                                               \
		                                      .traits = GT_SUPPORTS_TEAM | GT_SUPPORTS_WEIGHTS | GT_AMPLIFIES_INCONSISTENCY, \
		                                      .params = params,                                                              \
		                                      .defaults = &defaults,                                                         \
		                                      .options_size = sizeof defaults,                                               \
		                                      .run = run_##which }
GMRES(ab, "minimises the residual with an unmatched backprojector such as dd-bl; Krylov basis of data (Hansen, Hayami, Morikuni 2022)");
GMRES(ba, "ab-gmres with a basis of volumes, which may be smaller than the data; minimises B(b - A x) (Hansen et al. 2022)");
