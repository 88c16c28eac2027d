#ifndef GT_IO_VIEW_WRITER_H
#define GT_IO_VIEW_WRITER_H
/* What a format whose projections are written by views and rows puts at the head of its own state; private to io/. */
#include <gantry/io.h>
#include <gantry/threads.h>

struct gt_view_writer {
	const char *path;
	size_t size[3];                 /* views, rows, columns */
	int weighted;
	int settled;                    /* what is written is not written again */
	gt_pool *pool;                  /* threads that may write at the same time */
	/* Rows of one view, as gt_view_writer_write() and _read() have them. */
	gt_status (*write )(gt_view_writer *w, int weights, size_t view, size_t row, size_t rows, const float *data);
	gt_status (*read  )(gt_view_writer *w, int weights, size_t view, size_t row, size_t rows, float *data);
	/* Both free w. */
	gt_status (*commit)(gt_view_writer *w);
	void      (*drop  )(gt_view_writer *w);
};

#endif
