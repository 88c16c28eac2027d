/* Least squares by bidiagonalisation (solvers/krylov/golub_kahan.h) with Tikhonov's penalty lambda^2 |x - start|^2,
 * whose strength is found anew in each iteration on the small problem (solvers/krylov/projected_tikhonov.h): O'Leary
 * and Simmons, SIAM J. Sci. Stat. Comput. 2 (1981) 474; Chung, Nagy and O'Leary, ETNA 28 (2008) 149. The error does
 * not grow again as it does without a penalty. The vectors v are kept, and each new one is made orthogonal to all:
 * one side is enough (Simon and Zha, SIAM J. Sci. Comput. 21 (2000) 2257). One forward and one adjoint in an
 * iteration. Beside x: 3 volumes and one for each iteration; beside data and weights: 2 arrays as large as these; 16
 * bytes for each iteration. Reductions in an iteration: 5. */
#include <float.h>
#include <math.h>
#include "core/basis/basis.h"
#include "core/try.h"
#include "solvers/krylov/golub_kahan.h"
#include "solvers/numbers.h"
#include "solvers/krylov/projected_tikhonov.h"

static const char *const strengths[] = { "wgcv", "gcv", "discrepancy", "fixed", "trace", NULL };

struct options {
	int iterations, strength;
	double noise, lambda;
};
static const struct options defaults = { .iterations = 20, .strength = GT_STRENGTH_WEIGHTED };
#define AT(field) .at = offsetof(struct options, field)
static const gt_param params[] = {
	{ .key = "iterations", .help = "a volume is kept for each", .kind = GT_INT, AT(iterations), .least = 0, .most = 500 },
	{ .key = "strength",
	  .help = "how lambda is found; trace: where the noise is white and the model exact, by 15 steps more before the first",
	  .kind = GT_CHOICE,
	  AT(strength),
	  .names = strengths },
	{ .key = "noise", .help = "norm of the noise, relative to the data's, for discrepancy", .kind = GT_REAL, AT(noise), .most = 1 },
	{ .key = "lambda", .help = "strength, where it is fixed", .kind = GT_REAL, AT(lambda), .most = 1e30 },
	{ .key = NULL },
};

struct state {
	gt_golub_kahan of;
	gt_basis *V;
	gt_projected small, random;
	gt_array *start, *numbers; /* numbers: alpha, then beta, for who continues */
	double level;              /* of the noise, or lambda */
};

static double tiny(const gt_array *a) { return 64 * (gt_array_type(a) == GT_F64 ? DBL_EPSILON : (double)FLT_EPSILON); }

/* Vector v, with its norm, and the norm of u, as number i. */
static void keep(struct state *s, size_t i)
{
	const size_t all = s->small.most + 1;
	gt_number_put(s->numbers, i, s->small.alpha[i] = s->of.alpha);
	gt_number_put(s->numbers, all + i, s->small.beta[i] = s->of.beta);
	if (i + 1 < all && s->of.alpha > 0) {
		gt_copy(s->of.v, gt_basis_vector(s->V, i));
		gt_scale(1 / s->of.alpha, gt_basis_vector(s->V, i));
	}
}

/* Normal numbers u in the inner product of the weights; bidiagonalised for some steps, in the room that the run
 * itself will take. */
static gt_status probe(struct state *s)
{
	enum { STEPS = 15, SEED = 20 };
	gt_golub_kahan *g = &s->of;
	gt_status st = GT_OK;
	size_t k = 0;
	GT_TRY(gt_projected_new(STEPS, &s->random));
	if (g->w)
		gt_copy(g->w, g->u);
	else
		gt_fill(1, g->u);
	gt_pow(-0.5, g->u);
	gt_mul_normals(SEED, g->u);
	gt_golub_kahan_begin(g);
	s->random.alpha[0] = g->alpha;
	s->random.beta[0] = g->beta;
	while (k < STEPS && g->alpha > tiny(g->u) * s->random.alpha[0]) {
		gt_golub_kahan_extend_data(g);
		gt_golub_kahan_extend_volume(g);
		k++;
		s->random.alpha[k] = g->alpha;
		s->random.beta[k] = g->beta;
	}
	gt_projected_probe(&s->random, k);
	s->small.random = s->random.beta[0] > 0 ? &s->random : NULL;
done:
	return st;
}

static gt_status prepare(struct state *s, const gt_problem *p, const struct options *o, const gt_array *x)
{
	gt_status st = GT_OK;
	const gt_array *b = p->b[0];
	const size_t most = (size_t)o->iterations;
	if (o->strength == GT_STRENGTH_DISCREPANCY && !(o->noise > 0))
		return gt_fail(GT_ERR_ARG,
		               "solver 'hybrid-lsqr': noise=%g: with strength=discrepancy expected the norm of the noise relative to that "
		               "of the data, above 0",
		               o->noise);
	GT_TRY(gt_projected_new(most, &s->small));
	GT_TRY(gt_basis_new("solver 'hybrid-lsqr'", x, most, &s->V));
	GT_TRY(gt_golub_kahan_new(p, x, &s->of));
	GT_TRY(gt_array_like(x, &s->start));
	GT_TRY(gt_array_new(gt_array_backend(x), GT_F64, 2 * (most + 1), &s->numbers));
	gt_fill(0, s->numbers);
	gt_copy(x, s->start);
	if (o->strength == GT_STRENGTH_TRACE)
		GT_TRY(probe(s));
	gt_golub_kahan_start(&s->of, b, x);
	s->level = o->strength == GT_STRENGTH_FIXED ? o->lambda : o->noise * sqrt(p->w ? gt_weighted_norm2(b, p->w[0]) : gt_dot(b, b));
	keep(s, 0);
done:
	return st;
}

/* All that the host holds of a run follows from the numbers. */
static void resume(struct state *s, enum gt_strength how, int done)
{
	double lambda;
	gt_array_get(s->numbers, s->small.alpha);
	for (int k = 1; how == GT_STRENGTH_WEIGHTED && k <= done; k++)
		gt_projected_solve(&s->small, (size_t)k, how, s->level, &lambda);
}

static void step(struct state *s, size_t k, enum gt_strength how, gt_array *x, gt_progress *p)
{
	double lambda, moved;
	gt_golub_kahan_extend_data(&s->of);
	gt_golub_kahan_extend_volume(&s->of);
	gt_basis_project_out(s->V, k, s->of.v, s->small.y);
	s->of.alpha = sqrt(gt_dot(s->of.v, s->of.v));
	if (s->of.alpha <= tiny(x) * s->small.alpha[0])
		s->of.alpha = 0; /* rounding: the space is exhausted */
	keep(s, k);
	const double misfit = gt_projected_solve(&s->small, k, how, s->level, &lambda);
	gt_copy(s->start, s->of.g);
	gt_basis_add(s->V, k, s->small.y, s->of.g);
	gt_distance2_async(s->of.g, x, &moved);
	gt_copy(s->of.g, x);
	gt_reductions_wait(gt_array_backend(x));
	p->change = sqrt(moved / (double)gt_array_size(x));
	p->data = misfit / 2;
	p->cost = how == GT_STRENGTH_FIXED ? p->data : NAN; /* with another lambda it may rise, and nothing diverged */
	p->penalty = 0;
	p->residual = s->of.w ? NAN : sqrt(misfit);
}

static gt_status run(const gt_problem *p, const void *options, gt_array *x, const gt_monitor *m)
{
	const struct options *o = options;
	struct state s = { .level = 0 };
	gt_status st = GT_OK;
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
	if (done)
		resume(&s, (enum gt_strength)o->strength, done);
	for (int k = done + 1; k <= o->iterations && s.of.alpha * s.of.beta > 0; k++) {
		gt_progress g;
		gt_progress_of(k, o->iterations, x, &g);
		step(&s, (size_t)k, (enum gt_strength)o->strength, x, &g);
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
	.about = "lsqr with a damping that it finds itself in every iteration: noisy data, nothing to tune (Chung, Nagy, O'Leary 2008)",
	.traits = GT_SUPPORTS_WEIGHTS | GT_PLANS_ITERATIONS,
	.params = params,
	.defaults = &defaults,
	.options_size = sizeof defaults,
	.run = run,
};
