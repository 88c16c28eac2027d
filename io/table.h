#ifndef GT_IO_TABLE_H
#define GT_IO_TABLE_H
/* The file formats; private to io/. */
#include <gantry/io.h>

/* Probed in this order. A Data Exchange file and a NetCDF-4 file are HDF5 files too; projections are DICOM too. Frames
 * take any folder with images, arrays, raw files without a JSON, and TIFF files not marked as volumes. */
#define GT_FORMAT_LIST(X) \
	X(dataexchange) X(nxtomo) X(netcdf) X(metaimage) X(nifti) X(rabbitct) X(dicom_ct_pd) X(dicom_series) X(npy) X(raw) \
	X(tiff) X(frames)
#define GT_FORMAT_DECLARE(name) extern const gt_format gt_format_##name;
GT_FORMAT_LIST(GT_FORMAT_DECLARE)

#endif
