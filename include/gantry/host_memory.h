#ifndef GANTRY_HOST_MEMORY_H
#define GANTRY_HOST_MEMORY_H
#include <stddef.h>
#include <gantry/array.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Checks that an array of `bytes` bytes fits. GT_ERR_MEMORY states the required and the available memory. */
GT_API gt_status gt_host_has_memory(double bytes, const char *what);

/* Allocates page-locked host memory, which a device reads directly; on the CPU any memory. what: name in messages.
 * NULL, with a message in gt_error(), on failure. */
GT_API void *gt_locked_new (gt_backend *be, size_t bytes, const char *what);
GT_API void  gt_locked_free(gt_backend *be, void *p);

#ifdef __cplusplus
}
#endif
#endif
