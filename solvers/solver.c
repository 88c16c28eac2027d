/* Entry point of all solvers: gt_solve(). */
#include <math.h>
#include <stdio.h>
#include <gantry/solver.h>
#include "core/arguments.h"
#include "core/partition/partition.h"
#include "core/penalty.h"

static gt_status check_team(const gt_solver *s, const gt_array *x)
{
	char names[512] = "";
	if (!gt_array_is_shared(x) || s->traits & GT_SUPPORTS_TEAM)
		return GT_OK;
	for (size_t i = 0, at = 0; gt_solvers[i] && at < sizeof names; i++)
		if (gt_solvers[i]->traits & GT_SUPPORTS_TEAM)
			at += (size_t)snprintf(names + at, sizeof names - at, "%s%s", at ? ", " : "", gt_solvers[i]->name);
	return gt_fail(GT_ERR_UNSUPPORTED, "solver '%s' cannot run on several devices together: expected one device, or one of %s", s->name,
	               names);
}

static gt_status check_given(const gt_solver *s, const gt_problem *p, const gt_array *x)
{
	if (!s || !p || !p->A || !p->b)
		return gt_fail(GT_ERR_ARG, "gt_solve: found NULL, expected a solver and a problem with operators and data");
	if (!gt_array_backend(x))
		return gt_fail(GT_ERR_ARG, "solver '%s': expected an array for the volume", s->name);
	return GT_OK;
}

static gt_status check_subset(const gt_problem *p, size_t k, const gt_array *x)
{
	const gt_linop *A = p->A[k];
	if (gt_linop_nx(A) != gt_array_size(x) || gt_linop_ny(A) != gt_array_size(p->b[k]))
		return gt_fail(GT_ERR_ARG, "subset %zu: operator maps %zu to %zu values, the volume has %zu and the data %zu", k,
		               gt_linop_nx(A), gt_linop_ny(A), gt_array_size(x), gt_array_size(p->b[k]));
	if (gt_linop_type(A) != gt_array_type(x) || gt_array_type(p->b[k]) != gt_array_type(x))
		return gt_fail(GT_ERR_ARG, "subset %zu: operator, data and volume must all be of one precision", k);
	if (gt_linop_backend(A) != gt_array_backend(x) || gt_array_backend(p->b[k]) != gt_array_backend(x))
		return gt_fail(GT_ERR_ARG, "subset %zu: operator, data and volume must all be on one backend", k);
	return GT_OK;
}

static gt_status check_weights(const gt_problem *p, size_t k)
{
	const gt_array *w = p->w[k], *b = p->b[k];
	if (gt_array_size(w) != gt_array_size(b) || gt_array_type(w) != gt_array_type(b) || gt_array_backend(w) != gt_array_backend(b))
		return gt_fail(GT_ERR_ARG, "subset %zu: %zu weights for %zu data: expected equal number, precision and backend", k,
		               gt_array_size(w), gt_array_size(b));
	const double min = gt_min(w), sum = gt_sum(w);
	if (!(min >= 0) || !isfinite(sum))
		return gt_fail(GT_ERR_ARG, "subset %zu: least weight %g, sum of weights %g: expected finite weights of 0 or more", k, min,
		               sum);
	return GT_OK;
}

static gt_status check_penalty(const gt_solver *s, const gt_penalty *R, const gt_array *x)
{
	static const struct {
		unsigned takes, has;
		const char *what;
	} need[] = { { GT_SUPPORTS_GRADIENT, GT_HAS_GRADIENT, "a gradient" },
		     { GT_SUPPORTS_LINE, GT_HAS_LINE, "a line search" },
		     { GT_SUPPORTS_PROX, GT_HAS_PROX, "a proximal step" } };
	unsigned some = 0;
	for (size_t i = 0; i < sizeof need / sizeof *need; i++)
		some |= s->traits & need[i].takes;
	if (!some)
		return gt_fail(GT_ERR_ARG, "solver '%s' cannot take a penalty (%s)", s->name, gt_penalty_name(R));
	if (gt_penalty_nx(R) != gt_array_size(x) || gt_penalty_type(R) != gt_array_type(x) || gt_penalty_backend(R) != gt_array_backend(x))
		return gt_fail(GT_ERR_ARG,
		               "penalty '%s' is for %zu voxels, the volume has %zu: expected the same, of one precision, on one backend",
		               gt_penalty_name(R), gt_penalty_nx(R), gt_array_size(x));
	for (size_t i = 0; i < sizeof need / sizeof *need; i++)
		if (s->traits & need[i].takes && gt_penalty_has(R) & need[i].has)
			return GT_OK;
	for (size_t i = 0; i < sizeof need / sizeof *need; i++)
		if (s->traits & need[i].takes)
			return gt_fail(GT_ERR_ARG, "solver '%s' needs %s of a penalty, which '%s' does not have", s->name, need[i].what,
			               gt_penalty_name(R));
	return GT_OK;
}

/* Stores the penalty's state with the solver's. */
struct with_penalty {
	const gt_monitor *m;
	int stopped; /* by the monitor */
	const gt_penalty *R;
	gt_state_entry all[GT_STATE_MAX + 1];
};

static gt_status add_penalty(struct with_penalty *w, const gt_state_entry *kept)
{
	size_t n = 0;
	for (; kept[n].name && n + GT_STATE_MAX_PENALTY < GT_STATE_MAX; n++)
		w->all[n] = kept[n];
	if (kept[n].name)
		return gt_fail(GT_ERR_ARG, "a solver keeps more than %zu things for a run to be continued", n);
	n += gt_penalty_state(w->R, w->all + n);
	w->all[n] = (gt_state_entry){ NULL, NULL, NULL };
	return GT_OK;
}

static gt_status resume_both(void *self, const gt_state_entry *kept, int *done)
{
	struct with_penalty *w = self;
	const gt_status st = add_penalty(w, kept);
	return st == GT_OK ? gt_resume(w->m, w->all, done) : st;
}

static int report_both(void *self, const gt_progress *p)
{
	struct with_penalty *w = self;
	gt_progress both = *p;
	both.kept = p->kept && add_penalty(w, p->kept) == GT_OK ? w->all : NULL;
	w->stopped = w->m->each && w->m->each(w->m->self, &both);
	return w->stopped;
}

/* Makes the checks common to all solvers: array sizes, device failure, cancellation. */
gt_status gt_solve(const gt_solver *s, const gt_problem *p, const void *options, gt_array *x, const gt_monitor *m)
{
	GT_NEED(s);
	GT_NEED(p);
	gt_status st = check_given(s, p, x);
	if (st != GT_OK)
		return st;
	st = check_team(s, x);
	if (st != GT_OK)
		return st;
	if (p->subsets < 1)
		return gt_fail(GT_ERR_ARG, "solver '%s': no subsets: expected at least 1", s->name);
	if (p->subsets > 1 && !(s->traits & GT_SUPPORTS_SUBSETS))
		return gt_fail(GT_ERR_ARG, "solver '%s' cannot take %zu subsets: expected 1", s->name, p->subsets);
	if (!(p->lo <= p->hi))
		return gt_fail(GT_ERR_ARG, "bounds from %g to %g: expected the lower one first", p->lo, p->hi);
	if ((p->lo > -INFINITY || p->hi < INFINITY) && !(s->traits & GT_SUPPORTS_BOUNDS))
		return gt_fail(GT_ERR_ARG, "solver '%s' does not support bounds (%g to %g)", s->name, p->lo, p->hi);
	if (p->w && !(s->traits & GT_SUPPORTS_WEIGHTS))
		return gt_fail(GT_ERR_ARG, "solver '%s' cannot take weights of the data", s->name);
	st = p->R ? check_penalty(s, p->R, x) : GT_OK;
	for (size_t k = 0; k < p->subsets && st == GT_OK; k++) {
		st = check_subset(p, k, x);
		if (st == GT_OK && p->w)
			st = check_weights(p, k);
	}
	if (st != GT_OK)
		return st;
	struct with_penalty both = { .m = m, .R = p->R };
	const gt_monitor monitor = { .each = report_both, .self = &both, .resume = resume_both };
	const gt_status run = s->run(p, options ? options : s->defaults, x, m ? &monitor : NULL);
	/* If gt_backend_poll() stopped the solver within an iteration, x is undefined and its return value does not
	 * count. */
	const gt_status known = gt_backend_known(gt_array_backend(x));
	/* Non-finite values after a failure are not a divergence. */
	if (known == GT_STOPPED || (known != GT_OK && run == GT_ERR_DIVERGED))
		return gt_backend_status(gt_array_backend(x));
	if ((run != GT_OK && run != GT_STOPPED) || (run == GT_STOPPED && !both.stopped))
		return run;
	const double sum = gt_sum(x);
	const gt_status device = gt_backend_status(gt_array_backend(x));
	if (device == GT_OK && !isfinite(sum))
		return gt_fail(GT_ERR_DIVERGED, "solver '%s' diverged: the volume holds values that are not finite", s->name);
	return device != GT_OK ? device : run;
}
