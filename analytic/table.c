/* Table of the methods, and checks common to all of them. */
#include "analytic/fbp/fbp.h"
#include "analytic/table.h"
#include "analytic/wfbp/wfbp.h"
#include "core/device/backend.h"
#include "core/arguments.h"
#include "core/module.h"
#include "core/try.h"

#define METHODS(X) X(fdk) X(fbp) X(wfbp)

#define ENTRY(name) &gt_analytic_##name,
const gt_analytic *const gt_analytics[] = { METHODS(ENTRY) NULL };
#undef ENTRY

static const gt_module *nth(size_t i) { return (const gt_module *)gt_analytics[i]; }
const gt_module_kind gt_analytic_kind = { "analytic", "solver", nth };

const gt_analytic *gt_analytic_find(const char *name) { return (const gt_analytic *)gt_module_find(&gt_analytic_kind, name); }

const gt_analytic *gt_analytic_for(const gt_scan *scan)
{
	if (scan->shape == GT_PARALLEL)
		return &gt_analytic_fbp;
	return gt_scan_is_helical(scan) ? &gt_analytic_wfbp : &gt_analytic_fdk;
}

gt_status gt_analytic_supports(const gt_analytic *m, const gt_grid *grid, const gt_scan *scan)
{
	GT_NEED(m);
	GT_NEED(scan);
	gt_analytic_coverage coverage;
	gt_status st = gt_scan_check(scan);
	if (st != GT_OK)
		return st;
	if (m->supports)
		return m->supports(scan);
	st = m->coverage(grid, scan, &coverage);
	if (st == GT_OK && coverage.first == coverage.end)
		st = gt_fail(GT_ERR_UNSUPPORTED, "%s: no slice of the grid is seen over 180 degrees; use an iterative solver", m->name);
	return st;
}

static gt_status check_array(const gt_analytic *m, const gt_backend *be, const char *what, const gt_array *a, size_t n)
{
	if (gt_array_backend(a) != be)
		return gt_fail(GT_ERR_ARG, "%s: the %s are on %s: expected %s", m->name, what, gt_backend_name(gt_array_backend(a)),
		               gt_backend_name(be));
	if (gt_array_size(a) != n)
		return gt_fail(GT_ERR_ARG, "%s: %zu %s: expected %zu", m->name, gt_array_size(a), what, n);
	return GT_OK;
}

gt_status gt_analytic_run_timed(const gt_analytic *m, gt_backend *be, const gt_grid *grid, const gt_scan *scan, const void *options,
                                const gt_array *data, gt_array *x, gt_analytic_times *times)
{
	gt_status st = GT_OK;
	if (!m || !be || !grid || !scan)
		return gt_fail(GT_ERR_ARG, "an analytic reconstruction takes a method, a backend, a grid and a scan: one of them is NULL");
	GT_TRY(gt_scan_check(scan));
	GT_TRY(gt_grid_check(grid, scan));
	GT_TRY(check_array(m, be, "projection values", data, gt_scan_size(scan)));
	GT_TRY(check_array(m, be, "voxels", x, gt_grid_voxels(grid)));
	if (gt_array_type(data) != gt_array_type(x))
		return gt_fail(GT_ERR_ARG, "%s: projections in %s and volume in %s precision: expected the same", m->name,
		               gt_type_name(gt_array_type(data)), gt_type_name(gt_array_type(x)));
	gt_backend_lock(be);
	st = m->run(be, grid, scan, options ? options : m->defaults, data, x, times);
	gt_backend_unlock(be);
done:
	return st;
}

gt_status gt_analytic_run(const gt_analytic *m, gt_backend *be, const gt_grid *grid, const gt_scan *scan, const void *options,
                          const gt_array *data, gt_array *x)
{
	GT_NEED(m);
	return gt_analytic_run_timed(m, be, grid, scan, options, data, x, NULL);
}
