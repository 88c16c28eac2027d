/* Reads the projections of a reconstruction, and finds its grid. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/analytic.h>
#include <gantry/array.h>
#include "core/log.h"
#include "core/arguments.h"
#include "core/try.h"
#include "geometry/grid_request.h"
#include "recon/recon.h"

/* Analytic methods, and the solver that replaces them, do not use weights and photons. */
static int wants_statistics(const gt_recon_settings *s)
{
	return s->method.solver || s->preset == GT_PRESET_ITERATIVE || s->weights.kind != GT_WEIGHTS_AUTO;
}

static int report_reading(void *self, double done) { return gt_recon_report(self, GT_RECON_READING, done, NULL); }

static gt_status take_views(const gt_recon *r, const gt_listener *log, gt_projections *p)
{
	const size_t all = p->scan->views;
	const gt_status st = gt_projections_views(r->set.text[GT_SET_VIEWS], p);
	if (st == GT_OK)
		gt_notify(log, GT_INFO, GT_ABOUT_DATA, "uses %zu of %zu views", p->scan->views, all);
	return st;
}

static gt_status read_scan(gt_recon *r, const gt_listener *log, int geometry_only, gt_projections **p)
{
	gt_read_options o = r->read;
	o.geometry_only = geometry_only;
	o.may_lack_data = 1;
	o.without_statistics = !wants_statistics(&r->set);
	if (!o.notes.say)
		o.notes = *log;
	if (!o.progress && !geometry_only) {
		o.progress = report_reading;
		o.progress_self = &r->job;
	}
	if (!geometry_only && gt_recon_report(&r->job, GT_RECON_READING, 0, NULL))
		return gt_fail(GT_STOPPED, "stopped before %s was read", r->path);
	gt_status st = gt_read_projections(r->path, &o, p);
	if (!geometry_only && gt_recon_report(&r->job, GT_RECON_READING, 1, NULL) && st == GT_OK) {
		gt_projections_free(*p);
		*p = NULL;
		st = gt_fail(GT_STOPPED, "stopped when %s was read", r->path);
	}
	/* With the data in another file, all views are needed until they are read. */
	if (st == GT_OK && r->set.text[GT_SET_VIEWS] && !r->set.text[GT_SET_DATA])
		st = take_views(r, log, *p);
	if (st != GT_OK || (*p)->data || geometry_only)
		return st;
	gt_projections_free(*p);
	*p = NULL;
	return gt_fail(GT_ERR_FORMAT, "%s: variable projections is missing: the file holds only the geometry", r->path);
}

/* Filtered projections are not line integrals; every method would filter or fit them wrongly. */
static gt_status refuse_filtered(const gt_recon *r, const char *path, const gt_projections *p)
{
	return r->set.force ? GT_OK
	                    : gt_projections_unfiltered(p, path, " ('gantry rabbitct' backprojects them unchanged; --force accepts them)");
}

/* Likewise for a separate data file that records filtering: NetCDF with a geometry. */
static gt_status refuse_filtered_data(const gt_recon *r, const char *path)
{
	gt_read_options o = gt_read_defaults;
	const gt_format *format;
	gt_projections *p = NULL;
	int projections;
	o.geometry_only = o.without_statistics = 1;
	if (gt_file_kind(path, &format, &projections) != GT_OK || !projections || strcmp(format->name, "netcdf") != 0 ||
	    gt_read_projections(path, &o, &p) != GT_OK)
		return GT_OK; /* the reader of the values reports the error */
	const gt_status st = refuse_filtered(r, path, p);
	gt_projections_free(p);
	return st;
}

gt_status gt_recon_read(gt_recon *r, const gt_listener *log, int geometry_only, gt_projections **out)
{
	const char *data = r->set.text[GT_SET_DATA];
	gt_projections *p = NULL;
	gt_view_reader *views = NULL;
	gt_status st = GT_OK;
	if (data)
		GT_TRY(refuse_filtered_data(r, data));
	if (!data || geometry_only) {
		GT_TRY(read_scan(r, log, geometry_only, &p));
		if (!data)
			GT_TRY(refuse_filtered(r, r->path, p));
		*out = p;
		return GT_OK;
	}
	GT_TRY(read_scan(r, log, 1, &p));
	GT_TRY(gt_view_reader_open(data, &r->read, p->scan, &views));
	GT_TRY(gt_host_has_memory((double)gt_scan_size(p->scan) * sizeof(float), data));
	if (!(p->data = malloc(gt_scan_size(p->scan) * sizeof *p->data)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "%s: out of memory", data));
	GT_TRY(gt_view_reader_read(views, 0, p->scan->views, 0, p->scan->rows, p->data));
	if (r->set.text[GT_SET_VIEWS])
		GT_TRY(take_views(r, log, p));
	*out = p;
	p = NULL;
done:
	gt_view_reader_close(views);
	gt_projections_free(p);
	return st;
}

gt_status gt_recon_check_given(const gt_recon *r)
{
	const gt_projections *p = r->given;
	gt_status st = r->set.force ? GT_OK : gt_projections_unfiltered(p, "these", "");
	if (st == GT_OK)
		st = gt_fail_in(gt_scan_check(p->scan), "the projections");
	return st == GT_OK ? gt_projections_finite(p) : st;
}

static gt_status grid_of_file(const char *path, const gt_listener *log, gt_grid *grid)
{
	gt_volume *model = NULL;
	gt_read_options o = gt_read_defaults;
	o.geometry_only = 1;
	o.notes = *log;
	const gt_status st = gt_read_volume(path, &o, &model);
	if (st != GT_OK)
		return st;
	*grid = model->grid;
	gt_volume_free(model);
	return GT_OK;
}

gt_status gt_recon_default_grid(const gt_scan *scan, gt_grid *grid, size_t *below, size_t *above)
{
	GT_NEED(scan);
	GT_NEED(grid);
	const gt_analytic *m = gt_analytic_for(scan);
	gt_analytic_coverage s;
	size_t unasked[2];
	below = below ? below : &unasked[0];
	above = above ? above : &unasked[1];
	*below = *above = 0;
	const gt_status st = gt_grid_default(scan, grid);
	if (st != GT_OK || !gt_scan_is_helical(scan) || !m->coverage || m->coverage(grid, scan, &s) != GT_OK || s.first == s.end)
		return st;
	*below = s.first;
	*above = grid->n[2] - s.end;
	grid->center[2] += ((double)*below - (double)*above) / 2 * grid->pitch[2];
	grid->n[2] = s.end - s.first;
	if (fabs(grid->center[2]) < 1e-9 * grid->pitch[2])
		grid->center[2] = 0;
	return GT_OK;
}

static gt_status grid_that_fits(const gt_listener *log, const gt_scan *scan, gt_grid *grid)
{
	char text[256];
	size_t below, above;
	const gt_status st = gt_recon_default_grid(scan, grid, &below, &above);
	/* The user did not request this grid, so it is not a usage error. */
	if (st != GT_OK)
		return st == GT_ERR_ARG ? gt_fail(GT_ERR_UNSUPPORTED, "%s (--grid sets another one)", gt_error()) : st;
	gt_grid_print(grid, text, sizeof text);
	gt_notify(log, GT_INFO, GT_ABOUT_CHOICE, "grid %s", text);
	if (below + above)
		gt_notify(log, GT_INFO, GT_ABOUT_GEOMETRY,
		          "omits %zu slice%s below and %zu above: rays cover them over less than 180 degrees", below, below == 1 ? "" : "s",
		          above);
	return GT_OK;
}

gt_status gt_recon_find_grid(gt_recon *r, const gt_listener *log, const gt_scan *scan, gt_grid *grid)
{
	gt_status st = GT_OK;
	if (r->grid_from == GT_GRID_GIVEN)
		*grid = r->grid;
	else if (r->set.text[GT_SET_GRID] && !r->set.across)
		*grid = r->set.grid;
	else if (r->set.text[GT_SET_LIKE])
		GT_TRY(grid_of_file(r->set.text[GT_SET_LIKE], log, grid));
	else if (r->grid_from == GT_GRID_OF_VOLUME)
		*grid = r->grid;
	else
		GT_TRY(grid_that_fits(log, scan, grid));
	if (r->grid_from == GT_GRID_NOT_GIVEN && (r->set.across || r->set.voxel > 0)) {
		char text[256];
		GT_TRY(gt_grid_resize(r->set.across, r->set.voxel, grid));
		gt_grid_print(grid, text, sizeof text);
		gt_notify(log, GT_INFO, GT_ABOUT_CHOICE, "grid as requested: %s", text);
	}
	if (r->grid_from == GT_GRID_NOT_GIVEN && r->set.text[GT_SET_SLICE])
		GT_TRY(gt_grid_slices(r->set.text[GT_SET_SLICE], grid));
	GT_TRY(gt_grid_check(grid, scan));
done:
	return st;
}
