#ifndef GT_IO_HDF5_HDF5_BLOCK_H
#define GT_IO_HDF5_HDF5_BLOCK_H
/* Decompressed images of a data set whose chunks span several images; private to io/. All sources of the data set share
 * them, so that each chunk is decompressed once. Not thread-safe: callers hold gt_nc_lock(). */
#include "io/hdf5/hdf5_data.h"
#include "io/hdf5/hdf5_numbers.h"

typedef struct {
	size_t chunk, max;      /* images of a chunk; max: images in memory, 0: image by image */
	size_t first, n;        /* images in memory */
	gt_hdf5_numbers_type number;
	void *data;
} gt_hdf5_block;

/* Sizes the block by the chunks of the data set and the memory of the host; allocates nothing. */
gt_hdf5_block gt_hdf5_block_of(const gt_hdf5_data *d);
/* Rows row ... row+rows-1 of an image. GT_ERR_MEMORY, or GT_ERR_FORMAT: never written, or unreadable. */
gt_status gt_hdf5_block_read(gt_hdf5_block *b, const gt_hdf5_data *d, size_t image, size_t row, size_t rows, float *out);
void      gt_hdf5_block_free(gt_hdf5_block *b);
#endif
