#ifndef GANTRY_HOST_MEMORY_H
#define GANTRY_HOST_MEMORY_H
#include <stddef.h>
#include <gantry/status.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Bytes that this process can still get: the least of what the machine has left and what the control groups of the
 * process allow. Negative: not known. */
GT_API double gt_host_available(void);
/* Checks that an array of `bytes` bytes fits. GT_ERR_MEMORY states the required and the available memory. */
GT_API gt_status gt_host_has_memory(double bytes, const char *what);
/* As malloc(), but arrays of GT_HOST_LARGE bytes or more lie in large pages where the system has them: the first touch of each page costs. For free(). */
#define GT_HOST_LARGE ((size_t)1 << 24)
GT_API void *gt_host_alloc(size_t bytes);
/* Resident bytes of this process, now and at the maximum. */
GT_API double gt_host_used(void);
GT_API double gt_host_peak(void);

#ifdef __cplusplus
}
#endif
#endif
