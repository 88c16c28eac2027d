#ifndef GT_IO_HDF5_HDF5_NUMBERS_H
#define GT_IO_HDF5_HDF5_NUMBERS_H
/* Memory types of stored numbers; private to io/. libhdf5 swaps bytes fast. It converts some pairs of types a hundred
 * times slower than a loop, such as big-endian integers to floats. */
#include <hdf5.h>
#include <stddef.h>

typedef struct {
	hid_t type;                     /* to read with: the type of the file in the byte order of the host, or float */
	size_t bytes;
	void (*to_float)(const void *from, size_t n, float *out);
} gt_hdf5_numbers_type;

gt_hdf5_numbers_type gt_hdf5_numbers_of(hid_t data_set);

#endif
