#ifndef GT_CORE_DOWNLOAD_H
#define GT_CORE_DOWNLOAD_H
/* Results that leave a device while its queue computes on: the counterpart of upload.h. */
#include "core/array.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct gt_download gt_download;
gt_status gt_download_new (gt_backend *be, gt_download **d);
void      gt_download_free(gt_download *d);
/* x as the queue leaves it here, to host (page-locked: gt_locked_new()), in x's type. Neither may be touched before gt_download_wait(). */
void gt_download_get (gt_download *d, const gt_array *x, void *host);
void gt_download_wait(gt_download *d);

#ifdef __cplusplus
}
#endif
#endif
