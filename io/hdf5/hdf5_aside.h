#ifndef GT_IO_HDF5_HDF5_ASIDE_H
#define GT_IO_HDF5_HDF5_ASIDE_H
/* Closing a file of HDF5 on a disk that may be full; private to io/. H5Fclose() writes: if that fails, HDF5 has freed
 * the file and its id is still there, and who asks for it, as libnetcdf does, reads freed memory. So that it cannot
 * fail, the last writing goes to memory and is copied to the file by us. */
#include <gantry/status.h>

/* From now on what HDF5 writes to the file of that name, which it has open, goes to memory: the file stays as it is.
 * All must have been flushed, or not be needed any more. Returns a descriptor of that memory, or -1 with errno: nothing
 * has changed. */
int gt_hdf5_set_aside(const char *tmp);
/* After HDF5 has closed the file: what it changed of its head (the superblock, which no longer says that somebody
 * writes) is written to the file. Closes aside. GT_ERR_IO, naming path: the disk is full, or HDF5 changed more than
 * that. */
gt_status gt_hdf5_take_head(int aside, const char *path, const char *tmp);
#endif
