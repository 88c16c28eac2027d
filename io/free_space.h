#ifndef GT_IO_FREE_SPACE_H
#define GT_IO_FREE_SPACE_H
/* Room on disks; private to io/. */
#include <gantry/status.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Bytes that the disk of a file, or of the folder where it will be, has left, or fewer where files are limited; -1: not
 * known. */
double    gt_disk_space(const char *file);
/* As gt_has_space(), of several files together: no matter how large one may be. */
gt_status gt_has_space_in_all(const char *path, double bytes);
/* GT_ERR_IO: path cannot be written, and why: by errno, by the room that the disk of tmp has left, or else as the
 * library below said it. */
gt_status gt_fail_writing(const char *path, const char *tmp, int why, const char *said);

#ifdef __cplusplus
}
#endif
#endif
