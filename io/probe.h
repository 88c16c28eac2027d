#ifndef GT_IO_PROBE_H
#define GT_IO_PROBE_H
/* Probe process: libraries that may crash on a damaged file parse it in a child process first; private to io/. */
#include <stddef.h>
#include <gantry/status.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Parses the file in the child. A failure, with the message of gt_fail(), is the failure of the probe. */
typedef gt_status (*gt_probe_walk)(const char *path);
/* Parses the file in a child process with limits for memory, processor time and wall time that grow with the size
 * of the file. Returns the failure of walk. GT_ERR_FORMAT, naming file and library: the child crashed or reached a
 * limit. GT_ERR_IO: no child process can be started, or path is not a regular file. A file that passed the same
 * walk and has not changed since (device, inode, size, and time to the nanosecond) passes at once. Thread-safe. */
gt_status gt_probe(const char *path, const char *library, gt_probe_walk walk);
/* Probes n files in one child process, in order, up to the first failure, which a later gt_probe() of that file
 * reports. Saves a child process per file. */
void      gt_probe_ahead(const char *const *path, size_t n, const char *library, gt_probe_walk walk);
#ifdef __cplusplus
}
#endif
#endif
