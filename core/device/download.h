#ifndef GT_CORE_DEVICE_DOWNLOAD_H
#define GT_CORE_DEVICE_DOWNLOAD_H
/* Download of results while the queue computes; see upload.h. */
#include <gantry/array.h>
#ifdef __cplusplus
extern "C" {
#endif

typedef struct gt_download gt_download;
gt_status gt_download_new (gt_backend *be, gt_download **d);
void      gt_download_free(gt_download *d);
/* Copies x, as earlier work of the queue leaves it, to host memory (page-locked: gt_locked_new()), in the type of x.
 * Neither may change before gt_download_wait(). */
void gt_download_get (gt_download *d, const gt_array *x, void *host);
void gt_download_wait(gt_download *d);

#ifdef __cplusplus
}
#endif
#endif
