/* Subtracts the object outside a grid from the data. An analytic method reconstructs the object once, slab by slab;
 * voxels within the grid are set to 0, and the rest is projected. Ziegler, Nielsen and Grass (Med. Phys. 35 (2008)
 * 1317) subtract an outer region likewise. A slab takes no more memory than the volume or data. */
#include <math.h>
#include <stdlib.h>
#include <gantry/analytic.h>
#include <gantry/projector.h>
#include "core/device/backend.h"
#include "core/try.h"
#include "geometry/projections.h"
#include "recon/outside/outside.h"
#include "recon/outside/subtract.h"
#include "recon/team/team_split.h"

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

static gt_status new_operator(const gt_recon_job *j, const gt_recon_extent *slab, gt_backend *be, gt_stream **stream, gt_linop **A)
{
	gt_status st = GT_OK;
	if (!gt_recon_streams(j))
		return gt_projector_new(j->projector, be, j->type, &slab->grid, slab->p.scan, A);
	const gt_stream_problem q = gt_recon_stream_problem(j, slab, be, 1);
	GT_TRY(gt_stream_new(&q, stream));
	GT_TRY(gt_stream_operator(*stream, slab->p.scan, A));
done:
	return st;
}

/* Clears the voxels that the run reconstructs: within the sides of its grid, in all slices. */
static gt_status clear_inside(const gt_grid *inside, const gt_grid *slab, gt_array *x)
{
	size_t first[2], n[2];
	gt_status st = GT_OK;
	for (int a = 0; a < 2; a++) {
		const double before = (gt_grid_first(inside, a) - inside->pitch[a] / 2) - (gt_grid_first(slab, a) - slab->pitch[a] / 2);
		first[a] = (size_t)lround(before / slab->pitch[a]);
		n[a] = (size_t)lround((double)inside->n[a] * inside->pitch[a] / slab->pitch[a]);
	}
	for (size_t row = 0; row < n[1] * slab->n[2] && st == GT_OK; row++) {
		const size_t y = first[1] + row % n[1], z = row / n[1];
		gt_array *part;
		st = gt_array_part(x, (z * slab->n[1] + y) * slab->n[0] + first[0], n[0], &part);
		if (st != GT_OK)
			break;
		gt_fill(0, part);
		gt_array_free(part);
	}
	return st;
}

/* Subtracts a set of projections on the device, view by view. */
static gt_status subtract_views(const gt_array *y, size_t view, float *rest)
{
	float *one = malloc(view * sizeof *one);
	gt_status st = one ? GT_OK : gt_fail(GT_ERR_MEMORY, "no memory for a view of %zu pixels", view);
	for (size_t at = 0; at < gt_array_size(y) && st == GT_OK; at += view) {
		gt_array *part;
		st = gt_array_part(y, at, view, &part);
		if (st != GT_OK)
			break;
		gt_array_get_float(part, one);
		gt_array_free(part);
		for (size_t i = 0; i < view; i++)
			rest[at + i] -= one[i];
	}
	free(one);
	return st;
}

/* slab: the extent whose grid are slices of the outside. rest: NULL in a dry run. */
static gt_status subtract_slab(const gt_recon_job *j, const gt_recon_extent *slab, const gt_grid *inside, gt_backend *be, float *rest)
{
	const gt_scan *scan = slab->p.scan;
	gt_array *x = NULL, *y = NULL;
	gt_stream *stream = NULL;
	gt_linop *A = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_array_new(be, j->type, gt_grid_voxels(&slab->grid), &x));
	GT_TRY(gt_recon_direct(j, gt_analytic_for(slab->all->scan), NULL, slab, x));
	GT_TRY(clear_inside(inside, &slab->grid, x));
	GT_TRY(new_operator(j, slab, be, &stream, &A));
	GT_TRY(gt_array_new(be, j->type, gt_linop_ny(A), &y));
	gt_forward(A, x, y);
	GT_TRY(gt_backend_status(be));
	if (rest)
		GT_TRY(subtract_views(y, scan->rows * scan->columns, rest));
	GT_TRY(gt_backend_status(be));
done:
	gt_linop_free(A);
	gt_stream_free(stream);
	gt_array_free(x);
	gt_array_free(y);
	return st;
}

gt_status gt_outside_subtract(const gt_recon_job *j, const gt_recon_extent *e, gt_backend *be, float **rest)
{
	const gt_z_margin_options margin = { j->margin, j->grid_is_given };
	const size_t n = gt_scan_size(e->p.scan);
	gt_recon_job quiet = *j;
	gt_recon_extent slab = *e;
	gt_grid all;
	float *data = NULL;
	gt_status st = GT_OK;
	*rest = NULL;
	if (j->outside.mode != GT_OUTSIDE_SUBTRACT)
		return GT_OK;
	quiet.on.log = (gt_listener){ NULL, NULL };
	gt_outside_coarse_grid(&j->outside, &margin, e, &all);
	const size_t max = larger(n, gt_grid_voxels(&e->grid)) / (all.n[0] * all.n[1]), slices = larger(1, max);
	if (!gt_backend_is_dry_run(be)) {
		if (!(data = malloc(n * sizeof *data)))
			GT_TRY(gt_fail(GT_ERR_MEMORY, "data without the object outside the grid need %.3g MB", (double)n * 4e-6));
		for (size_t i = 0; i < n; i++)
			data[i] = e->p.data[i];
	}
	for (size_t z = 0; z < all.n[2]; z += slices) {
		const gt_range range = { z, all.n[2] - z < slices ? all.n[2] - z : slices };
		slab.grid = gt_grid_slab(&all, range);
		slab.asked = &slab.grid;
		GT_TRY(subtract_slab(&quiet, &slab, &e->grid, be, data));
	}
	*rest = data;
	data = NULL;
done:
	free(data);
	return st;
}

double gt_outside_data_norm(const gt_recon_extent *e)
{
	const size_t n = gt_scan_size(e->p.scan);
	double sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += (double)e->p.data[i] * e->p.data[i];
	return sqrt(sum);
}
