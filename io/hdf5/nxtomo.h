#ifndef GT_IO_HDF5_NXTOMO_H
#define GT_IO_HDF5_NXTOMO_H
/* NXtomo and layouts of synchrotrons in which each frame has a key; private to io/. */
#include "io/hdf5/hdf5_frames.h"

int       gt_is_nxtomo(const char *path);
/* External links must lead below the file's folder. GT_ERR_IO: missing link target. GT_ERR_FORMAT: no keys or angles
 * in file and options, or a number that differs from the frames, or several scans without an option
 * that selects one. Fields that the options name are not opened. */
gt_status gt_nxtomo_open(const char *path, const gt_read_options *o, gt_hdf5_scan *x);

#endif
