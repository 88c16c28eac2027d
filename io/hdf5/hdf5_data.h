#ifndef GT_IO_HDF5_HDF5_DATA_H
#define GT_IO_HDF5_HDF5_DATA_H
/* Reads data sets of HDF5 files in parts; private to io/. Failures name the file and the data set. */
#include <hdf5.h>
#include <gantry/status.h>
#include "io/hdf5/hdf5_holes.h"

typedef struct {
	const char *path, *name;
	hid_t id;                       /* < 0: not open */
	int rank;
	hsize_t size[3];                /* leading 1s if the rank is below 3 */
	gt_hdf5_holes holes;            /* planes without stored values; reading them is refused */
} gt_hdf5_data;

/* Sets *has to 1 if every part of the name exists. A failed lookup is an error, not an absent object. */
gt_status gt_hdf5_has(hid_t file, const char *path, const char *name, int *has);
/* Opens a numeric data set of rank min_rank to 3, without zero sizes, no larger than the file can hold. Always close
 * it. */
gt_status gt_hdf5_open(hid_t file, const char *path, const char *name, int min_rank, gt_hdf5_data *d);
/* GT_ERR_FORMAT: a file of this size cannot hold n images, or n numbers of a list. */
gt_status gt_hdf5_check_count(const gt_hdf5_data *d, double n, const char *what);
/* GT_ERR_FORMAT: large images are compressed so far that they are constant. */
gt_status gt_hdf5_check_constant(const gt_hdf5_data *d);
void      gt_hdf5_close(gt_hdf5_data *d);
/* Reads planes [first, first+count) of the three sizes as `type`, including holes, which the caller checks. Values that
 * a damaged file lacks become NaN, or 0 in integers. */
gt_status gt_hdf5_images (const gt_hdf5_data *d, hid_t type, hsize_t first, hsize_t count, void *values);
gt_status gt_hdf5_doubles(const gt_hdf5_data *d, double *values);       /* all values; holes are an error */
/* Reads one number and its attribute units ("" if absent, truncated to size). *found 0: missing, or not a single
 * number. */
gt_status gt_hdf5_number(hid_t file, const char *path, const char *name, double *value, char *units, size_t size, int *found);
/* Text attribute of the data set, truncated to size; "" if absent. */
gt_status gt_hdf5_text(const gt_hdf5_data *d, const char *attribute, char *text, size_t size);
#endif
