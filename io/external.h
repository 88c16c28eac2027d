#ifndef GT_IO_EXTERNAL_H
#define GT_IO_EXTERNAL_H
/* Other files that a file names as the place of its data; private to io/. A file that somebody sent must not make its reader open any
 * file of the reader's. */
#include <gantry/status.h>
#ifdef __cplusplus
extern "C" {
#endif

/* 1: the environment has GANTRY_ALLOW_EXTERNAL=1, by which the user trusts files that name others outside of their folder. */
int       gt_external_allowed(void);
/* GT_ERR_FORMAT unless target is a regular file below the folder of path, links resolved, or anywhere if that is allowed; GT_ERR_IO: it is not
 * there. what: the key or the link that names the target, for the message. The file is not opened. */
gt_status gt_external_check(const char *path, const char *what, const char *target);
/* A file that a reader found in a folder. GT_ERR_FORMAT: a symbolic link to a file outside of the folder, links
 * resolved, unless that is allowed. A link that the user named is followed anywhere. */
gt_status gt_external_entry(const char *folder, const char *file);
/* Data of an HDF5 file that lie in others: external links and the sources of virtual data sets pass gt_external_check(), in those files too;
 * external storage is refused unless it is allowed. GT_OK for all files that are not HDF5. Call it before anything in the file is opened. */
gt_status gt_external_hdf5 (const char *path);
#ifdef __cplusplus
}
#endif
#endif
