#ifndef GT_CORE_DEVICE_SHARED_LIMIT_H
#define GT_CORE_DEVICE_SHARED_LIMIT_H
/* "cuda:0,shared=48KiB" limits the shared memory of a block on that device, static and dynamic together. The limit
 * applies to the process until the device is opened by another name. */
#include <stddef.h>
#include <gantry/status.h>
#ifdef __cplusplus
extern "C" {
#endif
/* Parses the part of a backend name after the colon, "0,shared=48KiB". device: the part before the comma,
 * NUL-terminated; *bytes 0: no limit. */
gt_status gt_shared_limit_read(const char *arg, char device[16], int *bytes);
void      gt_shared_limit_set(int device, int bytes);
int       gt_shared_limit(int device, int max); /* max: shared memory of the device, bytes */
/* To be called wherever a kernel is selected. 1: a block needs at most `max` bytes. 0: another kernel must run; notes
 * this once per kernel and thread. */
int       gt_shared_suffices(const char *kernel, size_t needs, int max);
/* Notes since gt_shared_left_forget(): "dd forward needs 75.2 KiB of 48; sf back needs ..."; empty: none. */
const char *gt_shared_left(void);
void      gt_shared_left_forget(void);
#ifdef __cplusplus
}
#endif
#endif
