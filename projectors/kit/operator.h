#ifndef GT_PROJECTORS_KIT_OPERATOR_H
#define GT_PROJECTORS_KIT_OPERATOR_H
/* What the operators of projectors with tables share: the check of sizes before any table is made, and tables on the
 * backend. */
#include <gantry/grid.h>
#include <gantry/scan.h>
#include "core/device/backend.h"
#ifdef __cplusplus
extern "C" {
#endif
/* GT_ERR_UNSUPPORTED where the grid or the detector is too long for the kernels' ints; `name` is the projector's. */
gt_status gt_projector_check_sizes(const char *name, const gt_grid *g, const gt_scan *scan);
/* Memory for a table on the backend, filled from the host; NULL and a gt_fail() text, which names `what`, if there is
 * none. */
void     *gt_projector_upload(gt_backend *be, const void *host, size_t bytes, const char *what);
#ifdef __cplusplus
}
#endif
#endif
