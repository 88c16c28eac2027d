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
