#ifndef GT_IO_FREE_SPACE_H
#define GT_IO_FREE_SPACE_H
/* Free disk space; private to io/. */
#include <gantry/status.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Free bytes for a file, which may not exist yet: of its disk, or fewer if file sizes are limited. -1: unknown. */
double    gt_disk_space(const char *file);
/* Like gt_has_space(), but for several files: the limit on the size of one file does not apply. */
gt_status gt_has_space_in_all(const char *path, double bytes);
/* GT_ERR_IO: path cannot be written. States the cause: errno `why`, a full disk of tmp, or the text of the library. */
gt_status gt_fail_writing(const char *path, const char *tmp, int why, const char *said);

#ifdef __cplusplus
}
#endif
#endif
