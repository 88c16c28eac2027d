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

/* How fast the ways between memories are ------------------------------------------- */

/* What a way between memories carries: of the host and a device, or of two devices. */
typedef struct {
	size_t size;                    /* sizeof(gt_link) of the library: later versions add members at its end */
	char from[32], to[32];          /* "host", "host-paged" (not page-locked), or a backend */
	int peer;                       /* of devices: 1: they reach each other's memory, 0: by the host; else -1 */
	double bytes_per_second;        /* one way */
	double both_ways;               /* bytes per second each way, while as many go back; 0: not measured */
	double latency;                 /* s of a copy of 8 bytes, with waiting for it */
} gt_link;

/* All of them in this process, by copies of that many bytes: medians of a few. Where there is no device: between two
 * members of a team on the host. *links is freed with gt_free(). GT_ERR_ARG: bytes below 8. */
GT_API gt_status gt_links_measure(size_t bytes, gt_link **links, size_t *n);

#ifdef __cplusplus
}
#endif
#endif
