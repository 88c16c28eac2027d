/* Grids from partial specifications, and parts of a scan. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/try.h"
#include "geometry/projections.h"
#include "geometry/grid_request.h"

gt_status gt_grid_resize(size_t across, double voxel, gt_grid *g)
{
	const double wide = fmax((double)g->n[0] * g->pitch[0], (double)g->n[1] * g->pitch[1]), high = (double)g->n[2] * g->pitch[2];
	const double pitch = voxel > 0 ? voxel : wide / (double)across, n = across ? (double)across : ceil(wide / pitch - 1e-9);
	/* A single slice, as of a fan beam, keeps the height of the row. */
	const double slices = g->n[2] == 1 ? 1 : fmax(1, ceil(high / pitch - 1e-9));
	if (!(n * n * slices < 1e15))
		return gt_fail(GT_ERR_ARG, "a grid of %.0f x %.0f x %.0f voxels of %g mm: expected less than 1e15", n, n, slices, pitch);
	g->n[0] = g->n[1] = (size_t)n;
	g->pitch[0] = g->pitch[1] = pitch;
	if (g->n[2] > 1) {
		g->n[2] = (size_t)slices;
		g->pitch[2] = pitch;
	}
	return GT_OK;
}

gt_status gt_index_range_parse(const char *what, const char *text, gt_index_range *r)
{
	long long *const field[] = { &r->first, &r->end, &r->step };
	int given[3] = { 0, 0, 0 }, parts = 0;
	*r = (gt_index_range){ .step = 1 };
	for (const char *at = text; parts < 3; parts++) {
		char *end;
		const long long value = strtoll(at, &end, 10);
		given[parts] = end > at;
		if (end > at)
			*field[parts] = value;
		at = end;
		if (*at != ':') {
			if (*at || (!parts && !given[0]))
				break;
			r->has_first = given[0];
			r->has_end = given[1];
			r->one = parts == 0;
			return r->step > 0 ? GT_OK : gt_fail(GT_ERR_ARG, "%s=%s: expected a step of at least 1", what, text);
		}
		at++;
	}
	return gt_fail(GT_ERR_ARG, "%s=%s: expected A:B or A:B:STEP, from A to B - 1, counted from 0", what, text);
}

gt_status gt_view_range_parse(const char *what, const char *text, gt_index_range *r)
{
	const gt_status st = gt_index_range_parse(what, text, r);
	if (st != GT_OK || !r->one)
		return st;
	const long long n = r->first ? llabs(r->first) : 1;
	return gt_fail(GT_ERR_ARG, "%s=%s: found a single view, expected A:B or A:B:STEP; use 0:%lld for the first %lld views", what, text,
	               n, n);
}

gt_status gt_index_range_of(const char *what, const gt_index_range *r, size_t n, size_t *first, size_t *count, size_t *step)
{
	const long long all = (long long)n, a = r->has_first ? r->first < 0 ? r->first + all : r->first : 0;
	const long long b = r->one ? a + 1 : r->has_end ? r->end < 0 ? r->end + all : r->end : all;
	if (a < 0 || b > all || a >= b)
		return gt_fail(GT_ERR_ARG, "%s: %lld to %lld of %zu is empty: expected a part of 0 to %zu", what, a, b - 1, n, n - 1);
	*first = (size_t)a;
	*step = (size_t)r->step;
	*count = (size_t)((b - a - 1) / r->step + 1);
	return GT_OK;
}

gt_status gt_grid_slices(const char *text, gt_grid *g)
{
	gt_index_range r;
	size_t first = 0, n = 0, step = 1;
	gt_status st = gt_index_range_parse("slice", text, &r);
	if (st == GT_OK)
		st = gt_index_range_of("slice", &r, g->n[2], &first, &n, &step);
	if (st == GT_OK && step != 1)
		st = gt_fail(GT_ERR_ARG, "slice=%s: found a step: expected consecutive slices", text);
	if (st != GT_OK)
		return st;
	g->center[2] = gt_grid_first(g, 2) + ((double)first + (double)(n - 1) / 2) * g->pitch[2];
	g->n[2] = n;
	return GT_OK;
}

static gt_status keep(float **values, const size_t view[2], size_t n, size_t cells)
{
	float *kept = *values ? malloc(n * cells * sizeof *kept) : NULL;
	if (!*values)
		return GT_OK;
	if (!kept)
		return gt_fail(GT_ERR_MEMORY, "views: out of memory");
	for (size_t i = 0; i < n; i++)
		memcpy(kept + i * cells, *values + (view[0] + i * view[1]) * cells, cells * sizeof *kept);
	free(*values);
	*values = kept;
	return GT_OK;
}

gt_status gt_projections_views(const char *text, gt_projections *p)
{
	gt_index_range r;
	gt_scan *part = NULL;
	size_t view[2] = { 0, 1 }, n = 0;
	const size_t cells = p->scan->rows * p->scan->columns;
	gt_status st = GT_OK;
	GT_TRY(gt_view_range_parse("views", text, &r));
	GT_TRY(gt_index_range_of("views", &r, p->scan->views, &view[0], &n, &view[1]));
	GT_TRY(gt_scan_subset(p->scan, view[0], view[1], &part));
	part->views = n; /* the subset goes to the end */
	GT_TRY(keep(&p->data, view, n, cells));
	GT_TRY(keep(&p->weight, view, n, cells));
	GT_TRY(keep(&p->photons, view, n, cells));
	gt_scan_free(p->scan);
	p->scan = part;
	part = NULL;
done:
	gt_scan_free(part);
	return st;
}
