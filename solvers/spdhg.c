/* Stochastic primal-dual hybrid gradients for penalised weighted least squares: Chambolle, Ehrhardt, Richtarik and
 * Schonlieb, SIAM J. Optim. 28 (2018) 2783. Subsets are equally likely, with the serial steps of Ehrhardt, Markiewicz
 * and Schonlieb, Phys. Med. Biol. 64 (2019) 225019:
 *    x <- argmin over the box of R + 1/2 |. - (x - zbar/P)|_P^2,   q+ = (q_k + s w_k (A_k x - b_k))/(1 + s),
 *    z <- z + A_k'(q+ - q_k),   zbar = z + M A_k'(q+ - q_k)
 * for a random one of M subsets k. Dual steps are s W as in pdhg. P = s max_k M A_k'w_k A_k 1 satisfies their
 * condition, because A has no negative entries. It is a diagonal without R, its largest entry for R's proximal step.
 * R must be convex with a proximal step. Operators per iteration: one forward and one adjoint of all views, and one
 * pair before the first.
 * Memory: 4 volumes in addition to x (5 without a penalty); 1 array as large as the data and the largest subset.
 * Reductions per iteration: 1 per subset and 1. */
#include <math.h>
#include <stdlib.h>
#include "core/try.h"
#include "solvers/steps/options.h"
#include "solvers/ordered_subsets.h"
#include "solvers/pwls.h"

struct options {
	struct gt_ordered_subsets_options sweep;
	int seed;
	double sigma;
};
static const struct options defaults = { { .iterations = 30, .subsets = 10, .nonneg = 1 }, 1, 0.3 };
static const gt_param params[] = {
	OPTION_REAL(sigma, "dual step, relative to the weights: small for many iterations and a weak penalty", 1e-6, 1e6),
	OPTION_INT(seed, "of the order of subsets", 0, 1e9),
	GT_OS_ITERATIONS,
	GT_OS_SUBSETS,
	GT_OS_NONNEG,
	{ .key = NULL },
};

struct state {
	const gt_problem *p;
	const struct options *o;
	double min, max, *square;
	gt_array *z, *ahead, *g, *d, *before; /* volumes; ahead: zbar; d: P/s, only without a penalty */
	gt_pwls_buffers dual, room;
};

static gt_status prepare(struct state *s, gt_array *x)
{
	gt_status st = GT_OK;
	const gt_problem *p = s->p;
	if (!(s->square = malloc(p->subsets * sizeof *s->square)))
		return gt_fail(GT_ERR_MEMORY, "no memory for the records of %zu subsets", p->subsets);
	GT_TRY(gt_pwls_table_new(p, &s->dual));
	GT_TRY(gt_pwls_buffers_new(p, &s->room));
	GT_TRY(gt_array_like(x, &s->z));
	GT_TRY(gt_array_like(x, &s->ahead));
	GT_TRY(gt_array_like(x, &s->g));
	GT_TRY(gt_array_like(x, &s->before));
	GT_TRY(gt_array_like(x, &s->d));
	gt_pwls_denominator_of_subsets(p, s->room.of, s->z, s->g, s->d);
	s->max = gt_max(s->d);
	s->min = gt_pwls_threshold(s->d);
	GT_TRY(gt_backend_status(gt_array_backend(x)));
	if (!(s->max > 0))
		GT_TRY(gt_fail(GT_ERR_ARG, "solver 'spdhg': no ray of weight above 0 meets the volume"));
	if (p->R) {
		gt_array_free(s->d);
		s->d = NULL;
	}
	gt_clamp(p->lo, p->hi, x);
	/* At the minimum the dual is w (A x - b); its value at the start is a better initial dual than 0. */
	gt_pwls_gradient(p, 0, 1, x, &s->dual, s->g, s->z, s->square);
	gt_reductions_wait(gt_array_backend(x));
	gt_copy(s->z, s->ahead);
done:
	return st;
}

static void step(struct state *s, size_t k, double *square, gt_array *x)
{
	const gt_problem *p = s->p;
	const double sigma = s->o->sigma, part = sigma / (1 + sigma);
	gt_array *r = s->room.of[k], *q = s->dual.of[k];
	if (s->d) {
		gt_scale(1 / sigma, s->ahead);
		gt_divide_step(x, s->d, s->min, p->lo, p->hi, s->ahead);
		gt_copy(s->ahead, x);
	} else {
		gt_axpy(-1 / (sigma * s->max), s->ahead, x);
		gt_penalty_prox(p->R, 1 / (sigma * s->max), p->lo, p->hi, x, x);
	}
	gt_pwls_residual_later(p, k, x, r, square);
	gt_axpby(-part, q, part, r); /* q+ - q */
	gt_adjoint(p->A[k], r, s->g);
	gt_axpy(1, r, q);
	gt_axpy(1, s->g, s->z);
	gt_copy(s->z, s->ahead);
	gt_axpy((double)p->subsets, s->g, s->ahead);
}

static void iterate(struct state *s, int iteration, gt_array *x, gt_progress *p)
{
	const size_t n = s->p->subsets;
	gt_copy(x, s->before);
	gt_penalty_value_async(s->p->R, x, &p->penalty);
	for (size_t i = 0; i < n; i++)
		step(s, gt_pwls_pick((uint64_t)s->o->seed, (uint64_t)(iteration - 1) * n + i, n), &s->square[i], x);
	gt_pwls_pass(s->p, s->square, s->before, x, p);
}

static gt_status run(const gt_problem *p, const void *options, gt_array *x, const gt_monitor *m)
{
	struct state s = { .p = p, .o = options };
	gt_status st = GT_OK;
	int done;
	if (p->R && !gt_penalty_is_convex(p->R))
		return gt_fail(GT_ERR_ARG, "solver 'spdhg' needs a convex penalty, which '%s' is not", gt_penalty_name(p->R));
	GT_TRY(prepare(&s, x));
	const gt_state_entry kept[] = {
		{ "x", x, NULL }, { "dual", s.dual.whole, NULL }, { "z", s.z, NULL }, { "ahead", s.ahead, NULL }, { NULL, NULL, NULL }
	};
	GT_TRY(gt_resume(m, kept, &done));
	for (int k = done + 1; k <= s.o->sweep.iterations; k++) {
		gt_progress g;
		gt_progress_of(k, s.o->sweep.iterations, x, &g);
		iterate(&s, k, x, &g);
		g.kept = kept;
		GT_TRY(gt_report(m, &g));
	}
done:
	gt_pwls_buffers_free(&s.dual);
	gt_pwls_buffers_free(&s.room);
	gt_array_free(s.z);
	gt_array_free(s.ahead);
	gt_array_free(s.g);
	gt_array_free(s.d);
	gt_array_free(s.before);
	free(s.square);
	return st;
}

const gt_solver gt_solver_spdhg = {
	.name = "spdhg",
	.about = "pdhg with random subsets: a penalty with a proximal step such as tv in fewer passes (Chambolle et al. 2018)",
	.traits = GT_SUPPORTS_TEAM | GT_SUPPORTS_SUBSETS | GT_SUPPORTS_BOUNDS | GT_SUPPORTS_WEIGHTS | GT_SUPPORTS_PROX,
	.run = run,
	.params = params,
	.defaults = &defaults,
	.options_size = sizeof defaults,
	.nonneg = gt_ordered_subsets_nonneg,
	.subsets = gt_ordered_subsets_subsets,
};
