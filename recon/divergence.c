/* Detects divergence of a run, and keeps its best image. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "recon/divergence.h"
#include "team/team.h"

enum { UNKNOWN, COST, DATA, RESIDUAL, PARTIAL_COST };
static const char *const names[] = { "volume", "cost", "data term", "residual", "cost" };

void gt_divergence_start(gt_divergence *d, const gt_array *x)
{
	*d = (gt_divergence){ .best_value = INFINITY, .kind = UNKNOWN };
	gt_array_like(x, &d->best);
	if (gt_team_min(gt_array_backend(x), d->best != NULL) == 0) /* all ranks have it, or none */
		gt_divergence_free(d);
	if (d->best)
		gt_copy(x, d->best);
}

void gt_divergence_free(gt_divergence *d)
{
	gt_array_free(d->best);
	d->best = NULL;
}

void gt_divergence_list(gt_divergence *d, int with_image, gt_state_entry list[GT_DIVERGENCE_STATE + 1])
{
	const gt_state_entry all[] = { { "best_iteration", NULL, &d->best_iteration },
		                       { "best_cost", NULL, &d->best_value },
		                       { "lowest_cost", NULL, &d->lowest },
		                       { "last_cost", NULL, &d->last },
		                       { "first_cost", NULL, &d->first },
		                       { "kind_of_cost", NULL, &d->kind },
		                       { "rises", NULL, &d->rises },
		                       { with_image ? GT_DIVERGENCE_BEST : NULL, d->best, NULL },
		                       { NULL, NULL, NULL } };
	memcpy(list, all, sizeof all);
}

/* The monitored value, NAN if none is known. */
static double value_of(const gt_progress *p, int *kind)
{
	*kind = !isnan(p->cost)       ? (p->cost_is_partial ? PARTIAL_COST : COST)
	        : !isnan(p->data)     ? DATA
	        : !isnan(p->residual) ? RESIDUAL
	                              : UNKNOWN;
	return !isnan(p->cost) ? p->cost : *kind == DATA ? p->data : *kind == RESIDUAL ? p->residual * p->residual / 2 : NAN;
}

static void begin(gt_divergence *d, int kind, double value)
{
	d->kind = kind;
	d->rises = 0;
	d->best_value = INFINITY;
	d->lowest = d->first = value;
	d->last = NAN;
}

/* Keeps p->cost_of if it is better than the best; d->last is the value of the previous pass. */
static void keep_best(gt_divergence *d, const gt_progress *p, double value)
{
	/* Methods that report their residual alone minimise another one: while the residual stays small, the newest
	 * image is the best. */
	const double own = d->kind == RESIDUAL  ? (value > GT_DIVERGENCE_MIN_RESIDUAL_GROWTH * d->first ? INFINITY : -p->iteration)
	                   : p->cost_is_partial ? (d->last + value) / 2
	                                        : value;
	if (!(own < d->best_value))
		return;
	d->best_value = own;
	d->best_iteration = p->iteration - (p->cost_of != p->x);
	if (d->best)
		gt_copy(p->cost_of, d->best);
}

const char *gt_divergence_update(gt_divergence *d, const gt_progress *p)
{
	int kind;
	const double value = value_of(p, &kind);
	snprintf(d->why, sizeof d->why, "the %s is not finite", names[kind]);
	if (kind == UNKNOWN)
		return isfinite(gt_sum(p->x)) ? NULL : d->why;
	if (!isfinite(value))
		return d->why;
	if (kind != d->kind)
		begin(d, kind, value);
	keep_best(d, p, value);
	d->rises = value > d->last ? d->rises + 1 : 0;
	d->last = value;
	d->lowest = fmin(d->lowest, value);
	const int far = kind == RESIDUAL
	                        ? value > GT_DIVERGENCE_MIN_RESIDUAL_GROWTH * d->first
	                        : value > GT_DIVERGENCE_MIN_GROWTH * d->lowest && value - d->lowest > GT_DIVERGENCE_MIN_RISE * d->first;
	if (d->rises < GT_DIVERGENCE_MIN_RISES || !far)
		return NULL;
	snprintf(d->why, sizeof d->why, "the %s rose %.0f times in a row, to %.3g times its lowest", names[kind], d->rises,
	         kind == RESIDUAL ? sqrt(value / d->lowest) : value / d->lowest);
	return d->why;
}
