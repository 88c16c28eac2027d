#ifndef GT_IO_CHECKSUM_H
#define GT_IO_CHECKSUM_H
/* A checksum at the end of a file, past the data of its format; private to io/. */
#include <gantry/status.h>

/* Appends the checksum to the file tmp, named path in messages. GT_ERR_IO. */
gt_status gt_checksum_append(const char *tmp, const char *path);
/* GT_ERR_FORMAT if the file differs from its checksum. *has: 0 if there is none, as in files of earlier versions and in
 * truncated files: the format distinguishes these. */
gt_status gt_checksum_check(const char *path, int *has);
#endif
