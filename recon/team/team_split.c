/* Chooses the split: as requested, or by the time model. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "core/try.h"
#include "recon/team/team_split.h"

gt_status gt_split_spec_parse(const char *text, gt_split_spec *s)
{
	int slabs = 0, blocks = 0, end = 0;
	*s = (gt_split_spec){ GT_SPLIT_AUTO, 0, 0 };
	if (!strcmp(text, "auto"))
		return GT_OK;
	if (!strcmp(text, "views") || !strcmp(text, "slices")) {
		s->kind = *text == 'v' ? GT_SPLIT_VIEWS : GT_SPLIT_SLICES;
		return GT_OK;
	}
	if (sscanf(text, "%4dx%4d%n", &slabs, &blocks, &end) != 2 || text[end] || slabs < 1 || blocks < 1)
		return gt_fail(GT_ERR_ARG, "split=%s: expected auto, views, slices or SLABSxBLOCKS as 2x2", text);
	*s = (gt_split_spec){ GT_SPLIT_GRID, (size_t)slabs, (size_t)blocks };
	return GT_OK;
}

void gt_split_print(const gt_split_spec *s, char text[32])
{
	if (s->slabs == 1 || s->blocks == 1)
		snprintf(text, 32, "%s", s->slabs == 1 ? "views" : "slices");
	else
		snprintf(text, 32, "%zux%zu", s->slabs, s->blocks);
}

static gt_status check(const gt_split_spec *s, size_t ranks, const gt_model_case *c)
{
	const size_t views = c->scan->views / c->subsets;
	if (s->slabs * s->blocks != ranks)
		return gt_fail(GT_ERR_ARG, "split=%zux%zu: expected %zu ranks, found %zu", s->slabs, s->blocks, s->slabs * s->blocks,
		               ranks);
	if (s->slabs > c->grid->n[2])
		return gt_fail(GT_ERR_ARG, "split: %zu slabs of %zu slice%s: expected at most one slab per slice, or split=views", s->slabs,
		               c->grid->n[2], c->grid->n[2] == 1 ? "" : "s");
	if (s->blocks > views)
		return gt_fail(GT_ERR_ARG,
		               "split: %zu blocks of views of subsets with %zu view%s: expected at most one block per view, fewer "
		               "subsets, or split=slices",
		               s->blocks, views, views == 1 ? "" : "s");
	return GT_OK;
}

int gt_split_nth(size_t ranks, const gt_model_case *c, size_t k, gt_split_spec *s)
{
	for (size_t p = 1; p <= ranks; p++) {
		*s = (gt_split_spec){ GT_SPLIT_GRID, p, ranks / p };
		if (ranks % p == 0 && p <= c->grid->n[2] && s->blocks <= c->scan->views / c->subsets && k-- == 0)
			return 1;
	}
	return 0;
}

gt_status gt_split_choose(const gt_split_spec *asked, size_t ranks, const gt_model_case *c, gt_split_spec *chosen)
{
	*chosen = *asked;
	if (asked->kind == GT_SPLIT_VIEWS || asked->kind == GT_SPLIT_SLICES) {
		chosen->slabs = asked->kind == GT_SPLIT_VIEWS ? 1 : ranks;
		chosen->blocks = ranks / chosen->slabs;
	}
	if (asked->kind != GT_SPLIT_AUTO)
		return check(chosen, ranks, c);
	const size_t views = c->scan->views / c->subsets;
	double min = INFINITY;
	gt_split_spec s;
	gt_model_times t;
	for (size_t k = 0; gt_split_nth(ranks, c, k, &s); k++) {
		gt_model(c, s.slabs, s.blocks, &t);
		if (t.seconds < min) {
			min = t.seconds;
			*chosen = s;
		}
	}
	if (isfinite(min))
		return GT_OK;
	return gt_fail(GT_ERR_ARG, "%zu ranks for %zu slice%s and subsets of %zu view%s: expected fewer ranks or fewer subsets", ranks,
	               c->grid->n[2], c->grid->n[2] == 1 ? "" : "s", views, views == 1 ? "" : "s");
}

gt_grid gt_grid_slab(const gt_grid *grid, gt_range slices)
{
	gt_grid g = *grid;
	g.n[2] = slices.n;
	g.center[2] = gt_grid_first(grid, 2) + grid->pitch[2] * ((double)slices.first + 0.5 * ((double)slices.n - 1));
	return g;
}
