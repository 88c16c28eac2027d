/* Golub-Kahan bidiagonalisation (krylov/golub_kahan.h) with the Tikhonov penalty lambda^2 |x - start|^2, whose
 * strength is chosen in every iteration on the projected problem (krylov/projected_tikhonov.h).
 * O'Leary and Simmons, SIAM J. Sci. Stat. Comput. 2 (1981) 474; Chung, Nagy and O'Leary, ETNA 28 (2008) 149. The
 * error shows no semiconvergence.
 * All vectors v are stored and each new one is orthogonalised against them; one side is enough (Simon and Zha, SIAM
 * J. Sci. Comput. 21 (2000) 2257).
 * Operators per iteration: one forward and one adjoint. Memory: 3 volumes in addition to x and one per iteration; 2
 * arrays as large as the data; 16 bytes per iteration. Reductions per iteration: 5. */
#include <math.h>
#include "core/basis/basis.h"
#include "core/try.h"
#include "solvers/krylov/trace_probe.h"
#include "solvers/numbers.h"
#include "solvers/steps/options.h"

static const char *const strengths[] = { "wgcv", "gcv", "discrepancy", "fixed", "trace", NULL };

struct options {
	int iterations, strength;
	double noise, lambda;
};
static const struct options defaults = { .iterations = 20, .strength = GT_STRENGTH_WEIGHTED };
static const gt_param params[] = {
	OPTION_INT(iterations, "stores one volume per iteration", 0, 500),
	OPTION_CHOICE(strength,
	              "how lambda is found; trace: where the noise is white and the model exact, by 15 steps more before the first",
	              strengths),
	OPTION_REAL(noise, "norm of the noise, relative to the data's, for discrepancy", 0, 1),
	OPTION_REAL(lambda, "strength, where it is fixed", 0, 1e30),
	{ .key = NULL },
};

struct state {
	gt_golub_kahan of;
	gt_basis *V;
	gt_projected small, random;
	gt_array *start, *numbers; /* numbers: alpha, then beta: state of the run */
	double level;              /* norm of the noise, or lambda */
};

/* Stores vector v, its norm and the norm of u as number i. */
static void keep(struct state *s, size_t i)
{
	const size_t all = s->small.max + 1;
	gt_number_put(s->numbers, i, s->small.alpha[i] = s->of.alpha);
	gt_number_put(s->numbers, all + i, s->small.beta[i] = s->of.beta);
	if (i + 1 < all && s->of.alpha > 0) {
		gt_copy(s->of.v, gt_basis_vector(s->V, i));
		gt_scale(1 / s->of.alpha, gt_basis_vector(s->V, i));
	}
}

static gt_status prepare(struct state *s, const gt_problem *p, const struct options *o, const gt_array *x)
{
	gt_status st = GT_OK;
	const gt_array *b = p->b[0];
	if (o->strength == GT_STRENGTH_DISCREPANCY && !(o->noise > 0))
		return gt_fail(GT_ERR_ARG, "solver 'hybrid-lsqr': noise=%g: with strength=discrepancy expected the norm of the noise",
		               o->noise);
	if (o->strength != GT_STRENGTH_DISCREPANCY && o->noise > 0)
		return gt_fail(GT_ERR_ARG, "solver 'hybrid-lsqr': noise=%g: strength=%s has no use for it: expected strength=discrepancy",
		               o->noise, strengths[o->strength]);
	if (o->strength != GT_STRENGTH_FIXED && o->lambda > 0)
		return gt_fail(GT_ERR_ARG, "solver 'hybrid-lsqr': lambda=%g: strength=%s finds its own: expected strength=fixed", o->lambda,
		               strengths[o->strength]);
	GT_TRY(gt_projected_new((size_t)o->iterations, &s->small));
	GT_TRY(gt_basis_new("solver 'hybrid-lsqr'", x, s->small.max, &s->V));
	GT_TRY(gt_golub_kahan_new(p, x, &s->of));
	GT_TRY(gt_array_like(x, &s->start));
	GT_TRY(gt_array_new(gt_array_backend(x), GT_F64, 2 * (s->small.max + 1), &s->numbers));
	gt_fill(0, s->numbers);
	gt_copy(x, s->start);
	if (o->strength == GT_STRENGTH_TRACE)
		GT_TRY(gt_trace_probe(&s->of, &s->random, &s->small));
	gt_golub_kahan_start(&s->of, b, x);
	s->level = o->strength == GT_STRENGTH_FIXED ? o->lambda : o->noise * sqrt(p->w ? gt_weighted_norm2(b, p->w[0]) : gt_dot(b, b));
	keep(s, 0);
done:
	return st;
}

static void step(struct state *s, size_t k, enum gt_strength how, gt_array *x, gt_progress *p)
{
	double lambda, moved;
	gt_golub_kahan_extend_data(&s->of);
	gt_golub_kahan_extend_volume(&s->of);
	gt_basis_project_out(s->V, k, s->of.v, s->small.y);
	s->of.alpha = sqrt(gt_dot(s->of.v, s->of.v));
	if (s->of.alpha <= gt_trace_tiny(x) * s->small.alpha[0])
		s->of.alpha = 0; /* rounding: the Krylov space is exhausted */
	keep(s, k);
	const double misfit = gt_projected_solve(&s->small, k, how, s->level, &lambda);
	gt_copy(s->start, s->of.g);
	gt_basis_add(s->V, k, s->small.y, s->of.g);
	gt_distance2_async(s->of.g, x, &moved);
	gt_copy(s->of.g, x);
	gt_reductions_wait(gt_array_backend(x));
	p->change = sqrt(moved / (double)gt_array_size(x));
	p->data = misfit / 2;
	p->cost = how == GT_STRENGTH_FIXED ? p->data : NAN; /* the cost may rise if lambda changes, which is no divergence */
	p->penalty = 0;
	p->residual = s->of.w ? NAN : sqrt(misfit);
}

static gt_status run(const gt_problem *p, const void *options, gt_array *x, const gt_monitor *m)
{
	const struct options *o = options;
	const enum gt_strength how = (enum gt_strength)o->strength;
	struct state s = { .level = 0 };
	gt_status st = GT_OK;
	double lambda;
	int done = 0;
	GT_TRY(prepare(&s, p, o, x));
	const gt_state_entry kept[] = { { "x", x, NULL },
		                        { "start", s.start, NULL },
		                        { "u", s.of.u, NULL },
		                        { "v", s.of.v, NULL },
		                        { "alpha", NULL, &s.of.alpha },
		                        { "beta", NULL, &s.of.beta },
		                        { "numbers", s.numbers, NULL },
		                        { "basis", gt_basis_whole(s.V), NULL },
		                        { NULL, NULL, NULL } };
	GT_TRY(gt_resume(m, kept, &done));
	if (done) /* the numbers determine the host's state */
		gt_array_get(s.numbers, s.small.alpha);
	for (int k = 1; how == GT_STRENGTH_WEIGHTED && k <= done; k++)
		gt_projected_solve(&s.small, (size_t)k, how, s.level, &lambda);
	for (int k = done + 1; k <= o->iterations && s.of.alpha * s.of.beta > 0; k++) {
		gt_progress g;
		gt_progress_of(k, o->iterations, x, &g);
		step(&s, (size_t)k, how, x, &g);
		g.kept = kept;
		GT_TRY(gt_report(m, &g));
	}
	if (!isfinite(s.of.alpha))
		st = gt_fail(GT_ERR_DIVERGED, "solver 'hybrid-lsqr' diverged: its gradient is not finite");
done:
	gt_golub_kahan_free(&s.of);
	gt_basis_free(s.V);
	gt_projected_free(&s.small);
	gt_projected_free(&s.random);
	gt_array_free(s.start);
	gt_array_free(s.numbers);
	return st;
}

const gt_solver gt_solver_hybrid_lsqr = {
	.name = "hybrid-lsqr",
	.about = "lsqr that chooses its damping in every iteration: noisy data, no tuning (Chung, Nagy, O'Leary 2008)",
	.traits = GT_SUPPORTS_TEAM | GT_SUPPORTS_WEIGHTS | GT_PLANS_ITERATIONS | GT_NEEDS_WHOLE_DATA,
	.params = params,
	.defaults = &defaults,
	.options_size = sizeof defaults,
	.run = run,
};
