/* Penalised weighted least squares by preconditioned conjugate gradients, for penalties that need not be quadratic: Polak and
 * Ribiere's directions, not below 0 and down the hill; steps along them by minimising parabolas that lie above the cost
 * (Fessler and Booth, IEEE Trans. Image Process. 8 (1999) 688), so that it never rises.
 *
 * One forward and one adjoint per iteration. Beside x: 3 volumes, with a preconditioner 1 more (diagonal) or 2 (ramp; and its
 * padded slices); beside data and weights: 2 arrays as large as these. Reductions in an iteration: 7 (8 where A x is computed afresh), and those of the penalty:
 * its value, and at most `line` slopes with curvatures. */
#include <math.h>
#include "core/try.h"
#include "solvers/circulant_preconditioner.h"
#include "solvers/pwls.h"

enum { REFRESH = 20 }; /* iterations after which A x is computed afresh instead of updated: rounding adds up */
enum { ADAPT = 4 };    /* after that iteration, and twice as many and so on, the ramp follows the curvature of the penalty */
enum kind { NONE, DIAGONAL, RAMP };
static const char *const kinds[] = { "none", "diagonal", "ramp", NULL };

struct options {
	int iterations, line, preconditioner;
	double tolerance;
};
static const struct options defaults = { .iterations = 50, .line = 3, .preconditioner = DIAGONAL, .tolerance = 0 };
#define AT(field) offsetof(struct options, field)
static const gt_param params[] = {
	{ .key = "iterations", .help = "largest number of iterations", .kind = GT_INT, .at = AT(iterations), .least = 0, .most = 1e6 },
	{ .key = "preconditioner",
	  .help = "approximate inverse of the second derivatives. diagonal: inverse of a diagonal majorizer; ramp: filters of slices",
	  .kind = GT_CHOICE,
	  .at = AT(preconditioner),
	  .names = kinds },
	{ .key = "line",
	  .help = "parabolas of the line search per step, at most",
	  .kind = GT_INT,
	  .at = AT(line),
	  .least = 1,
	  .most = 100 },
	{ .key = "tolerance",
	  .help = "stop when the norm of the gradient has fallen by this factor",
	  .kind = GT_REAL,
	  .at = AT(tolerance),
	  .least = 0,
	  .most = 1 },
	{ .key = NULL },
};

struct state {
	const gt_problem *p;
	const struct options *o;
	gt_array *x;
	gt_array *g, *z, *d, *m; /* gradient, preconditioned gradient, direction, diagonal */
	gt_array *r, *q;         /* W (A x - b), A d or W A d */
	gt_circulant *ramp;
	double data, penalty; /* at x */
	double gz, dd;        /* <g,z>, <d,d> */
	double first;         /* |g| before the first iteration */
	const gt_state_entry *kept;
};

/* z = M g. M is symmetric and positive definite, and the same since the last direction that began anew. */
static void precondition(const struct state *s)
{
	if (s->ramp) {
		gt_circulant_apply(s->ramp, s->g, s->z);
		return;
	}
	gt_copy(s->g, s->z);
	if (s->m)
		gt_mul(s->m, s->z);
}

static gt_status make_preconditioner(struct state *s)
{
	gt_status st = GT_OK;
	if (s->o->preconditioner == RAMP)
		return gt_circulant_new("pcg", s->p, s->q, s->g, s->z, &s->ramp);
	if (s->o->preconditioner == NONE)
		return GT_OK;
	GT_TRY(gt_array_like(s->x, &s->m));
	gt_pwls_denominator(s->p, &s->q, NULL, s->z, s->m);
	gt_penalty_majorize(s->p->R, s->m);
	gt_reciprocal(gt_pwls_threshold(s->m), s->m);
done:
	return st;
}

static int adapts(const struct state *s, int iteration)
{
	return s->ramp && gt_circulant_adapts(s->ramp) && iteration >= ADAPT && (iteration & (iteration - 1)) == 0;
}

/* If anew, z becomes the curvatures of the penalty. */
static void gradient(struct state *s, int anew)
{
	gt_adjoint(s->p->A[0], s->r, s->g);
	if (anew)
		gt_fill(0, s->z);
	gt_penalty_gradient(s->p->R, s->x, s->g, anew ? s->z : NULL);
	gt_penalty_value_async(s->p->R, s->x, &s->penalty);
}

static gt_status prepare(struct state *s)
{
	gt_status st = GT_OK;
	GT_TRY(gt_pwls_needs("pcg", s->p->R, GT_HAS_GRADIENT | GT_HAS_LINE));
	GT_TRY(gt_array_like(s->x, &s->g));
	GT_TRY(gt_array_like(s->x, &s->z));
	GT_TRY(gt_array_like(s->x, &s->d));
	GT_TRY(gt_array_like(s->p->b[0], &s->r));
	GT_TRY(gt_array_like(s->p->b[0], &s->q));
	GT_TRY(make_preconditioner(s));
	s->data = gt_pwls_residual(s->p, 0, s->x, s->r);
	gradient(s, 0);
	precondition(s);
	gt_copy(s->z, s->d);
	gt_scale(-1, s->d);
	s->gz = gt_dot(s->g, s->z);
done:
	return st;
}

/* The step along d. first, second: derivatives of the data term in it, at 0. */
static double search(const struct state *s, double first, double second)
{
	double a = 0;
	for (int i = 0; i < s->o->line; i++) {
		double slope, curvature;
		gt_penalty_line(s->p->R, s->x, s->d, a, &slope, &curvature);
		slope += first + a * second;
		curvature += second;
		const double step = curvature > 0 ? slope / curvature : 0;
		a -= step;
		if (!s->p->R || !(fabs(step) > 1e-6 * fabs(a)))
			break;
	}
	return a;
}

/* x, its residual and data term a step further; returns the step. */
static double move(struct state *s, int iteration)
{
	gt_forward(s->p->A[0], s->d, s->q);
	double first, second;
	gt_dot_async(s->q, s->r, &first);
	if (s->p->w)
		gt_weighted_norm2_async(s->q, s->p->w[0], &second);
	else
		gt_dot_async(s->q, s->q, &second);
	gt_reductions_wait(gt_array_backend(s->x));
	const double a = search(s, first, second);
	gt_axpy(a, s->d, s->x);
	if (iteration % REFRESH == 0) {
		s->data = gt_pwls_residual(s->p, 0, s->x, s->r);
		return a;
	}
	if (s->p->w)
		gt_mul(s->p->w[0], s->q);
	gt_axpy(a, s->q, s->r);
	s->data += a * (first + 0.5 * a * second);
	return a;
}

/* The next direction, from the gradient at the new x; returns that gradient's norm. */
static double turn(struct state *s, int anew)
{
	double gg, gz, gd, across; /* <g, M g_old> = <g_old, M g>: what Polak and Ribiere subtract */
	gt_dot_async(s->g, s->g, &gg);
	gt_dot_async(s->g, s->z, &across);
	gt_dot_async(s->g, s->d, &gd);
	if (anew)
		gt_circulant_adapt(s->ramp, s->z);
	precondition(s);
	gt_dot_async(s->g, s->z, &gz);
	gt_reductions_wait(gt_array_backend(s->x));
	double beta = !anew && s->gz > 0 ? fmax(0, (gz - across) / s->gz) : 0;
	if (!(beta * gd < gz)) /* not down the hill */
		beta = 0;
	gt_axpby(-1, s->z, beta, s->d);
	s->gz = gz;
	return sqrt(gg);
}

static gt_progress progress(const struct state *s, int k, double step, double norm)
{
	gt_progress g;
	gt_progress_of(k, s->o->iterations, s->x, &g);
	g.kept = s->kept;
	g.data = s->data;
	g.penalty = s->penalty;
	g.cost = s->data + s->penalty;
	g.gradient = norm;
	g.change = fabs(step) * sqrt(s->dd / (double)gt_array_size(s->x));
	if (!s->p->w)
		g.residual = sqrt(fmax(0, 2 * s->data));
	return g;
}

/* Gradients follow from x and its residual. */
static gt_status resume(struct state *s, const gt_monitor *m, int *done)
{
	const gt_status st = gt_resume(m, s->kept, done);
	if (st != GT_OK || !*done)
		return st;
	if (s->ramp && s->p->R)
		gt_circulant_resume(s->ramp);
	gradient(s, 0);
	precondition(s);
	s->gz = gt_dot(s->g, s->z);
	return st;
}

static gt_status iterate(struct state *s, const gt_monitor *m)
{
	gt_status st = GT_OK;
	int done;
	s->first = sqrt(gt_dot(s->g, s->g));
	GT_TRY(resume(s, m, &done));
	double norm = sqrt(gt_dot(s->g, s->g));
	const double stop = s->o->tolerance * s->first;
	for (int k = done + 1; k <= s->o->iterations && norm > stop && s->gz > 0; k++) {
		gt_dot_async(s->d, s->d, &s->dd);
		const double step = move(s, k);
		gradient(s, adapts(s, k));
		norm = turn(s, adapts(s, k));
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
	struct state s = { .p = p, .o = options, .x = x };
	gt_status st = prepare(&s);
	gt_state_entry kept[5 + GT_CIRCULANT_STATE + 1] = { { "x", x, NULL },
		                                            { "residual", s.r, NULL },
		                                            { "direction", s.d, NULL },
		                                            { "data", NULL, &s.data },
		                                            { "first", NULL, &s.first } };
	if (st == GT_OK && s.ramp && p->R)
		gt_circulant_kept(s.ramp, kept + 5);
	s.kept = kept;
	if (st == GT_OK)
		st = iterate(&s, m);
	gt_array_free(s.g);
	gt_array_free(s.z);
	gt_array_free(s.d);
	gt_array_free(s.m);
	gt_circulant_free(s.ramp);
	gt_array_free(s.r);
	gt_array_free(s.q);
	return st;
}

const gt_solver gt_solver_pcg = {
	.name = "pcg",
	.about = "a smooth penalty to its exact minimum, in the fewest iterations (Fessler, Booth 1999)",
	.traits = GT_SUPPORTS_TEAM | GT_SUPPORTS_WEIGHTS | GT_SUPPORTS_GRADIENT | GT_SUPPORTS_LINE,
	.params = params,
	.defaults = &defaults,
	.options_size = sizeof defaults,
	.run = run,
};
