#ifndef GT_IO_SLICE_READER_H
#define GT_IO_SLICE_READER_H
/* Base of a format's state for slice-wise reading of volumes; private to io/. */
#include <gantry/io.h>

struct gt_slice_reader {
	const char *path;               /* in messages */
	size_t size[3];                 /* z, y, x */
	size_t together;                /* best number of slices for one read(); size[0]: read() supports only all
	                                 * slices */
	size_t bytes;                   /* memory for reading, in addition to the output */
	double scale, offset;           /* mm^-1 = scale * value from read() + offset */
	/* Slices first ... first+n-1 in the order of the grid. The caller checks the values. */
	gt_status (*read )(gt_slice_reader *r, size_t first, size_t n, float *out);
	void      (*close)(gt_slice_reader *r);
	/* Shared by all formats; initially 0. */
	char *name;                     /* owned: the path */
	float *all;                     /* the whole volume, if the format reads it at once */
	float max;                      /* maximum of the values so far, mm^-1 */
};

/* Implementation of a format. bytes: size of its state, which begins with a gt_slice_reader. open() fills the state
 * and v without voxels. With geometry_only it fills v alone. close() frees the state, also after a failed open(). */
struct gt_slice_source {
	size_t bytes;
	gt_status (*open )(gt_slice_reader *r, const gt_read_options *o, gt_volume *v);
	gt_status (*read )(gt_slice_reader *r, size_t first, size_t n, float *out);
	void      (*close)(gt_slice_reader *r);
};
/* For open(): call it once the grid is known. */
void      gt_slice_reader_size(gt_slice_reader *r, const gt_grid *grid);
/* Reads a whole volume in a format with slice access. */
gt_status gt_read_by_slices(const gt_slice_source *kind, const char *path, const gt_read_options *o, gt_volume **v);
/* gt_write_volume_from() with slabs of at most `bytes` bytes, but at least one slice. */
gt_status gt_write_volume_by_slabs(size_t bytes, const char *path, const gt_write_options *o, const gt_volume *head, gt_slice_reader *r);

/* Functions for other modules. Maximum memory besides the output, bytes; preferred number of slices per read; maximum
 * value so far, or 0. */
size_t    gt_slice_reader_bytes(const gt_slice_reader *r);
size_t    gt_slice_reader_together(const gt_slice_reader *r);
double    gt_slice_reader_max (const gt_slice_reader *r);
#endif
