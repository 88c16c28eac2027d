#ifndef GT_IO_HDF5_DATAEXCHANGE_H
#define GT_IO_HDF5_DATAEXCHANGE_H
/* HDF5 Data Exchange; private to io/. */
#include "io/hdf5/hdf5_frames.h"

int       gt_is_dataexchange(const char *path);
/* Fields that the options name are not opened, nor angles that they say. GT_ERR_FORMAT: angles or sizes that do not
 * fit. */
gt_status gt_dataexchange_open(const char *path, const gt_read_options *o, gt_hdf5_scan *x);

#endif
