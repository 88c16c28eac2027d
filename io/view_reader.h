#ifndef GT_IO_VIEW_READER_H
#define GT_IO_VIEW_READER_H
/* What a format whose projections are read by views puts at the head of its own state; private to io/. */
#include <gantry/io.h>
#include <gantry/threads.h>

struct gt_view_reader {
	const char *path;
	size_t size[3];                 /* views, rows, columns */
	int statistics;                 /* the file has weights or photons as well */
	size_t bytes;                   /* of memory that reading takes */
	gt_pool *pool;                  /* threads that may read views at the same time; NULL: one alone */
	/* One view: rows row ... row+rows-1. Checks of the values are the caller's, but for those that a type cannot show. */
	gt_status (*read )(gt_view_reader *v, size_t view, size_t row, size_t rows, float *out);
	void      (*close)(gt_view_reader *v);
	/* Tells what was found in the values so far; NULL: nothing. */
	void      (*tell )(gt_view_reader *v, const gt_read_options *o);
};

/* Threads that read one file: one alone copies from the cache of files, and checks, no faster than disks read. */
#define GT_READERS 4

#endif
