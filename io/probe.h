#ifndef GT_IO_PROBE_H
#define GT_IO_PROBE_H
/* Probe process: a child process parses a file first, because libraries may crash on a damaged one; private to io/. */
#include <stddef.h>
#include <gantry/status.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Parses the file in the child. A failure, with the message of gt_fail(), is the failure of the probe. */
typedef gt_status (*gt_probe_walk)(const char *path);
/* Parses the file in a child process. Memory, CPU time and wall time are limited, in proportion to the file size.
 * Returns the failure of walk. GT_ERR_FORMAT, naming file and library: the child crashed or reached a limit. GT_ERR_IO:
 * no child process can be started, or path is not a regular file. Files that passed the same walk and are unchanged
 * (device, inode, size, time in nanoseconds) pass at once. Thread-safe. */
gt_status gt_probe(const char *path, const char *library, gt_probe_walk walk);
/* Probes n files in order in one child process, until the first failure, which gt_probe() of that file then reports. */
void      gt_probe_ahead(const char *const *path, size_t n, const char *library, gt_probe_walk walk);
#ifdef __cplusplus
}
#endif
#endif
