#ifndef GANTRY_UPLOAD_H
#define GANTRY_UPLOAD_H
/* Data that go to a device while its queue computes: blocks on the device that are filled in turn, beside the queue. */
#include <gantry/array.h>
#ifdef __cplusplus
extern "C" {
#endif

typedef struct gt_upload gt_upload;
/* Blocks of that many bytes. */
GT_API gt_status gt_upload_new (gt_backend *be, size_t bytes, gt_upload **u);
GT_API void      gt_upload_free(gt_upload *u);
/* Copies into the block that is being filled. Page-locked data (gt_locked_new()) are read while the caller goes on: they must not
 * change before gt_upload_wait(). */
GT_API void gt_upload_put (gt_upload *u, const void *host, size_t offset, size_t bytes);
GT_API void gt_upload_wait(gt_upload *u);
/* The block, on the device, as the queue sees it from here on; gt_upload_turn() when all that reads it is queued: the other
 * block is filled from then on. */
GT_API const void *gt_upload_block(gt_upload *u);
GT_API void        gt_upload_turn (gt_upload *u);

/* Memory of the host that a device reads by itself; on the CPU any memory. NULL + gt_fail() text on failure. */
GT_API void *gt_locked_new (gt_backend *be, size_t bytes, const char *what);
GT_API void  gt_locked_free(gt_backend *be, void *p);

#ifdef __cplusplus
}
#endif
#endif
