#ifndef GT_CORE_ARRAY_STAGED_H
#define GT_CORE_ARRAY_STAGED_H
#include <gantry/array.h>

enum { GT_STAGED_BUFFERS = 2 };
#define GT_STAGED_BYTES ((size_t)16 << 20)

/* Takes the page-locked buffers of GT_STAGED_BYTES each that the backend keeps, because page-locking takes longer than
 * most copies. Return them by gt_staged_give(), which accepts NULL. */
gt_status gt_staged_take(gt_backend *be, void *buffer[GT_STAGED_BUFFERS]);
void      gt_staged_give(gt_backend *be, void *buffer[GT_STAGED_BUFFERS]);

/* Uploads during the computation of the queue. */
typedef struct gt_staged_upload gt_staged_upload;
gt_status gt_staged_upload_new (gt_backend *be, gt_staged_upload **u);
void      gt_staged_upload_free(gt_staged_upload *u);
/* Copies host memory to a part of an array that no queued work uses; the host memory may change at once. */
void      gt_staged_upload_put (gt_staged_upload *u, const float *host, gt_array *part);
/* Later work of the queue waits for all copies so far. */
void      gt_staged_upload_ready(gt_staged_upload *u);

/* Like gt_array_get() for an array that is not shared, but faster for large device arrays. Returns 0 if it did nothing:
 * call gt_array_get(). */
int gt_array_get_staged(const gt_array *a, void *host);
/* The same for gt_array_put() of an array without runs, from blocks of `block` bytes, `stride` bytes apart. */
int gt_array_put_staged(const void *host, size_t block, size_t stride, gt_array *a);
#endif
