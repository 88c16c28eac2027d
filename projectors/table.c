/* Table of the projectors, and the functions that create their operators. */
#include <stdlib.h>
#include "core/device/backend.h"
#include "core/arguments.h"
#include "core/module.h"
#include "core/try.h"
#include "core/variant/variant.h"
#include "geometry/grid.h"
#include "projectors/table.h"

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

gt_status gt_projector_part_new(const char *spec, size_t part, gt_backend *be, gt_type type, const gt_grid *grid, const gt_scan *scan,
                                gt_linop **A)
{
	GT_NEED(A);
	return make(spec, &part, be, type, grid, scan, A);
}
