#ifndef GT_IO_HDF5_HDF5_FILE_H
#define GT_IO_HDF5_HDF5_FILE_H
/* What the formats on top of HDF5 share; private to io/. */
#include <hdf5.h>
#include <gantry/status.h>

/* HDF5 prints its errors; between hush and unhush it does not. */
typedef struct { H5E_auto2_t print; void *data; } gt_hdf5_quiet;
gt_hdf5_quiet gt_hdf5_hush(void);
void          gt_hdf5_unhush(const gt_hdf5_quiet *before);

int       gt_hdf5_is(const char *path);         /* 1: begins as an HDF5 file does */
/* GT_ERR_FORMAT if it is an HDF5 file that is shorter than its superblock says; GT_OK for all other files. */
gt_status gt_hdf5_whole(const char *path);
/* Has the file, which is open, that object of its root, and that attribute of it (NULL: the object itself; object NULL:
 * the root's)? 1, 0, or -1: cannot be read. */
int gt_hdf5_in_file(const char *path, const char *object, const char *attribute);
/* The file of that name which is open, whoever opened it, as HDF5 knows it; < 0: none. */
hid_t gt_hdf5_open_file(const char *path);
#endif
