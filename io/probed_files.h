#ifndef GT_IO_PROBED_FILES_H
#define GT_IO_PROBED_FILES_H
/* Files that passed a probe, and the last one that failed; private to io/. */
#include <sys/types.h>
#include <time.h>
#include "io/probe.h"

typedef struct {
	dev_t device;
	ino_t inode;
	off_t size;
	struct timespec changed;
	gt_probe_walk walk;     /* NULL: an empty entry */
} gt_probed_file;

/* GT_ERR_IO: path does not exist or is not a regular file. */
gt_status gt_probed_identify(const char *path, gt_probe_walk walk, gt_probed_file *file);
int       gt_probed_is_known(const gt_probed_file *file);
/* Does nothing if memory is exhausted. */
void      gt_probed_remember(const gt_probed_file *file);
/* Keeps gt_error() as the reason, because each format probes the file again. */
void      gt_probed_remember_failure(const char *path, const gt_probed_file *file);
/* GT_ERR_FORMAT with that reason if the unchanged file of this path failed last. */
gt_status gt_probed_failure(const char *path, const gt_probed_file *file);

#endif
