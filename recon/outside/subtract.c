/* Subtracts the object outside a grid from the data. An analytic method reconstructs the object once, slab by slab;
 * voxels within the grid are set to 0, and the rest is projected, subset by subset. Ziegler, Nielsen and Grass (Med.
 * Phys. 35 (2008) 1317) subtract an outer region likewise. Covered slices of a slab take no more memory than the
 * volume or the data. */
#include <math.h>
#include <gantry/analytic.h>
#include <gantry/projector.h>
#include "analytic/fbp/slab.h"
#include "core/device/backend.h"
#include "core/partition/partition.h"
#include "core/text.h"
#include "core/try.h"
#include "recon/outside/outside.h"
#include "recon/outside/subtract.h"
#include "recon/team/team_run.h"

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

/* The operator of one subset on a slab. stream: of this slab; NULL: the device holds it. */
static gt_status new_operator(const gt_recon_job *j, const gt_grid *slab, const gt_grid *inside, const gt_scan *part, gt_backend *be,
                              gt_stream *stream, gt_linop **A)
{
	if (stream)
		return gt_stream_operator(stream, part, A);
	if (!j->team)
		return gt_projector_new(j->chosen.projector, be, j->chosen.type, slab, part, A);
	const gt_team_problem q = { .projector = j->chosen.projector, .type = j->chosen.type, .grid = slab, .scan = part };
	return gt_team_operator(&j->team->split, &q, inside, be, part, A);
}

/* Clears the voxels that the run reconstructs: within the sides of its grid, in all slices of this rank. */
static gt_status clear_inside(const gt_grid *inside, const gt_grid *slab, const gt_array *x)
{
	const size_t slices = gt_array_here(x) / (slab->n[0] * slab->n[1]);
	size_t first[2], n[2];
	gt_array *own = NULL, *part;
	gt_status st = gt_array_local(x, &own);
	for (int a = 0; a < 2; a++) {
		const double before = (gt_grid_first(inside, a) - inside->pitch[a] / 2) - (gt_grid_first(slab, a) - slab->pitch[a] / 2);
		first[a] = (size_t)lround(before / slab->pitch[a]);
		n[a] = (size_t)lround((double)inside->n[a] * inside->pitch[a] / slab->pitch[a]);
	}
	for (size_t row = 0; row < n[1] * slices && st == GT_OK; row++) {
		const size_t y = first[1] + row % n[1], z = row / n[1];
		st = gt_array_part(own, (z * slab->n[1] + y) * slab->n[0] + first[0], n[0], &part);
		if (st != GT_OK)
			break;
		gt_fill(0, part);
		gt_array_free(part);
	}
	gt_array_free(own);
	return st;
}

/* Subtracts the projections of x, which is on the slab, from subset k. */
static gt_status subtract_subset(const gt_recon_job *j, const gt_recon_extent *slab, const gt_grid *inside, gt_stream *stream,
                                 const gt_array *x, size_t k, gt_subsets *s)
{
	gt_backend *be = gt_array_backend(x);
	gt_scan *part = NULL;
	gt_linop *A = NULL;
	gt_array *y = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_scan_subset(slab->p.scan, k, s->subsets, &part));
	GT_TRY(new_operator(j, &slab->grid, inside, part, be, stream, &A));
	GT_TRY(gt_array_like(s->b[k], &y));
	gt_forward(A, x, y);
	gt_axpy(-1, y, s->b[k]);
	GT_TRY(gt_backend_status(be));
done:
	gt_array_free(y);
	gt_linop_free(A);
	gt_scan_free(part);
	return st;
}

/* The object on a slab. It is not truncated, and an extension would lower the rim of an object close to the edge of the
 * detector. The host computes methods that do not support slabs, if a device streams. */
static gt_status direct(const gt_recon_job *j, const gt_recon_extent *slab, gt_array *x)
{
	gt_recon_job here = *j;
	gt_method m = { NULL, NULL, NULL };
	char spec[64];
	gt_status st = GT_OK;
	gt_snprintf(spec, sizeof spec, "%s:extend=none", gt_analytic_for(slab->all->scan)->name);
	GT_TRY(gt_method_parse(spec, &m));
	if (gt_recon_streams(j) && !gt_slab_plan_supports(m.analytic))
		here.with.backend = NULL;
	st = gt_recon_direct(&here, m.analytic, m.options, slab, x, NULL);
done:
	gt_method_free(&m);
	return st;
}

/* slab: the extent whose grid are slices of the outside. */
static gt_status subtract_slab(const gt_recon_job *j, const gt_recon_extent *slab, const gt_grid *inside, gt_backend *be, gt_subsets *s)
{
	const gt_grid *g = &slab->grid;
	gt_array *x = NULL;
	gt_stream *stream = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_array_new_shared(be, j->chosen.type, g->n[0] * g->n[1], g->n[2], &x));
	GT_TRY(direct(j, slab, x));
	GT_TRY(clear_inside(inside, g, x));
	if (gt_recon_streams(j)) {
		const gt_stream_problem q = gt_recon_stream_problem(j, slab, be, s->subsets);
		GT_TRY(gt_stream_new(&q, &stream));
	}
	for (size_t k = 0; k < s->subsets; k++)
		GT_TRY(subtract_subset(j, slab, inside, stream, x, k, s));
done:
	gt_stream_free(stream);
	gt_array_free(x);
	return st;
}

gt_status gt_outside_coverage(const gt_scan *scan, const gt_grid *all, gt_analytic_coverage *c)
{
	const gt_analytic *m = gt_analytic_for(scan);
	*c = (gt_analytic_coverage){ .end = all->n[2], .radius = INFINITY };
	return m->coverage ? m->coverage(all, scan, c) : GT_OK;
}

/* Slices before and after the covered ones belong to the slabs at the ends. The method fills them from their
 * neighbours. */
gt_status gt_outside_subtract(const gt_recon_job *j, const gt_recon_extent *e, gt_backend *be, gt_stream *held, gt_subsets *s)
{
	const gt_z_margin_options margin = { j->chosen.margin, j->chosen.grid_is_given };
	gt_recon_job quiet = *j;
	gt_recon_extent slab = *e;
	gt_grid all;
	gt_analytic_coverage c;
	gt_status st = GT_OK;
	if (j->chosen.outside.mode != GT_OUTSIDE_SUBTRACT)
		return GT_OK;
	quiet.on.log = (gt_listener){ NULL, NULL };
	gt_outside_coarse_grid(&j->chosen.outside, &margin, e, &all);
	if (held)
		gt_stream_buffers_free(held);
	GT_TRY(gt_outside_coverage(e->all->scan, &all, &c));
	const size_t max = larger(gt_scan_size(e->p.scan), gt_grid_voxels(&e->grid)) / (all.n[0] * all.n[1]), slices = larger(1, max);
	for (size_t z = c.first; z < c.end; z += slices) {
		const size_t first = z == c.first ? 0 : z, end = z + slices < c.end ? z + slices : all.n[2];
		slab.grid = gt_grid_slab(&all, (gt_range){ first, end - first });
		slab.asked = &slab.grid;
		GT_TRY(subtract_slab(&quiet, &slab, &e->grid, be, s));
	}
	if (held)
		GT_TRY(gt_stream_buffers_new(held));
done:
	return st;
}
