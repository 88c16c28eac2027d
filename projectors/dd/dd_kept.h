#ifndef GT_PROJECTORS_DD_DD_KEPT_H
#define GT_PROJECTORS_DD_DD_KEPT_H
/* Key of host tables that depend on the geometry alone (core/device/kept_tables.h). name: of the kind of tables. */
#include <gantry/grid.h>
#include <gantry/scan.h>
#include "core/hash.h"
#include "core/device/kept_tables.h"

static inline uint64_t gt_dd_key(const char *name, const gt_grid *g, const gt_scan *scan)
{
	return gt_hash(gt_hash_text(gt_scan_hash(scan), name), g, sizeof *g);
}
#endif
