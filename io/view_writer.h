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

/* Functions for other modules. */

/* Writes projections by views and rows, in any order: NetCDF. Written values can be read again before the commit.
 * head: projections, possibly without values; weighted: with statistical weights. GT_ERR_UNSUPPORTED: the format is
 * written as a whole. Another thread may use other readers and writers meanwhile. */
/* A chunk of weights (1) or line integrals (0). */
typedef struct { int weights; size_t first, views, row, rows; } gt_view_chunk;
gt_status gt_can_write_views(const char *path);
gt_status gt_view_writer_create(const char *path, const gt_projections *head, int weighted, gt_view_writer **w);
/* data: [views][rows][column]; numbers that are not finite are refused. */
gt_status gt_view_writer_write (gt_view_writer *w, const gt_view_chunk *p, const float *data);
gt_status gt_view_writer_read  (gt_view_writer *w, const gt_view_chunk *p, float *data);
/* Declares later writes final: the transfer to disk starts at once and not at the commit. */
void      gt_view_writer_settle(gt_view_writer *w);
gt_status gt_view_writer_commit(gt_view_writer *w);     /* frees w in any case */
void      gt_view_writer_drop  (gt_view_writer *w);     /* gives up: nothing stays on the disk; frees w */
#endif
