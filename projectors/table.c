/* Table of the projectors, and the functions that create their operators. */
#include <stdlib.h>
#include "core/device/backend.h"
#include "core/arguments.h"
#include "core/module.h"
#include "core/try.h"
#include "core/variant/variant.h"
#include "geometry/grid.h"
#include "projectors/kit/motion.h"
#include "projectors/table.h"
#include "team/team.h"

#define PROJECTORS(X) X(dd) X(dd_bl) X(dd_bs) X(dd_db) X(dd_bz) X(sf_tr) X(sf_tt) X(joseph) X(siddon)

#define DECLARE(name) extern const gt_projector gt_projector_##name;
#define LIST(name) &gt_projector_##name,
PROJECTORS(DECLARE)
const gt_projector *const gt_projectors[] = { PROJECTORS(LIST) NULL };

static const gt_module *nth(size_t i) { return (const gt_module *)gt_projectors[i]; }
const gt_module_kind gt_projector_kind = { "projector", "projector", nth };

const gt_projector *gt_projector_find(const char *name) { return (const gt_projector *)gt_module_find(&gt_projector_kind, name); }

/* Checks all arguments, then creates the operator; part: the number of one part of it, or NULL for all of it. */
static gt_status make(const char *spec, const size_t *part, gt_backend *be, gt_type type, const gt_grid *grid, const gt_scan *scan,
                      gt_linop **A)
{
	const gt_module *module;
	void *options;
	size_t parts = 0;
	gt_status st = gt_module_parse_kind(&gt_projector_kind, spec, &module, &options);
	const gt_projector *p = (const gt_projector *)module;
	GT_TRY(st);
	while (p->parts && p->parts->names[parts])
		parts++;
	if (part && *part >= parts)
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "projector %s has no part %zu: expected less than %zu", p->name, *part, parts));
	GT_TRY(gt_scan_check(scan));
	GT_TRY(gt_grid_check(grid, NULL));
	GT_TRY(gt_grid_check_sources(grid, scan));
	GT_TRY(gt_backend_check(be));
	gt_backend_lock(be);
	st = part ? p->parts->make(*part, be, type, grid, scan, options, A) : p->make(be, type, grid, scan, options, A);
	gt_backend_unlock(be);
done:
	free(options);
	return st;
}

gt_status gt_projector_new(const char *spec, gt_backend *be, gt_type type, const gt_grid *grid, const gt_scan *scan, gt_linop **A)
{
	GT_NEED(A);
	gt_variant_took(NULL, NULL);
	return make(spec, NULL, be, type, grid, scan, A);
}

/* Checks all arguments, then creates the derivative at the moved scan. */
static gt_status make_derivative(const gt_projector *p, const void *options, const gt_grid *grid, const gt_scan *scan, const double *motion,
                                 const gt_array *volume, gt_linop **D)
{
	gt_scan *moved = NULL;
	double *jacobian = NULL;
	gt_status st = gt_grid_check(grid, NULL);
	GT_TRY(st);
	GT_TRY(motion ? gt_scan_move(scan, motion, &moved) : gt_scan_check(scan));
	GT_TRY(gt_grid_check_sources(grid, moved ? moved : scan));
	if (gt_array_size(volume) != gt_grid_voxels(grid))
		GT_TRY(gt_fail(GT_ERR_ARG, "derivative of %s: a volume of %zu values, expected %zu, those of the grid", p->name,
		               gt_array_size(volume), gt_grid_voxels(grid)));
	if (!(jacobian = malloc(scan->views * GT_VELOCITIES * GT_MOTIONS * sizeof *jacobian)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "derivative of %s: no memory for the motions of %zu views", p->name, scan->views));
	gt_motion_jacobian(scan, motion, jacobian);
	gt_backend_lock(gt_array_backend(volume));
	st = p->make_derivative(grid, moved ? moved : scan, options, jacobian, volume, D);
	gt_backend_unlock(gt_array_backend(volume));
done:
	free(jacobian);
	gt_scan_free(moved);
	return st;
}

gt_status gt_projector_derivative(const char *spec, const gt_grid *grid, const gt_scan *scan, const double *motion, const gt_array *volume,
                                  gt_linop **D)
{
	GT_NEED(volume);
	GT_NEED(D);
	const gt_module *module;
	void *options;
	gt_status st = gt_module_parse_kind(&gt_projector_kind, spec, &module, &options);
	const gt_projector *p = (const gt_projector *)module;
	GT_TRY(st);
	if (!p->make_derivative)
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "projector %s: has no derivative by the geometry, expected dd, joseph or sf-tr",
		               p->name));
	GT_TRY(gt_backend_check(gt_array_backend(volume)));
	if (gt_ranks(gt_array_backend(volume)) > 1)
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "derivative of %s: found a team of devices, expected one device", p->name));
	st = make_derivative(p, options, grid, scan, motion, volume, D);
done:
	free(options);
	return st;
}

gt_status gt_projector_part_new(const char *spec, size_t part, gt_backend *be, gt_type type, const gt_grid *grid, const gt_scan *scan,
                                gt_linop **A)
{
	GT_NEED(A);
	return make(spec, &part, be, type, grid, scan, A);
}
