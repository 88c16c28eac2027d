/* Penalised weighted least squares by preconditioned conjugate gradients, for penalties that need not be quadratic:
 * directions of steps/conjugate.h, line searches of steps/line_step.h.
 *
 * Operators per iteration: one forward and one adjoint. Memory: 3 volumes in addition to x, 1 more with the diagonal,
 * 2 with ramp (and its padded slices); 2 arrays as large as the data.
 * Reductions per iteration: 7 (8 if A x is recomputed), and those of the penalty: its value, and at most `line`
 * slopes with curvatures. */
#include <math.h>
#include "core/try.h"
#include "solvers/steps/options.h"
#include "solvers/pwls.h"
#include "solvers/steps/conjugate.h"
#include "solvers/steps/line_step.h"

enum { REFRESH = 20 }; /* iterations between recomputations of A x, which limit accumulated rounding */

struct options {
	int iterations, line, preconditioner;
	double tolerance;
};
static const struct options defaults = { .iterations = 50, .line = 3, .preconditioner = GT_PRECONDITION_DIAGONAL, .tolerance = 0 };
static const gt_param params[] = {
	OPTION_INT(iterations, "largest number of iterations", 0, 1e6),
	OPTION_CHOICE(preconditioner,
	              "approximate inverse of the second derivatives. diagonal: inverse of a diagonal majorizer; ramp: filters of slices",
	              gt_preconditioner_names),
	OPTION_INT(line, "parabolas of the line search per step, at most", 1, 100),
	OPTION_REAL(tolerance, "stop when the norm of the gradient has fallen by this factor", 0, 1),
	{ .key = NULL },
};

struct state {
	const gt_problem *p;
	const struct options *o;
	gt_line_step at;
	gt_conjugate to;
	double penalty, dd, first; /* at x; <d,d>; |g| before the first iteration */
	const gt_state_entry *kept;
};

/* If anew is 1, z receives the curvatures of the penalty. */
static void gradient(struct state *s, int anew)
{
	gt_adjoint(s->p->A[0], s->at.r, s->to.g);
	if (anew)
		gt_fill(0, s->to.z);
	gt_penalty_gradient(s->p->R, s->at.x, s->to.g, anew ? s->to.z : NULL);
	gt_penalty_value_async(s->p->R, s->at.x, &s->penalty);
}

static gt_status prepare(struct state *s)
{
	gt_status st = GT_OK;
	GT_TRY(gt_pwls_needs("pcg", s->p->R, GT_HAS_GRADIENT | GT_HAS_LINE));
	GT_TRY(gt_array_like(s->at.x, &s->to.g));
	GT_TRY(gt_array_like(s->at.x, &s->to.z));
	GT_TRY(gt_array_like(s->at.x, &s->to.d));
	GT_TRY(gt_array_like(s->p->b[0], &s->at.r));
	GT_TRY(gt_array_like(s->p->b[0], &s->at.q));
	GT_TRY(gt_preconditioner_new("pcg", (enum gt_preconditioner_kind)s->o->preconditioner, s->p, s->at.q, s->to.g, s->to.z, &s->to.m));
	gt_line_step_begin(&s->at);
	gradient(s, 0);
	gt_conjugate_begin(&s->to);
done:
	return st;
}

static gt_progress progress(const struct state *s, int k, double step, double norm)
{
	gt_progress g;
	gt_progress_of(k, s->o->iterations, s->at.x, &g);
	g.kept = s->kept;
	g.data = s->at.data;
	g.penalty = s->penalty;
	g.cost = s->at.data + s->penalty;
	g.gradient = norm;
	g.change = fabs(step) * sqrt(s->dd / (double)gt_array_size(s->at.x));
	if (!s->p->w)
		g.residual = sqrt(fmax(0, 2 * s->at.data));
	return g;
}

/* Recomputes gradients from x and its residual. */
static gt_status resume(struct state *s, const gt_monitor *m, int *done)
{
	const gt_status st = gt_resume(m, s->kept, done);
	if (st == GT_OK && *done) {
		gt_preconditioner_resume(&s->to.m);
		gradient(s, 0);
		gt_conjugate_resume(&s->to);
	}
	return st;
}

static gt_status iterate(struct state *s, const gt_monitor *m)
{
	gt_status st = GT_OK;
	int done;
	s->first = sqrt(gt_dot(s->to.g, s->to.g));
	GT_TRY(resume(s, m, &done));
	double norm = sqrt(gt_dot(s->to.g, s->to.g));
	const double stop = s->o->tolerance * s->first;
	for (int k = done + 1; k <= s->o->iterations && norm > stop && s->to.gz > 0; k++) {
		const int anew = gt_preconditioner_adapts(&s->to.m, k);
		gt_dot_async(s->to.d, s->to.d, &s->dd);
		const double step = gt_line_step_move(&s->at, s->to.d, k % REFRESH == 0);
		gradient(s, anew);
		norm = gt_conjugate_turn(&s->to, anew);
		const gt_progress g = progress(s, k, step, norm);
		if (!isfinite(g.cost) || !isfinite(norm))
			return gt_fail(GT_ERR_DIVERGED, "solver 'pcg' diverged: its cost is not finite after iteration %d", k);
		GT_TRY(gt_report(m, &g));
	}
	if (!isfinite(norm))
		st = gt_fail(GT_ERR_DIVERGED, "solver 'pcg' diverged: its gradient is not finite");
done:
	return st;
}

static gt_status run(const gt_problem *p, const void *options, gt_array *x, const gt_monitor *m)
{
	struct state s = { .p = p, .o = options };
	s.at = (gt_line_step){ .p = p, .parabolas = s.o->line, .x = x };
	gt_status st = prepare(&s);
	gt_state_entry kept[5 + GT_CIRCULANT_STATE + 1] = { { "x", x, NULL },
		                                            { "residual", s.at.r, NULL },
		                                            { "direction", s.to.d, NULL },
		                                            { "data", NULL, &s.at.data },
		                                            { "first", NULL, &s.first } };
	if (st == GT_OK)
		gt_preconditioner_kept(&s.to.m, kept + 5);
	s.kept = kept;
	if (st == GT_OK)
		st = iterate(&s, m);
	gt_array *const own[] = { s.to.g, s.to.z, s.to.d, s.at.r, s.at.q };
	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		gt_array_free(own[i]);
	gt_preconditioner_free(&s.to.m);
	return st;
}

const gt_solver gt_solver_pcg = {
	.name = "pcg",
	.about = "preconditioned conjugate gradients: exact minimum with a smooth penalty in the fewest iterations (Fessler, Booth 1999)",
	.traits = GT_SUPPORTS_TEAM | GT_SUPPORTS_WEIGHTS | GT_SUPPORTS_GRADIENT | GT_SUPPORTS_LINE,
	.params = params,
	.defaults = &defaults,
	.options_size = sizeof defaults,
	.run = run,
};
