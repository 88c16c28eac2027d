#ifndef GT_IO_VIEW_READER_H
#define GT_IO_VIEW_READER_H
/* Base of a format's state for view-wise reading of projections; private to io/. */
#include <gantry/io.h>
#include <gantry/threads.h>

struct gt_view_reader {
	const char *path;
	size_t size[3];                 /* views, rows, columns */
	int statistics;                 /* the file has weights or photons as well */
	size_t bytes;                   /* memory for reading */
	gt_pool *pool;                  /* threads for concurrent reads of views; NULL: not thread-safe */
	/* One view: rows row ... row+rows-1. The caller checks the values, read() faults that the values do not
	 * show. */
	gt_status (*read )(gt_view_reader *v, size_t view, size_t row, size_t rows, float *out);
	void      (*close)(gt_view_reader *v);
	/* Reports findings in the values so far; NULL: nothing. */
	void      (*tell )(gt_view_reader *v, const gt_read_options *o);
};

/* Threads that read one file: a single thread copies from the page cache, and checks, only as fast as disks read. */
#define GT_READERS 4

#endif
