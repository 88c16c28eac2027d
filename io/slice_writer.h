#ifndef GT_IO_SLICE_WRITER_H
#define GT_IO_SLICE_WRITER_H
/* Base of a format's state for slice-wise writing of volumes; private to io/. */
#include <gantry/io.h>
#include <gantry/threads.h>

struct gt_slice_writer {
	const char *path;
	size_t size[3], written;        /* z, y, x */
	gt_pool *pool;                  /* for checks of values; borrowed; NULL: none */
	gt_status (*write )(gt_slice_writer *s, size_t first, size_t n, const float *data);
	/* Both free s. */
	gt_status (*commit)(gt_slice_writer *s);
	void      (*drop  )(gt_slice_writer *s);
};

/* Writes all slices, then commits: for whole volumes. */
gt_status gt_slice_writer_write_all(gt_slice_writer *s, const float *data);

/* Functions for other modules. */

/* Can volumes of that name be written slice by slice? GT_ERR_UNSUPPORTED: as a whole only; GT_ERR_ARG: not at all. A
 * name that ends in a slash is one of several formats, by the options. */
gt_status gt_can_write_slices   (const char *path);
gt_status gt_can_write_slices_as(const char *path, const gt_write_options *o);
/* Bytes of memory that writing such a volume takes, at most. */
size_t    gt_slice_writer_bytes(const gt_write_options *o, const gt_grid *grid);
#endif
