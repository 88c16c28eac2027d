#ifndef GT_PROJECTORS_KIT_OPERATOR_H
#define GT_PROJECTORS_KIT_OPERATOR_H
/* Size checks and table upload for the operators of all projectors with tables. */
#include <gantry/grid.h>
#include <gantry/scan.h>
#include "core/device/backend.h"
#ifdef __cplusplus
extern "C" {
#endif
/* Returns GT_ERR_UNSUPPORTED if the grid or the detector is too long for the ints of the kernels; name: the
 * projector's. */
gt_status gt_projector_check_sizes(const char *name, const gt_grid *g, const gt_scan *scan);
/* Allocates a table on the backend and fills it from the host. Returns NULL after gt_fail(), which names `what`, if
 * memory is short. */
void     *gt_projector_upload(gt_backend *be, const void *host, size_t bytes, const char *what);
#ifdef __cplusplus
}
#endif
#endif
