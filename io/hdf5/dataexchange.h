#ifndef GT_IO_HDF5_DATAEXCHANGE_H
#define GT_IO_HDF5_DATAEXCHANGE_H
/* HDF5 Data Exchange; private to io/. */
#include "io/hdf5/hdf5_frames.h"

int       gt_is_dataexchange(const char *path);
/* Does not open fields that the options name, nor angles that they state. GT_ERR_FORMAT: inconsistent angles or
 * sizes. */
gt_status gt_dataexchange_open(const char *path, const gt_read_options *o, gt_hdf5_scan *x);

#endif
