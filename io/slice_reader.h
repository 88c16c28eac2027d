#ifndef GT_IO_SLICE_READER_H
#define GT_IO_SLICE_READER_H
/* What a format whose volumes are read by slices puts at the head of its own state; private to io/. */
#include <gantry/io.h>

struct gt_slice_reader {
	const char *path;               /* in messages */
	size_t size[3];                 /* z, y, x */
	size_t together;                /* slices that are best read at once; size[0]: read() gives all of them alone */
	size_t bytes;                   /* of memory that reading takes beside its output */
	double scale, offset;           /* mm^-1 = scale * what read() gives + offset */
	/* Slices first ... first+n-1 in the order of the grid. Checks of the values are the caller's. */
	gt_status (*read )(gt_slice_reader *r, size_t first, size_t n, float *out);
	void      (*close)(gt_slice_reader *r);
	/* Of what the formats share; 0 to begin with. */
	char *name;                     /* owned: the path */
	float *all;                     /* the whole volume, where it can only be read so */
	float max;                      /* of the values so far, mm^-1 */
};

/* What a format has: bytes of its state, which begins with a gt_slice_reader; open() fills in that and all of v but
 * the voxels, with geometry_only no more; close() frees the state, whatever open() came to. */
struct gt_slice_source {
	size_t bytes;
	gt_status (*open )(gt_slice_reader *r, const gt_read_options *o, gt_volume *v);
	gt_status (*read )(gt_slice_reader *r, size_t first, size_t n, float *out);
	void      (*close)(gt_slice_reader *r);
};
/* For open(), as soon as the grid is known. */
void      gt_slice_reader_size(gt_slice_reader *r, const gt_grid *grid);
/* The whole volume of a format that has slices. */
gt_status gt_read_by_slices(const gt_slice_source *kind, const char *path, const gt_read_options *o, gt_volume **v);
/* gt_write_volume_from() with slabs of so many bytes, or of one slice. */
gt_status gt_write_volume_by_slabs(size_t bytes, const char *path, const gt_write_options *o, const gt_volume *head, gt_slice_reader *r);

/* Functions for other modules. Maximum memory besides the output, bytes; preferred number of slices per read; maximum
 * value so far, or 0. */
size_t    gt_slice_reader_bytes(const gt_slice_reader *r);
size_t    gt_slice_reader_together(const gt_slice_reader *r);
double    gt_slice_reader_max (const gt_slice_reader *r);
#endif
