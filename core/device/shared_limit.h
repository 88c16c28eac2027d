#ifndef GT_CORE_DEVICE_SHARED_LIMIT_H
#define GT_CORE_DEVICE_SHARED_LIMIT_H
/* "cuda:0,shared=48KiB": as if a block of threads could have no more shared memory on that device than that, static
 * and dynamic together. It holds for the process, until the device is opened by another name. */
#include <stddef.h>
#include <gantry/status.h>
#ifdef __cplusplus
extern "C" {
#endif
/* The name of a backend behind its colon, "0,shared=48KiB": device is the part before the comma, NUL-terminated;
 * *bytes 0: no limit is named. */
gt_status gt_shared_limit_read(const char *arg, char device[16], int *bytes);
void      gt_shared_limit_set(int device, int bytes);
int       gt_shared_limit(int device, int max); /* max: shared memory of the device, bytes */
/* Where a kernel is chosen, by everyone who does: 1: a block of it needs no more than the `most` bytes that there are.
 * 0: another kernel runs in its place, and that is noted for the thread, once for each kernel. */
int       gt_shared_suffices(const char *kernel, size_t needs, int max);
/* What was noted since it was forgotten: "dd forward needs 75.2 KiB of 48; sf back needs ..."; empty: nothing. */
const char *gt_shared_left(void);
void      gt_shared_left_forget(void);
#ifdef __cplusplus
}
#endif
#endif
