/* Every projector, one line each, and the one door through which they are made. */
#include <stdlib.h>
#include <string.h>
#include <gantry/projector.h>
#include "core/device/backend.h"
#include "core/try.h"

#define PROJECTORS(X) X(dd) X(dd_bl) X(dd_bs) X(dd_db) X(dd_bz) X(sf_tr) X(sf_tt) X(joseph) X(siddon)

#define DECLARE(name) extern const gt_projector gt_projector_##name;
#define LIST(name) &gt_projector_##name,
PROJECTORS(DECLARE)
const gt_projector *const gt_projectors[] = { PROJECTORS(LIST) NULL };

static const gt_projector *find(const char *name, size_t length)
{
	for (const gt_projector *const *p = gt_projectors; *p; p++)
		if (strlen((*p)->name) == length && !strncmp((*p)->name, name, length))
			return *p;
	return NULL;
}

const gt_projector *gt_projector_find(const char *name) { return find(name, strlen(name)); }

/* Checks everything, then makes the whole or, if it is not NULL, one part. */
static gt_status make(const char *spec, const size_t *part, gt_backend *be, gt_type type, const gt_grid *grid, const gt_scan *scan,
                      gt_linop **A)
{
	const size_t length = strcspn(spec, ":");
	const gt_projector *p = find(spec, length);
	void *options = NULL;
	size_t parts = 0;
	gt_status st = GT_OK;
	if (!p)
		return gt_fail(GT_ERR_UNKNOWN, "unknown projector '%.*s': expected %s", (int)length, spec, gt_projectors[0]->name);
	while (p->parts && p->parts[parts])
		parts++;
	if (part && *part >= parts)
		return gt_fail(GT_ERR_UNSUPPORTED, "projector %s has no part %zu: expected less than %zu", p->name, *part, parts);
	GT_TRY(gt_params_new(p->params, spec[length] ? spec + length + 1 : NULL, p->defaults, p->options_size, &options));
	GT_TRY(gt_scan_check(scan));
	GT_TRY(gt_grid_check(grid, NULL));
	GT_TRY(gt_grid_check_sources(grid, scan));
	GT_TRY(gt_backend_check(be));
	gt_backend_lock(be);
	st = part ? p->make_part(*part, be, type, grid, scan, options, A) : p->make(be, type, grid, scan, options, A);
	gt_backend_unlock(be);
done:
	free(options);
	return st;
}

gt_status gt_projector_new(const char *spec, gt_backend *be, gt_type type, const gt_grid *grid, const gt_scan *scan, gt_linop **A)
{
	return make(spec, NULL, be, type, grid, scan, A);
}

gt_status gt_projector_part_new(const char *spec, size_t part, gt_backend *be, gt_type type, const gt_grid *grid, const gt_scan *scan,
                                gt_linop **A)
{
	return make(spec, &part, be, type, grid, scan, A);
}
