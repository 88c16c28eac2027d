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
	void      (*report)(gt_view_reader *v, const gt_read_options *o);
};

/* Threads that read one file: a single thread copies from the page cache, and checks, only as fast as disks read. */
#define GT_READERS 4

/* Functions for other modules. */

/* Opens a reader and reads the scan: *head holds the projections without values. Reports decisions to o->notes. */
gt_status gt_view_reader_open_scan(const char *path, const gt_read_options *o, gt_projections **head, gt_view_reader **v);
/* Returns the maximum memory for reading, bytes. */
size_t    gt_view_reader_bytes(const gt_view_reader *v);
/* 1: the file also holds weights or photons, which this reader does not return. */
int       gt_view_reader_has_statistics(const gt_view_reader *v);
/* Reports findings about the values read so far: too dark, saturated. */
void      gt_view_reader_report (gt_view_reader *v, const gt_listener *notes);
#endif
