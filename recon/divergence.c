#include <math.h>
#include <stdio.h>
#include <string.h>
#include "recon/divergence.h"

enum { UNKNOWN, COST, DATA, RESIDUAL };
static const char *const names[] = { "volume", "cost", "data term", "residual" };

void gt_divergence_start(gt_divergence *g, const gt_array *x)
{
	*g = (gt_divergence){ .best_value = INFINITY, .kind = UNKNOWN };
	if (gt_array_like(x, &g->best) == GT_OK)
		gt_copy(x, g->best);
}

void gt_divergence_free(gt_divergence *g)
{
	gt_array_free(g->best);
	g->best = NULL;
}

void gt_divergence_list(gt_divergence *g, int with_image, gt_state_entry list[GT_DIVERGENCE_STATE + 1])
{
	const gt_state_entry all[] = { { "best_iteration", NULL, &g->best_iteration },
		                       { "best_cost", NULL, &g->best_value },
		                       { "lowest_cost", NULL, &g->lowest },
		                       { "last_cost", NULL, &g->last },
		                       { "first_cost", NULL, &g->first },
		                       { "kind_of_cost", NULL, &g->kind },
		                       { "rises", NULL, &g->rises },
		                       { with_image ? GT_DIVERGENCE_BEST : NULL, g->best, NULL },
		                       { NULL, NULL, NULL } };
	memcpy(list, all, sizeof all);
}

static double known(const gt_progress *p, int *kind)
{
	*kind = !isnan(p->cost) ? COST : !isnan(p->data) ? DATA : !isnan(p->residual) ? RESIDUAL : UNKNOWN;
	return *kind == COST ? p->cost : *kind == DATA ? p->data : *kind == RESIDUAL ? p->residual * p->residual / 2 : NAN;
}

static void begin(gt_divergence *g, int kind, double value)
{
	g->kind = kind;
	g->rises = 0;
	g->best_value = INFINITY;
	g->lowest = g->first = value;
	g->last = NAN;
}

/* p->cost_of if it is better than the best; g->last is that of the pass before. */
static void keep(gt_divergence *g, const gt_progress *p, double value)
{
	/* Methods that know their residual alone lower one of their own: while it stays small the newest is the best. */
	const double own = g->kind == RESIDUAL  ? (value > GT_DIVERGENCE_FAR * g->first ? INFINITY : -p->iteration)
	                   : p->cost_is_partial ? (g->last + value) / 2
	                                        : value;
	if (!(own < g->best_value))
		return;
	g->best_value = own;
	g->best_iteration = p->iteration - (p->cost_of != p->x);
	if (g->best)
		gt_copy(p->cost_of, g->best);
}

const char *gt_divergence_look(gt_divergence *g, const gt_progress *p)
{
	int kind;
	const double value = known(p, &kind);
	snprintf(g->why, sizeof g->why, "the %s is not finite", names[kind]);
	if (kind == UNKNOWN)
		return isfinite(gt_sum(p->x)) ? NULL : g->why;
	if (!isfinite(value))
		return g->why;
	if (kind != g->kind)
		begin(g, kind, value);
	keep(g, p, value);
	g->rises = value > g->last ? g->rises + 1 : 0;
	g->last = value;
	g->lowest = fmin(g->lowest, value);
	const int far = kind == RESIDUAL ? value > GT_DIVERGENCE_FAR * g->first
	                                 : value > GT_DIVERGENCE_GROWTH * g->lowest && value - g->lowest > GT_DIVERGENCE_LEAST * g->first;
	if (g->rises < GT_DIVERGENCE_RISES || !far)
		return NULL;
	snprintf(g->why, sizeof g->why, "the %s rose %.0f times in a row, to %.3g times its lowest", names[kind], g->rises,
	         kind == RESIDUAL ? sqrt(value / g->lowest) : value / g->lowest);
	return g->why;
}
