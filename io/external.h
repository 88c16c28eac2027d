#ifndef GT_IO_EXTERNAL_H
#define GT_IO_EXTERNAL_H
/* Data files that a file refers to; private to io/. A received file must not make its reader open arbitrary files. */
#include <gantry/status.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Returns 1 if GANTRY_ALLOW_EXTERNAL=1 is set: the user then trusts files that refer to others outside their folder. */
int       gt_external_allowed(void);
/* GT_ERR_FORMAT unless target, with links resolved, is a regular file below the folder of path, or external files are
 * allowed. GT_ERR_IO: it does not exist. what: the key or link that names target, for the message. Opens nothing. */
gt_status gt_external_check(const char *path, const char *what, const char *target);
/* Checks a file found in a folder. GT_ERR_FORMAT: a symbolic link to a file outside the folder, unless that is allowed.
 * A link that the user named may lead anywhere. */
gt_status gt_external_entry(const char *folder, const char *file);
/* Checks an HDF5 file before anything in it is opened, and the files that it refers to. External links and sources
 * of virtual data sets must pass gt_external_check(); external storage is refused unless allowed. GT_OK for other
 * files. */
gt_status gt_external_hdf5 (const char *path);
#ifdef __cplusplus
}
#endif
#endif
