#ifndef GT_IO_HDF5_NXTOMO_H
#define GT_IO_HDF5_NXTOMO_H
/* NXtomo and the layouts of synchrotrons in which a key of every frame says what it is; private to io/. */
#include "io/hdf5/hdf5_frames.h"

int       gt_is_nxtomo(const char *path);
/* External links lie below the file's own folder. GT_ERR_IO names the file that a link leads to and that is not
 * there; GT_ERR_FORMAT: keys or angles that do not fit the frames, or are not there and not said by the options, or
 * several scans of which the options name none. Fields that the options name are not opened. */
gt_status gt_nxtomo_open(const char *path, const gt_read_options *o, gt_hdf5_scan *x);

#endif
