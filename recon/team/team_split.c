/* Which split: as asked for, or by a model of time. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "core/try.h"
#include "recon/team/team_split.h"

/* Of an H200: seconds per voxel and view of a projection with its adjoint; bytes per second between two; seconds
 * of an exchange. What matters is their ratio. */
static const double per_update = 2e-12, link = 3e11, latency = 2e-5;
/* Slices of work that an inner edge of a slab costs, forward and back together. */
static const double edge = 7.3;

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

/* Seconds of one pass over the data beyond an equal part of the work. */
static double cost(size_t p, size_t q, const gt_grid *grid, const gt_scan *scan, size_t subsets)
{
	const double volume = 4. * (double)gt_grid_voxels(grid), data = 4. * (double)gt_scan_size(scan), n = (double)(p * q);
	const double work = per_update * (double)gt_grid_voxels(grid) * (double)scan->views;
	const double seen = gt_scan_is_helical(scan) ? 1.2 / (double)q : 1; /* of the volume, by one block of views */
	const double of_volume = q > 1 ? 2 * (double)subsets * (volume / (double)p * seen * (1 - 1 / (double)q) / link + latency) : 0;
	const double of_data = p > 1 ? 2 * (data / n * (1 - 1 / (double)p) / link + latency * (double)subsets) : 0;
	const double edges = p > 1 ? work / n * (p > 2 ? 2 : 1) * edge * (double)p / (double)grid->n[2] : 0;
	return of_volume + of_data + edges;
}

static gt_status check(const gt_split_spec *s, size_t members, const gt_grid *grid, const gt_scan *scan, size_t subsets)
{
	const size_t views = scan->views / subsets;
	if (s->slabs * s->blocks != members)
		return gt_fail(GT_ERR_ARG, "split=%zux%zu: is for %zu members, there are %zu", s->slabs, s->blocks, s->slabs * s->blocks,
		               members);
	if (s->slabs > grid->n[2])
		return gt_fail(GT_ERR_ARG, "split: %zu slabs of %zu slice%s: expected at most one slab per slice, or split=views", s->slabs,
		               grid->n[2], grid->n[2] == 1 ? "" : "s");
	if (s->blocks > views)
		return gt_fail(GT_ERR_ARG,
		               "split: %zu blocks of views of subsets with %zu view%s: expected at most one block per view, fewer "
		               "subsets, or split=slices",
		               s->blocks, views, views == 1 ? "" : "s");
	return GT_OK;
}

gt_status gt_split_choose(const gt_split_spec *asked, size_t members, const gt_grid *grid, const gt_scan *scan, size_t subsets,
                          gt_split_spec *chosen)
{
	*chosen = *asked;
	if (asked->kind == GT_SPLIT_VIEWS || asked->kind == GT_SPLIT_SLICES) {
		chosen->slabs = asked->kind == GT_SPLIT_VIEWS ? 1 : members;
		chosen->blocks = members / chosen->slabs;
	}
	if (asked->kind != GT_SPLIT_AUTO)
		return check(chosen, members, grid, scan, subsets);
	double least = INFINITY;
	gt_status st = GT_OK;
	for (size_t p = 1; p <= members; p++) {
		const gt_split_spec s = { GT_SPLIT_GRID, p, members / p };
		if (members % p)
			continue;
		const gt_status fits = check(&s, members, grid, scan, subsets);
		const double seconds = fits == GT_OK ? cost(s.slabs, s.blocks, grid, scan, subsets) : INFINITY;
		st = p == 1 ? fits : st;
		if (seconds < least) {
			least = seconds;
			*chosen = s;
		}
	}
	if (isfinite(least))
		return GT_OK;
	return st != GT_OK ? gt_fail(GT_ERR_ARG, "%zu members for %zu slices and subsets of %zu views: expected fewer members", members,
	                             grid->n[2], scan->views / subsets)
	                   : GT_OK;
}

gt_grid gt_grid_slab(const gt_grid *grid, gt_range slices)
{
	gt_grid g = *grid;
	g.n[2] = slices.n;
	g.center[2] = gt_grid_first(grid, 2) + grid->pitch[2] * ((double)slices.first + 0.5 * ((double)slices.n - 1));
	return g;
}
