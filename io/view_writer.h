#ifndef GT_IO_VIEW_WRITER_H
#define GT_IO_VIEW_WRITER_H
/* Base of a format's state for view-wise writing of projections; private to io/. */
#include <gantry/io.h>
#include <gantry/threads.h>

struct gt_view_writer {
	const char *path;
	size_t size[3];                 /* views, rows, columns */
	int weighted;
	int settled;                    /* values are final: each is written once */
	gt_pool *pool;                  /* threads for concurrent writes */
	/* Rows of one view, as in gt_view_writer_write() and gt_view_writer_read(). */
	gt_status (*write )(gt_view_writer *w, int weights, size_t view, size_t row, size_t rows, const float *data);
	gt_status (*read  )(gt_view_writer *w, int weights, size_t view, size_t row, size_t rows, float *data);
	/* Both free w. */
	gt_status (*commit)(gt_view_writer *w);
	void      (*drop  )(gt_view_writer *w);
};

#endif
