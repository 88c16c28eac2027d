/* Sweeps of ordered subsets (solvers/ordered_subsets.h), optionally with momentum or Anderson acceleration
 * (solvers/anderson.h). */
#include <math.h>
#include "core/try.h"
#include "solvers/anderson.h"
#include "solvers/ordered_subsets.h"
#include "solvers/pwls.h"
#include "solvers/steps/sweeps.h"

struct state {
	gt_array *x, *next; /* the iterate; the previous one, then the next */
	gt_pwls_point pace; /* only t is used */
	gt_anderson mixed;
	double relax;
};

/* x and the step, and with momentum its inputs; seen: gt_ordered_subsets_seen(). */
enum { KEPT = 6 + GT_ANDERSON_KEPT };
static void list_kept(struct state *s, int momentum, gt_array *seen, gt_state_entry kept[KEPT])
{
	size_t n = 0;
	kept[n++] = (gt_state_entry){ "x", s->x, NULL };
	kept[n++] = (gt_state_entry){ "relax", NULL, &s->relax };
	if (momentum) {
		kept[n++] = (gt_state_entry){ "before", s->next, NULL };
		kept[n++] = (gt_state_entry){ "t", NULL, &s->pace.t };
	}
	if (seen)
		kept[n++] = (gt_state_entry){ "projected", seen, NULL };
	n += gt_anderson_kept(&s->mixed, kept + n);
	kept[n] = (gt_state_entry){ NULL, NULL, NULL };
}

/* Extrapolates as Beck and Teboulle, SIAM J. Imaging Sci. 2 (2009) 183: a sweep over one subset with relax <= 1 is
 * the gradient step that it accelerates. */
static double extrapolate(struct state *s, int momentum)
{
	const double beta = momentum ? gt_pwls_momentum(&s->pace) : 0;
	if (beta > 0)
		gt_axpby(1 + beta, s->x, -beta, s->next);
	return beta;
}

static void accept(struct state *s)
{
	gt_array *before = s->x;
	s->x = s->next;
	s->next = before;
}

/* Acceleration needs one constant map whose fixed points are sought. */
static gt_status check(const struct gt_ordered_subsets_options *o)
{
	if (o->anderson && o->momentum)
		return gt_fail(GT_ERR_ARG, "anderson=%d with momentum=yes: expected one of the two", o->anderson);
	if (o->anderson && o->reduce < 1)
		return gt_fail(GT_ERR_ARG, "anderson=%d with reduce=%g: steps that shrink have no fixed point, expected reduce=1",
		               o->anderson, o->reduce);
	return GT_OK;
}

gt_status gt_sweeps_run(const gt_problem *p, const void *options, gt_array *x, const gt_monitor *m)
{
	const struct gt_ordered_subsets_options *o = options;
	gt_ordered_subsets *sweep = NULL;
	gt_array *own = NULL;
	gt_state_entry kept[KEPT];
	gt_status st = GT_OK;
	struct state s = { .x = x, .pace.t = 1, .relax = o->relax };
	int done = 0;
	GT_TRY(check(o));
	GT_TRY(gt_array_like(x, &own));
	s.next = own;
	GT_TRY(gt_anderson_new(p->subsets > 1 ? "os-sart" : "sirt", x, o->anderson, &s.mixed));
	GT_TRY(gt_ordered_subsets_new(p, o, x, &sweep));
	list_kept(&s, o->momentum, gt_ordered_subsets_seen(sweep), kept);
	GT_TRY(gt_resume(m, kept, &done));
	if (done)
		gt_anderson_resume(&s.mixed);
	for (int k = done + 1; k <= o->iterations; k++) {
		double moved;
		const double beta = extrapolate(&s, o->momentum);
		gt_ordered_subsets_run(sweep, s.relax, beta, beta > 0 ? s.next : s.x, s.next);
		accept(&s);
		if (o->anderson)
			gt_anderson_guarded(&s.mixed, s.next, p->lo, p->hi, s.x);
		gt_distance2_async(s.x, s.next, &moved);
		gt_progress g;
		gt_progress_of(k, o->iterations, s.x, &g);
		g.residual = sqrt(gt_ordered_subsets_squares(sweep));
		g.change = sqrt(moved / (double)gt_array_size(x));
		g.cost_of = s.next;
		g.cost_is_partial = p->subsets > 1;
		s.relax *= o->reduce;
		list_kept(&s, o->momentum, gt_ordered_subsets_seen(sweep), kept);
		g.kept = kept;
		GT_TRY(gt_report(m, &g));
	}
done:
	if (s.x != x)
		gt_copy(s.x, x);
	gt_ordered_subsets_free(sweep);
	gt_anderson_free(&s.mixed);
	gt_array_free(own);
	return st;
}
