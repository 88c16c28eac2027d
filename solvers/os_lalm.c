/* Relaxed linearised augmented Lagrangian method with ordered subsets for penalised weighted least squares: Nien and
 * Fessler, IEEE Trans. Med. Imaging 35 (2016) 1090, whose notation is used:
 *    x <- P[ x - (rho (D x - h) + (1 - rho) g + R'(x)) / (rho D + D_R) ]
 *    zeta = M A_k'w_k (A_k x - b_k),   g <- (rho (alpha zeta + (1 - alpha) g) + g)/(rho + 1),   h <- alpha (D x -
 *      zeta) + (1 - alpha) h
 * over M subsets k in turn. D = M max_k A_k'w_k A_k 1, equal to A'WA1 if all subsets see the same; D_R is the penalty's
 * majorizer. rho falls from step to step by their rule (18), so nothing needs tuning.
 * It converges to the minimum with one subset, and approaches it faster with several of at least ten views. Subsets
 * of few views represent the whole poorly; the iteration may then diverge after some tens of iterations.
 * Operators per iteration: one forward and one adjoint of all views, and one pair before the first. Memory: 6 volumes
 * in addition to x, 1 more with a penalty; the largest subset of the data. Reductions per iteration: 1 per subset, 1
 * and the penalty's value. */
#include <math.h>
#include <stdlib.h>
#include <gantry/author/constants.h>
#include "core/try.h"
#include "solvers/steps/options.h"
#include "solvers/ordered_subsets.h"
#include "solvers/pwls.h"

struct options {
	struct gt_ordered_subsets_options sweep;
	double alpha;
};
static const struct options defaults = { { .iterations = 15, .subsets = 12, .nonneg = 1, .order = GT_OS_BIT_REVERSED }, 1.999 };
static const gt_param params[] = {
	GT_OS_ITERATIONS, GT_OS_SUBSETS, GT_OS_NONNEG, GT_OS_ORDER, OPTION_REAL(alpha, "relaxation", 1, 1.9999), { .key = NULL },
};

struct state {
	const gt_problem *p;
	double alpha, min, *square;
	size_t *order;
	gt_array *D, *D_R, *g, *h, *zeta, *t, *before; /* volumes; D_R: NULL without a penalty */
	gt_pwls_buffers room;
};

/* rho in step i = 1, 2, ... */
static double rho_of(double i, double alpha)
{
	const double part = GT_PI / (alpha * i);
	return i > 1 ? part * sqrt(1 - part * part / 4) : 1;
}

static gt_status prepare(struct state *s, const struct options *o, gt_array *x)
{
	gt_status st = GT_OK;
	const gt_problem *p = s->p;
	gt_array **const volumes[] = { &s->D, &s->g, &s->h, &s->zeta, &s->t, &s->before };
	s->alpha = o->alpha;
	s->square = malloc(p->subsets * sizeof *s->square);
	if (!(s->order = malloc(p->subsets * sizeof *s->order)) || !s->square)
		return gt_fail(GT_ERR_MEMORY, "no memory for the order of %zu subsets", p->subsets);
	gt_ordered_subsets_fill_order((enum gt_ordered_subsets_order)o->sweep.order, p->subsets, s->order);
	for (size_t i = 0; i < sizeof volumes / sizeof *volumes; i++)
		GT_TRY(gt_array_like(x, volumes[i]));
	GT_TRY(gt_pwls_buffers_new(p, &s->room));
	gt_pwls_denominator_of_subsets(p, s->room.of, s->t, s->g, s->D);
	s->min = gt_pwls_threshold(s->D);
	if (p->R) {
		GT_TRY(gt_array_like(x, &s->D_R));
		gt_fill(0, s->D_R);
		gt_penalty_majorize(p->R, s->D_R);
	}
	gt_clamp(p->lo, p->hi, x);
	gt_pwls_gradient(p, 0, 1, x, &s->room, s->t, s->g, s->square);
	gt_reductions_wait(gt_array_backend(x));
	gt_copy(x, s->h);
	gt_mul(s->D, s->h);
	gt_axpy(-1, s->g, s->h);
done:
	return st;
}

static void step(struct state *s, size_t k, double rho, gt_array *x)
{
	const gt_problem *p = s->p;
	const double alpha = s->alpha;
	gt_copy(s->D, s->zeta); /* the denominator, before it becomes zeta */
	gt_scale(rho, s->zeta);
	if (s->D_R)
		gt_axpy(1, s->D_R, s->zeta);
	gt_copy(x, s->t);
	gt_mul(s->D, s->t);
	gt_axpby(-rho, s->h, rho, s->t);
	gt_axpy(1 - rho, s->g, s->t);
	gt_penalty_gradient(p->R, x, s->t, NULL);
	gt_divide_step(x, s->zeta, rho * s->min, p->lo, p->hi, s->t);
	gt_copy(s->t, x);
	gt_pwls_residual_later(p, k, x, s->room.of[k], &s->square[k]);
	gt_adjoint(p->A[k], s->room.of[k], s->zeta);
	gt_scale((double)p->subsets, s->zeta);
	gt_axpby(rho * alpha / (rho + 1), s->zeta, (rho * (1 - alpha) + 1) / (rho + 1), s->g);
	gt_mul(s->D, s->t);
	gt_axpy(-1, s->zeta, s->t);
	gt_axpby(alpha, s->t, 1 - alpha, s->h);
}

static void iterate(struct state *s, int iteration, gt_array *x, gt_progress *p)
{
	const size_t n = s->p->subsets;
	gt_copy(x, s->before);
	gt_penalty_value_async(s->p->R, x, &p->penalty);
	for (size_t i = 0; i < n; i++)
		step(s, s->order[i], rho_of((double)(iteration - 1) * (double)n + (double)i + 1, s->alpha), x);
	gt_pwls_pass(s->p, s->square, s->before, x, p);
}

static gt_status run(const gt_problem *p, const void *options, gt_array *x, const gt_monitor *m)
{
	const struct options *o = options;
	struct state s = { .p = p };
	gt_status st = GT_OK;
	int done;
	GT_TRY(prepare(&s, o, x));
	const gt_state_entry kept[] = { { "x", x, NULL }, { "g", s.g, NULL }, { "h", s.h, NULL }, { NULL, NULL, NULL } };
	GT_TRY(gt_resume(m, kept, &done));
	for (int k = done + 1; k <= o->sweep.iterations; k++) {
		gt_progress g;
		gt_progress_of(k, o->sweep.iterations, x, &g);
		iterate(&s, k, x, &g);
		g.kept = kept;
		GT_TRY(gt_report(m, &g));
	}
done:
	gt_array_free(s.D);
	gt_array_free(s.D_R);
	gt_array_free(s.g);
	gt_array_free(s.h);
	gt_array_free(s.zeta);
	gt_array_free(s.t);
	gt_array_free(s.before);
	gt_pwls_buffers_free(&s.room);
	free(s.order);
	free(s.square);
	return st;
}

const gt_solver gt_solver_os_lalm = {
	.name = "os-lalm",
	.about = "ordered subsets of at least ten views with a penalty, no tuning (Nien, Fessler 2016)",
	.traits = GT_SUPPORTS_TEAM | GT_SUPPORTS_SUBSETS | GT_SUPPORTS_BOUNDS | GT_SUPPORTS_WEIGHTS | GT_SUPPORTS_GRADIENT,
	.options_size = sizeof defaults,
	.run = run,
	.params = params,
	.defaults = &defaults,
	.nonneg = gt_ordered_subsets_nonneg,
	.subsets = gt_ordered_subsets_subsets,
};
