#ifndef GT_CORE_DEVICE_HOST_MEMORY_H
#define GT_CORE_DEVICE_HOST_MEMORY_H
/* Memory of the host: bytes in use and available, large arrays. */
#include <stddef.h>
#include <gantry/array.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Returns the bytes that this process can still get: the minimum of the free memory and the limits of its control
 * groups. Negative: unknown. */
double gt_host_available(void);
/* As malloc(), but arrays of GT_HOST_LARGE bytes or more use huge pages if available, because the first access to
 * each page is slow. Release with free(). */
#define GT_HOST_LARGE ((size_t)1 << 24)
void *gt_host_alloc(size_t bytes);
/* Resident bytes of this process, now and at the maximum. */
double gt_host_used(void);
double gt_host_peak(void);

#ifdef __cplusplus
}
#endif
#endif
