#ifndef GT_CORE_DEVICE_UPLOAD_H
#define GT_CORE_DEVICE_UPLOAD_H
/* Upload of data while the queue computes, through two blocks on the device that are filled alternately. */
#include <gantry/array.h>
#ifdef __cplusplus
extern "C" {
#endif

typedef struct gt_upload gt_upload;
/* bytes: size of a block. */
gt_status gt_upload_new (gt_backend *be, size_t bytes, gt_upload **u);
void      gt_upload_free(gt_upload *u);
/* Copies into the current block. Page-locked data (gt_locked_new()) are read asynchronously and must not change
 * before gt_upload_wait(). */
void gt_upload_put (gt_upload *u, const void *host, size_t offset, size_t bytes);
void gt_upload_wait(gt_upload *u);
/* Returns the current block on the device for later work of the queue. Call gt_upload_turn() when all work that reads
 * it is queued; the other block becomes current. */
const void *gt_upload_block(gt_upload *u);
void        gt_upload_turn (gt_upload *u);

#ifdef __cplusplus
}
#endif
#endif
