#ifndef GT_IO_CHECKSUM_H
#define GT_IO_CHECKSUM_H
/* A checksum at the end of a file, behind what its format knows of; private to io/. */
#include <gantry/status.h>

/* Appends it to the file at tmp, which messages call path. GT_ERR_IO. */
gt_status gt_checksum_append(const char *tmp, const char *path);
/* GT_ERR_FORMAT if the file ends in a checksum and has other bytes than it says. *has: 0 where it ends in none, as files of earlier versions and
 * those that are cut short: its format tells these apart. */
gt_status gt_checksum_check(const char *path, int *has);
#endif
