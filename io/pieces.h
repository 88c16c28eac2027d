#ifndef GT_IO_PIECES_H
#define GT_IO_PIECES_H
/* What a format that goes by pieces puts at the head of its own state; private to io/. */
#include "io/format.h"

struct gt_views {
	const char *path;
	size_t size[3];                 /* views, rows, columns */
	size_t bytes;                   /* of memory that reading takes */
	/* One view: rows row ... row+rows-1. Checks of the values are the caller's, but for those that a type cannot show. */
	gt_status (*read )(gt_views *v, size_t view, size_t row, size_t rows, float *out);
	void      (*close)(gt_views *v);
};

struct gt_slices {
	const char *path;
	size_t size[3], written;        /* z, y, x */
	gt_status (*write )(gt_slices *s, size_t first, size_t n, const float *data);
	/* Both free s. */
	gt_status (*commit)(gt_slices *s);
	void      (*drop  )(gt_slices *s);
};

/* GT_ERR_UNSUPPORTED if one of n values is not finite; first: the number of data[0], for the message. */
gt_status gt_check_finite(const char *path, const float *data, size_t first, size_t n);
/* The format that is written to a path of that name; the format of a file that is read. */
gt_status gt_format_to_write(const char *path, int projections, const gt_format **format);
gt_status gt_format_of      (const char *path, const gt_format **format);
gt_status gt_check_writing  (const char *path, const gt_write_options *o, const gt_grid *grid);
/* All slices at once, then commits: the whole volume through its pieces. */
gt_status gt_slices_write_all(gt_slices *s, const float *data);
#endif
