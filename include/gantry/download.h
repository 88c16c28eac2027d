#ifndef GANTRY_DOWNLOAD_H
#define GANTRY_DOWNLOAD_H
/* Results that leave a device while its queue computes on: the counterpart of upload.h. */
#include <gantry/array.h>
#ifdef __cplusplus
extern "C" {
#endif

typedef struct gt_download gt_download;
GT_API gt_status gt_download_new (gt_backend *be, gt_download **d);
GT_API void      gt_download_free(gt_download *d);
/* x as the queue leaves it here, to host (page-locked: gt_locked_new()), in x's type. Neither may be touched before gt_download_wait(). */
GT_API void gt_download_get (gt_download *d, const gt_array *x, void *host);
GT_API void gt_download_wait(gt_download *d);

#ifdef __cplusplus
}
#endif
#endif
