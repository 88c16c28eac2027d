#ifndef GT_IO_HDF5_HDF5_DATA_H
#define GT_IO_HDF5_HDF5_DATA_H
/* Data sets of HDF5 files read piece by piece; private to io/. Failures name the file and the data set. */
#include <hdf5.h>
#include <gantry/status.h>
#include "io/hdf5/hdf5_holes.h"

typedef struct {
	const char *path, *name;
	hid_t id;                       /* < 0: not open */
	int rank;
	hsize_t size[3];                /* leading 1s where the rank is below 3 */
	gt_hdf5_holes holes;            /* planes that are refused when they are read */
} gt_hdf5_data;

/* 1: every part of the name is there. What cannot be looked up is a failure, not absent. */
gt_status gt_hdf5_has(hid_t file, const char *path, const char *name, int *has);
/* Numeric, of rank least to 3, no size 0, no larger than the file can hold. Close in any case. */
gt_status gt_hdf5_open(hid_t file, const char *path, const char *name, int min_rank, gt_hdf5_data *d);
/* GT_ERR_FORMAT: n, of images or numbers in a list, are more than a file of this size holds. */
gt_status gt_hdf5_check_count(const gt_hdf5_data *d, double n, const char *what);
void      gt_hdf5_close(gt_hdf5_data *d);
/* Planes [first, first+count) of the three sizes in a type of memory, holes included: the caller checks them. Values
 * that a damaged file lacks are NaN, or 0 in integers. */
gt_status gt_hdf5_images (const gt_hdf5_data *d, hid_t type, hsize_t first, hsize_t count, void *values);
/* As float; holes are refused. */
gt_status gt_hdf5_floats (const gt_hdf5_data *d, hsize_t first, hsize_t count, float *values);
gt_status gt_hdf5_doubles(const gt_hdf5_data *d, double *values);       /* all */
/* One number, and its attribute units ("" where absent, shortened to size). *found 0: it is not there, or is no
 * single number. */
gt_status gt_hdf5_number(hid_t file, const char *path, const char *name, double *value, char *units, size_t size, int *found);
/* Text attribute of the data set, shortened to size; "" where it is absent. */
gt_status gt_hdf5_text(const gt_hdf5_data *d, const char *attribute, char *text, size_t size);
#endif
