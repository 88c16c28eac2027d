/* Analytic methods, and the initial volume of iterative ones. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/analytic.h>
#include "analytic/fbp/slab.h"
#include "analytic/wfbp/from_host.h"
#include "core/log.h"
#include "core/partition/partition.h"
#include "core/try.h"
#include "geometry/projections.h"
#include "geometry/volume.h"
#include "recon/choose.h"
#include "recon/team/direct_slab.h"
#include "recon/team/team_run.h"

/* Reports the slices that the method cannot reconstruct. */
static gt_status report_unseen(const gt_recon_job *j, const gt_analytic *method, const gt_grid *grid, const gt_scan *scan)
{
	gt_analytic_coverage s;
	const gt_status st = method->coverage(grid, scan, &s);
	if (st != GT_OK || s.first == s.end)
		return st;
	if (s.end - s.first == 1 && grid->n[2] > 1)
		gt_notify(&j->on.log, GT_WARNING, GT_ABOUT_GEOMETRY,
		          "%s: only slice %zu of %zu is seen over 180 degrees; the others are filled from the nearest rows", method->name,
		          s.first, grid->n[2]);
	else if (s.end - s.first < grid->n[2])
		gt_notify(&j->on.log, GT_WARNING, GT_ABOUT_GEOMETRY,
		          "%s: only slices %zu to %zu of %zu are seen over 180 degrees; the others are filled from the nearest rows",
		          method->name, s.first, s.end - 1, grid->n[2]);
	if (isfinite(s.radius))
		gt_notify(
			&j->on.log, GT_WARNING, GT_ABOUT_GEOMETRY,
			"%s: pitch %.4g is beyond %.4g, the limit of this grid: voxels more than %.4g mm from the axis are not seen over 180 "
			"degrees",
			method->name, s.pitch, s.limit, s.radius);
	return GT_OK;
}

/* Reconstructs by one call, with data and volume whole on the device; by wfbp with the views that the grid needs. */
static gt_status run_whole(const gt_analytic *method, const void *options, const gt_recon_extent *e, gt_array *x)
{
	gt_array *data = NULL;
	gt_status st = GT_OK;
	if (gt_wfbp_from_host_supports(method)) {
		GT_TRY(gt_wfbp_from_host(&e->grid, e->all->scan, options, e->all->data, x));
		return gt_backend_status(gt_array_backend(x));
	}
	GT_TRY(gt_array_new(gt_array_backend(x), gt_array_type(x), gt_scan_size(e->all->scan), &data));
	gt_array_put_float(e->all->data, data);
	GT_TRY(gt_analytic_run(method, gt_array_backend(x), &e->grid, e->all->scan, options, data, x));
	GT_TRY(gt_backend_status(gt_array_backend(x)));
done:
	gt_array_free(data);
	return st;
}

/* Each rank reconstructs the whole volume and keeps its own slices. */
static gt_status whole_and_take(const gt_analytic *method, const void *options, const gt_recon_extent *e, gt_array *own, gt_range share)
{
	const size_t plane = e->grid.n[0] * e->grid.n[1];
	gt_array *whole = NULL, *part = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_array_new(gt_array_backend(own), gt_array_type(own), gt_grid_voxels(&e->grid), &whole));
	GT_TRY(run_whole(method, options, e, whole));
	GT_TRY(gt_array_part(whole, share.first * plane, share.n * plane, &part));
	gt_copy(part, own);
	GT_TRY(gt_backend_status(gt_array_backend(own)));
done:
	gt_array_free(part);
	gt_array_free(whole);
	return st;
}

/* Reconstructs slices on a grid of their own, for methods that do not support slabs. */
static gt_status run_slices(const gt_analytic *method, const void *options, const gt_recon_extent *e, gt_range share, gt_array *own)
{
	gt_recon_extent part = *e;
	part.grid = gt_grid_slab(&e->grid, share);
	return run_whole(method, options, &part, own);
}

/* Reconstructs the rank's slices. If a method cannot do so for some rank, all ranks compute the whole volume. An
 * example are slices that a helix does not see over 180 degrees. */
static gt_status direct_share(const gt_analytic *method, const void *options, const gt_recon_extent *e, gt_array *x, gt_recon_early *early)
{
	const gt_direct_case c = { method, options, &e->grid, e->all->scan, e->all->data };
	gt_backend *be = gt_array_backend(x);
	const gt_range share = gt_local_range(be, e->grid.n[2]);
	float *out = early && early->out ? early->out + share.first * e->grid.n[0] * e->grid.n[1] : NULL;
	gt_array *own = NULL;
	int is_out = 0;
	gt_status st = GT_OK;
	GT_TRY(gt_array_local(x, &own));
	if (share.n)
		st = gt_slab_plan_supports(method) ? gt_direct_slab(&c, share, own, out, early ? &is_out : NULL)
		                                   : run_slices(method, options, e, share, own);
	if (gt_team_min(be, st != GT_ERR_UNSUPPORTED) == 0) {
		st = whole_and_take(method, options, e, own, share);
		is_out = 0;
	}
	if (early)
		early->is_out = gt_team_min(be, is_out || !share.n) != 0;
done:
	gt_array_free(own);
	return st;
}

/* A GPU computes during the upload of views; the CPU has them already. */
static gt_status direct_alone(const gt_analytic *method, const void *options, const gt_recon_extent *e, gt_array *x, gt_recon_early *early)
{
	const gt_direct_case c = { method, options, &e->grid, e->all->scan, e->all->data };
	const gt_range all = { 0, e->grid.n[2] };
	if (!gt_backend_is_gpu(gt_array_backend(x)) || !gt_slab_plan_supports(method))
		return run_whole(method, options, e, x);
	const gt_status st = gt_direct_slab(&c, all, x, early ? early->out : NULL, early ? &early->is_out : NULL);
	return st == GT_ERR_UNSUPPORTED ? run_whole(method, options, e, x) : st;
}

gt_status gt_recon_direct(const gt_recon_job *j, const gt_analytic *method, const void *options, const gt_recon_extent *e, gt_array *x,
                          gt_recon_early *early)
{
	gt_status st = GT_OK;
	gt_method_note_form(&j->on.log, method, options, gt_array_backend(x));
	if (method->coverage && j->on.log.say)
		GT_TRY(report_unseen(j, method, e->asked, e->all->scan));
	if (gt_recon_streams(j)) {
		const gt_stream_problem q = gt_recon_stream_problem(j, e, gt_array_backend(x), 1);
		return gt_stream_direct(&q, method, options, e->all->scan, e->all->data, x);
	}
	st = gt_array_is_shared(x) ? direct_share(method, options, e, x, early) : direct_alone(method, options, e, x, early);
done:
	return st;
}

static gt_status put_slices(const float *volume, const gt_recon_extent *e, gt_array *x)
{
	gt_array *part = NULL;
	gt_status st = GT_OK;
	if (gt_recon_extent_differs(e)) {
		GT_TRY(gt_recon_extent_put(e, volume, x));
	} else {
		GT_TRY(gt_slices_part(x, &e->grid, e->below, e->asked->n[2], &part));
		gt_array_put_float(volume, part);
	}
	GT_TRY(gt_recon_extent_fill_padding(e, x));
	GT_TRY(gt_backend_status(gt_array_backend(x)));
done:
	gt_array_free(part);
	return st;
}

static gt_status start_from_file(const gt_recon_job *j, const gt_recon_extent *e, gt_array *x)
{
	const gt_grid *grid = e->asked;
	gt_volume *v = NULL;
	char have[256], want[256];
	gt_read_options o = gt_read_defaults;
	gt_status st = GT_OK;
	o.notes = j->on.log;
	gt_team_lock(gt_array_backend(x));
	st = gt_read_volume(j->chosen.init, &o, &v);
	gt_team_unlock(gt_array_backend(x));
	GT_TRY(st);
	gt_grid_print(&v->grid, have, sizeof have);
	gt_grid_print(grid, want, sizeof want);
	if (!gt_grid_same(&v->grid, grid))
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "%s: its grid is %s, expected %s (--like %s takes its grid)", j->chosen.init, have, want,
		               j->chosen.init));
	GT_TRY(put_slices(v->data, e, x));
done:
	gt_volume_free(v);
	return st;
}

/* The caller's array must be finite, as files of volumes are. */
static gt_status start_from_array(const gt_recon_job *j, const gt_recon_extent *e, gt_array *x)
{
	const size_t *n = e->asked->n, all = gt_grid_voxels(e->asked);
	for (size_t i = 0; i < all && !gt_backend_is_dry_run(gt_array_backend(x)); i++)
		if (!isfinite(j->chosen.start[i]))
			return gt_fail(GT_ERR_ARG, "the start volume: voxel [%zu][%zu][%zu] is %g: expected finite numbers",
			               i / n[0] / n[1], i / n[0] % n[1], i % n[0], (double)j->chosen.start[i]);
	return put_slices(j->chosen.start, e, x);
}

/* Starts from the default or requested analytic method; *name: the method, or "zero". */
static gt_status start_directly(const gt_recon_job *j, const gt_recon_extent *e, gt_array *x, const char **name)
{
	const int automatic = !strcmp(j->chosen.init, "auto");
	const gt_analytic *method = automatic || !strcmp(j->chosen.init, "fdk") ? gt_analytic_for(e->all->scan)
	                                                                        : gt_analytic_find(j->chosen.init);
	gt_status st = gt_recon_direct(j, method, NULL, e, x, NULL);
	/* All ranks use the same start. */
	if (gt_team_min(gt_array_backend(x), st != GT_ERR_UNSUPPORTED) == 0)
		st = GT_ERR_UNSUPPORTED;
	*name = method->name;
	if (st == GT_OK)
		gt_notify(&j->on.log, GT_INFO, GT_ABOUT_CHOICE, "start: %s", method->name);
	if (st != GT_ERR_UNSUPPORTED || !automatic)
		return st;
	gt_notify(&j->on.log, GT_INFO, GT_ABOUT_CHOICE, "start: zero (%.*s)", gt_length_without_advice(gt_error()), gt_error());
	*name = "zero";
	gt_fill(0, x);
	return GT_OK;
}

/* Fills the surroundings of a start volume that covers the requested grid alone: by the analytic method, else by 0. */
static gt_status start_around(const gt_recon_job *j, const gt_recon_extent *e, gt_array *x)
{
	if (e->grid.n[0] <= e->asked->n[0] && e->grid.n[1] <= e->asked->n[1])
		return GT_OK;
	const gt_status st = gt_recon_direct(j, gt_analytic_for(e->all->scan), NULL, e, x, NULL);
	if (gt_team_min(gt_array_backend(x), st != GT_ERR_UNSUPPORTED))
		return st;
	gt_fill(0, x);
	return GT_OK;
}

gt_status gt_recon_begin(const gt_recon_job *j, const gt_recon_extent *e, gt_array *x, gt_recon_fraction *w, char **start)
{
	const char *name = j->chosen.start ? "array" : j->chosen.init;
	gt_status st = GT_OK;
	if (j->chosen.start || gt_recon_starts_from_file(j->chosen.init))
		GT_TRY(start_around(j, e, x));
	if (j->chosen.start)
		GT_TRY(start_from_array(j, e, x));
	else if (!strcmp(j->chosen.init, "zero"))
		gt_fill(0, x);
	else if (gt_recon_starts_from_file(j->chosen.init))
		GT_TRY(start_from_file(j, e, x));
	else {
		gt_recon_fraction_direct(w, 1);
		st = start_directly(j, e, x, &name);
		gt_recon_fraction_direct(w, 0);
		GT_TRY(st);
	}
	/* The settings may be freed before the result is queried. */
	free(*start);
	if (!(*start = strdup(name)))
		st = gt_fail(GT_ERR_MEMORY, "out of memory");
done:
	return st;
}
