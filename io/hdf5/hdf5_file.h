#ifndef GT_IO_HDF5_HDF5_FILE_H
#define GT_IO_HDF5_HDF5_FILE_H
/* Functions shared by formats based on HDF5; private to io/. */
#include <hdf5.h>
#include <gantry/status.h>

/* Suppresses HDF5's error output between hush and unhush. */
typedef struct { H5E_auto2_t print; void *data; } gt_hdf5_quiet;
gt_hdf5_quiet gt_hdf5_hush(void);
void          gt_hdf5_unhush(const gt_hdf5_quiet *before);

int       gt_hdf5_is(const char *path);         /* 1: has the signature of HDF5 */
/* GT_ERR_FORMAT if an HDF5 file is shorter than its superblock states; GT_OK for all other files. */
gt_status gt_hdf5_whole(const char *path);
/* Looks up an object of the root group in an open file, and its attribute (NULL: the object itself; object NULL: the
 * root's attribute). 1: exists, 0: missing, -1: cannot be read. */
int gt_hdf5_in_file(const char *path, const char *object, const char *attribute);
/* HDF5 identifier of an open file of this name, whoever opened it; < 0: none. */
hid_t gt_hdf5_open_file(const char *path);
#endif
