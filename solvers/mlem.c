/* Expectation maximisation for emission data, counts b with the means A x, under two names:
 *   mlem: all views at once: Shepp and Vardi, IEEE Trans. Med. Imaging 1 (1982) 113; the likelihood never falls.
 *   osem: ordered subsets: Hudson and Larkin, IEEE Trans. Med. Imaging 13 (1994) 601; faster at first, then it circles.
 *   x <- P[ x + x A_S'((b_S - A_S x) / A_S x) / A_S'1 ]
 * The cost is the negative logarithm of the likelihood less its least, sum b log(b/Ax) - b + Ax, before the step. A
 * volume of 0 stays 0: where the start is below a hundredth of the constant volume that has the data's sum, it begins
 * there. Line integrals of attenuation are taken for counts, as the field does: they are no Poisson numbers, but x >=
 * 0 and A x near b hold at the end all the same. Beside x: 2 volumes, and 1 for each subset; beside the data: twice
 * the largest subset. Reductions in an iteration: 1 for each subset and 1 more. */
#include <math.h>
#include <stdlib.h>
#include "core/try.h"
#include "solvers/ordered_subsets.h"
#include "solvers/pwls.h"
#include "solvers/steps/emission.h"
#include "solvers/steps/rounds.h"

struct options {
	struct gt_ordered_subsets_options sweep;
	int negative;
};
#define NEGATIVE                                                                                                                  \
	{                                                                                                                         \
		.key = "negative", .help = "data below 0, which no count is: refuse them, or take them for 0", .kind = GT_CHOICE, \
		.at = offsetof(struct options, negative), .names = gt_emission_negatives                                          \
	}

struct state {
	const gt_problem *p;
	const char *name;
	double lo;
	size_t *order;
	double *misfit;         /* of each subset, once settled */
	gt_array *g, *before;   /* volumes */
	gt_array **inverse;     /* of each subset: 1/A'1, 0 where it sees nothing */
	gt_pwls_room seen, off; /* A x; b - A x over it */
};

static gt_status prepare(struct state *s, const struct options *o, gt_array *x)
{
	gt_status st = GT_OK;
	const size_t n = s->p->subsets;
	s->lo = fmax(s->p->lo, 0);
	s->order = calloc(n, sizeof *s->order);
	s->misfit = calloc(n, sizeof *s->misfit);
	if (!(s->inverse = calloc(n, sizeof *s->inverse)) || !s->order || !s->misfit)
		return gt_fail(GT_ERR_MEMORY, "no memory for the records of %zu subsets", n);
	if (o->negative == GT_NEGATIVE_REFUSE)
		GT_TRY(gt_emission_check(s->name, s->p));
	gt_ordered_subsets_fill_order((enum gt_ordered_subsets_order)o->sweep.order, n, s->order);
	GT_TRY(gt_array_like(x, &s->g));
	GT_TRY(gt_array_like(x, &s->before));
	GT_TRY(gt_pwls_room_new(s->p, &s->seen));
	GT_TRY(gt_pwls_room_new(s->p, &s->off));
	for (size_t k = 0; k < n; k++) {
		GT_TRY(gt_array_like(x, &s->inverse[k]));
		gt_fill(1, s->off.of[k]);
		gt_adjoint(s->p->A[k], s->off.of[k], s->inverse[k]);
		gt_reciprocal(gt_pwls_threshold(s->inverse[k]), s->inverse[k]);
	}
	gt_emission_lift(s->p, s->lo, s->g, s->seen.of, s->off.of, x);
done:
	return st;
}

static void update(struct state *s, size_t k, gt_array *x)
{
	gt_array *seen = s->seen.of[k], *off = s->off.of[k];
	gt_forward(s->p->A[k], x, seen);
	gt_emission_data(s->p, k, off);
	gt_poisson_misfit_async(off, seen, &s->misfit[k]);
	gt_axpy(-1, seen, off);
	gt_divide(seen, 0, off);
	gt_adjoint(s->p->A[k], off, s->g);
	gt_mul(s->inverse[k], s->g);
	gt_mul(x, s->g);
	gt_axpy(1, s->g, x);
	gt_clamp(s->lo, s->p->hi, x);
}

static void release(struct state *s)
{
	for (size_t k = 0; s->inverse && k < s->p->subsets; k++)
		gt_array_free(s->inverse[k]);
	gt_array_free(s->g);
	gt_array_free(s->before);
	gt_pwls_room_free(&s->seen);
	gt_pwls_room_free(&s->off);
	free(s->inverse);
	free(s->order);
	free(s->misfit);
}

static void pass(void *self, int iteration, gt_array *x, gt_progress *g)
{
	struct state *s = self;
	double moved;
	(void)iteration;
	gt_copy(x, s->before);
	for (size_t i = 0; i < s->p->subsets; i++)
		update(s, s->order[i], x);
	gt_distance2_async(x, s->before, &moved);
	gt_reductions_wait(gt_array_backend(x));
	g->data = g->penalty = 0;
	for (size_t i = 0; i < s->p->subsets; i++)
		g->data += s->misfit[i];
	g->cost = g->data;
	g->change = sqrt(moved / (double)gt_array_size(x));
	g->cost_of = s->before;
	g->cost_is_partial = s->p->subsets > 1;
}

static gt_status run(struct state *s, const struct options *o, gt_array *x, const gt_monitor *m)
{
	const gt_state_entry kept[] = { { "x", x, NULL }, { NULL, NULL, NULL } };
	gt_status st = prepare(s, o, x);
	if (st == GT_OK)
		st = gt_rounds_run(&(struct gt_rounds){ NULL, o->sweep.iterations, kept, pass, s }, x, m);
	release(s);
	return st;
}

static gt_status run_mlem(const gt_problem *p, const void *options, gt_array *x, const gt_monitor *m)
{
	return run(&(struct state){ .p = p, .name = "mlem" }, options, x, m);
}

static gt_status run_osem(const gt_problem *p, const void *options, gt_array *x, const gt_monitor *m)
{
	return run(&(struct state){ .p = p, .name = "osem" }, options, x, m);
}

static const struct options mlem = { { .iterations = 50, .subsets = 1, .nonneg = 1 }, GT_NEGATIVE_REFUSE };
static const gt_param mlem_params[] = { GT_OS_ITERATIONS, NEGATIVE, { .key = NULL } };
static const struct options osem = { { .iterations = 10, .subsets = 10, .nonneg = 1, .order = GT_OS_BIT_REVERSED }, GT_NEGATIVE_REFUSE };
static const gt_param osem_params[] = { GT_OS_ITERATIONS, GT_OS_SUBSETS, GT_OS_ORDER, NEGATIVE, { .key = NULL } };

#define EM(which, about_)                                                                                                                  \
	const gt_solver gt_solver_##which = { .name = #which,                                                                              \
		                              .about = about_,                                                                             \
		                              .traits = GT_SUPPORTS_TEAM | GT_SUPPORTS_SUBSETS | GT_SUPPORTS_BOUNDS | GT_NEEDS_WHOLE_DATA, \
		                              .params = which##_params,                                                                    \
		                              .defaults = &(which),                                                                        \
		                              .options_size = sizeof(which),                                                               \
		                              .run = run_##which,                                                                          \
		                              .subsets = gt_ordered_subsets_subsets,                                                       \
		                              .nonneg = gt_ordered_subsets_nonneg }
EM(mlem, "MLEM: maximum-likelihood emission; the likelihood never decreases, but convergence is slow (Shepp, Vardi 1982)");
EM(osem, "OSEM: MLEM with ordered subsets; fast early iterations, then a limit cycle (Hudson, Larkin 1994)");
