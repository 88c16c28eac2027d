#ifndef GT_IO_PROBE_H
#define GT_IO_PROBE_H
/* Files that may make a library crash are opened in a child process first; private to io/. */
#include <gantry/status.h>
#ifdef __cplusplus
extern "C" {
#endif

/* What the child does with the file; how it succeeds does not matter. */
typedef void (*gt_probe_walk)(const char *path);
/* GT_ERR_FORMAT, naming file and library, where the child dies of the walk, or does not end. A file that passed and
 * has not changed since, the same to the nanosecond, passes at once. Where there can be no child, or the system tells
 * nothing of it, it passes too. */
gt_status gt_probe(const char *path, const char *library, gt_probe_walk walk);
#ifdef __cplusplus
}
#endif
#endif
