#ifndef GT_IO_TABLE_H
#define GT_IO_TABLE_H
/* The file formats; private to io/. */
#include <gantry/io.h>

/* They are asked in this order: a Data Exchange file is an HDF5 file too, and so is a NetCDF-4 file; projections are
 * DICOM too; frames take any folder with images, arrays and raw files without a JSON,
 * and TIFF files that do not say that they are volumes. */
#define GT_FORMAT_LIST(X) \
	X(dataexchange) X(nxtomo) X(netcdf) X(metaimage) X(nifti) X(rabbitct) X(dicom_ct_pd) X(dicom_series) X(npy) X(raw) \
	X(tiff) X(frames)
#define GT_FORMAT_DECLARE(name) extern const gt_format gt_format_##name;
GT_FORMAT_LIST(GT_FORMAT_DECLARE)

#endif
