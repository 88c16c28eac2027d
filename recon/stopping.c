/* Ends a run and chooses its image: between the solver's monitor and the caller. */
#include <math.h>
#include <string.h>
#include <gantry/data.h>
#include "core/clock.h"
#include "core/device/backend.h"
#include "core/spec.h"
#include "recon/stopping.h"
#include "team/team.h"

#define AT(field) offsetof(gt_stop_rule, field)
static const gt_param rules[] = {
	{ .key = "change", .help = "root mean square change of an iteration", .kind = GT_MU, .at = AT(change), .min = 0, .max = 1e6 },
	{ .key = "gradient",
	  .help = "gradient of the cost, relative to the first",
	  .kind = GT_REAL,
	  .at = AT(gradient),
	  .min = 0,
	  .max = 1 },
	{ .key = "seconds", .help = "time since the first iteration began", .kind = GT_REAL, .at = AT(seconds), .min = 0, .max = 1e9 },
	{ .key = NULL },
};

gt_status gt_stop_rule_parse(const char *spec, gt_stop_rule *s)
{
	*s = (gt_stop_rule){ .change = 0 };
	gt_status st = gt_params_parse(rules, spec, s);
	if (st == GT_OK)
		st = gt_spec_check_units(rules, spec);
	const char *change = spec ? strstr(spec, "change=") : NULL;
	const size_t length = change ? strcspn(change, ",") : 0;
	s->change_in_hu = length > 2 && !strncmp(change + length - 2, "HU", 2);
	return gt_fail_in(st, "--stop");
}

static const char *reason_to_stop(gt_run *r, const gt_progress *g, double seconds, int asked)
{
	if (isnan(r->first_gradient))
		r->first_gradient = g->gradient;
	return asked                                                                         ? "interrupted"
	       : g->change < r->rule.change * g->subset_fraction                             ? "small change"
	       : r->rule.gradient > 0 && g->gradient <= r->rule.gradient * r->first_gradient ? "small gradient"
	       : r->rule.seconds > 0 && seconds >= r->rule.seconds                           ? "time"
	                                                                                     : NULL;
}

/* State of the rules, in addition to the state of the solver. */
static void list_own(gt_run *r, int with_image, gt_state_entry own[GT_RECON_STATE + 1])
{
	own[0] = (gt_state_entry){ "first_gradient", NULL, &r->first_gradient };
	gt_divergence_list(&r->divergence, with_image, own + 1);
}

/* Omits the best image if it equals x. */
static void save(gt_run *r, const gt_progress *g, int end)
{
	gt_state_entry own[GT_RECON_STATE + 1];
	list_own(r, r->divergence.best && r->divergence.best_iteration < g->iteration, own);
	if (r->saving)
		r->saving(r->self, 1);
	gt_checkpointing_save(&r->checkpoint, g, own, end);
	if (r->saving)
		r->saving(r->self, 0);
}

static gt_status resume(void *self, const gt_state_entry *state, int *done)
{
	gt_run *r = self;
	gt_state_entry own[GT_RECON_STATE + 1];
	int has_best;
	gt_backend *be = gt_array_backend(r->x);
	gt_team_lock(be); /* ranks read in sequence */
	gt_status st = gt_checkpointing_has(&r->checkpoint, GT_DIVERGENCE_BEST, &has_best);
	gt_team_unlock(be);
	if (st != GT_OK)
		return st;
	list_own(r, has_best, own);
	gt_team_lock(be);
	st = gt_checkpointing_resume(&r->checkpoint, state, own, done);
	gt_team_unlock(be);
	r->iterations = r->max = r->resumed = *done;
	if (r->ready)
		r->ready(r->self, *done);
	for (; st == GT_OK && *done && !has_best && r->divergence.best && state->name; state++)
		if (!strcmp(state->name, "x"))
			gt_copy(state->array, r->divergence.best);
	return st;
}

static int each_iteration(void *self, const gt_progress *g)
{
	gt_run *r = self;
	gt_backend *be = gt_array_backend(g->x);
	const double seconds = gt_team_first(be, gt_seconds() - r->started);
	if (r->each)
		r->each(r->self, g, seconds);
	const int asked = gt_team_first(be, r->stop && r->stop(r->self)) != 0, early = g->iteration < g->iterations;
	r->iterations = g->iteration;
	r->max = g->iterations;
	r->residual = g->residual / r->data_norm;
	r->diverged = gt_divergence_update(&r->divergence, g);
	const char *reason = r->diverged ? r->diverged : reason_to_stop(r, g, seconds, asked);
	if (early || r->diverged)
		r->reason = reason;
	r->interrupted = asked && early;
	if (!r->diverged)
		save(r, g, reason || !early);
	return reason != NULL;
}

/* One iteration of a dry run suffices: later ones use the same memory. */
static int first_iteration(void *self, const gt_progress *g)
{
	gt_run *r = self;
	gt_counters count;
	gt_backend_counters(gt_array_backend(g->x), &count);
	r->iterating_bytes = count.bytes;
	r->best_bytes = r->divergence.best ? gt_array_bytes(r->divergence.best) : 0;
	r->moved = gt_backend_moved(gt_array_backend(g->x)) - r->moved;
	return 1;
}

static gt_status before_first(void *self, const gt_state_entry *state, int *done)
{
	gt_run *r = self;
	(void)state;
	*done = 0;
	r->moved = gt_backend_moved(gt_array_backend(r->x));
	return GT_OK;
}

static gt_status dry_run(gt_run *r, const gt_solver *solver, const gt_problem *problem, const void *options, gt_array *x)
{
	const gt_monitor monitor = { first_iteration, r, before_first };
	r->x = x;
	gt_divergence_start(&r->divergence, x);
	const gt_status st = gt_solve(solver, problem, options, x, &monitor);
	gt_divergence_free(&r->divergence);
	return st == GT_STOPPED ? GT_OK : st;
}

/* Keeps the best image if the solver has enough memory with it. */
static gt_status solve(gt_run *r, const gt_solver *solver, const gt_problem *problem, const void *options, gt_array *x)
{
	const gt_monitor monitor = { each_iteration, r, resume };
	gt_divergence_start(&r->divergence, x);
	gt_status st = gt_solve(solver, problem, options, x, &monitor);
	if (st == GT_ERR_MEMORY && r->divergence.best && gt_ranks(gt_array_backend(x)) == 1) {
		gt_divergence_free(&r->divergence);
		st = gt_solve(solver, problem, options, x, &monitor);
	}
	return st;
}

/* Returns the best image in place of the last one of a run that diverged. */
static gt_status choose_image(gt_run *r, gt_array *x, gt_status st)
{
	if (st == GT_ERR_DIVERGED && !r->diverged)
		r->reason = r->diverged = "its values are not finite";
	if (!r->diverged || (st != GT_OK && st != GT_STOPPED && st != GT_ERR_DIVERGED))
		return st;
	r->returned_iteration = r->divergence.best ? (int)r->divergence.best_iteration : r->iterations;
	if (r->divergence.best)
		gt_copy(r->divergence.best, x);
	else if (st == GT_ERR_DIVERGED)
		return st;
	return gt_backend_status(gt_array_backend(x));
}

gt_status gt_run_solve(gt_run *r, const gt_solver *solver, const gt_problem *problem, const void *options, gt_array *x)
{
	if (gt_backend_is_dry_run(gt_array_backend(x)))
		return dry_run(r, solver, problem, options, x);
	r->x = x;
	r->first_gradient = r->residual = NAN;
	r->started = gt_seconds();
	const gt_status st = choose_image(r, x, solve(r, solver, problem, options, x));
	gt_divergence_free(&r->divergence);
	return st == GT_STOPPED ? GT_OK : st;
}
