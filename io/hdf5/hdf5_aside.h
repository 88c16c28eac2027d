#ifndef GT_IO_HDF5_HDF5_ASIDE_H
#define GT_IO_HDF5_HDF5_ASIDE_H
/* Closes an HDF5 file on a disk that may be full; private to io/. H5Fclose() writes. If that fails, HDF5 has freed the
 * file but keeps its identifier, and later use, as by libnetcdf, reads freed memory. So the last writes go to memory,
 * and Gantry copies them to the file. */
#include <gantry/status.h>

/* Redirects HDF5's further writes to the open file tmp to memory; the file stays unchanged. Flush it before, unless its
 * data are to be discarded. Returns a descriptor of that memory, or -1 with errno and no effect. */
int gt_hdf5_set_aside(const char *tmp);
/* After HDF5 has closed the file: writes the changed header (superblock without the mark of a writer) to the file.
 * Closes aside. GT_ERR_IO, naming path: the disk is full, or HDF5 changed more than the header. */
gt_status gt_hdf5_take_head(int aside, const char *path, const char *tmp);
#endif
