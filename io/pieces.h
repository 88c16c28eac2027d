#ifndef GT_IO_PIECES_H
#define GT_IO_PIECES_H
/* What a format that goes by pieces puts at the head of its own state; private to io/. */
#include <pthread.h>
#include <sys/types.h>
#include <gantry/io.h>
#include <gantry/threads.h>

struct gt_view_reader {
	const char *path;
	size_t size[3];                 /* views, rows, columns */
	size_t bytes;                   /* of memory that reading takes */
	gt_pool *pool;                  /* threads that may read views at the same time; NULL: one alone */
	/* One view: rows row ... row+rows-1. Checks of the values are the caller's, but for those that a type cannot show. */
	gt_status (*read )(gt_view_reader *v, size_t view, size_t row, size_t rows, float *out);
	void      (*close)(gt_view_reader *v);
};

struct gt_slice_writer {
	const char *path;
	size_t size[3], written;        /* z, y, x */
	gt_pool *pool;                  /* for checks of values; borrowed; NULL: none */
	gt_status (*write )(gt_slice_writer *s, size_t first, size_t n, const float *data);
	/* Both free s. */
	gt_status (*commit)(gt_slice_writer *s);
	void      (*drop  )(gt_slice_writer *s);
};

/* Threads that read one file: one alone copies from the cache of files, and checks, no faster than disks read. */
#define GT_READERS 4
/* All bytes at a place of a file, or GT_ERR_IO with the path; on any thread. */
gt_status gt_read_at (const char *path, int file, off_t at, size_t bytes, void *to);
gt_status gt_write_at(const char *path, int file, off_t at, size_t bytes, const void *from);
/* What items that are worked on at the same time failed with: of several the first item's, whose message the caller's thread gets. */
typedef struct { pthread_mutex_t lock; size_t item; gt_status status; char message[1024]; } gt_failure;
#define GT_NO_FAILURE { .lock = PTHREAD_MUTEX_INITIALIZER, .status = GT_OK }
void      gt_failure_note(gt_failure *f, size_t item, gt_status status);        /* with gt_error() of this thread */
int       gt_failure_at  (gt_failure *f, size_t item);                          /* did an item before this one fail? */
gt_status gt_failure_told(gt_failure *f);

/* The first of n values that is not finite; n: none. */
size_t    gt_first_bad   (const float *data, size_t n);
/* GT_ERR_UNSUPPORTED if one of n values is not finite; first: the number of data[0], for the message. */
gt_status gt_check_finite(const char *path, const float *data, size_t first, size_t n);
/* The format that is written to a path of that name; the format of a file that is read. */
gt_status gt_format_to_write(const char *path, int projections, const gt_format **format);
gt_status gt_format_of      (const char *path, const gt_format **format);
/* The options with the defaults of those that the caller does not know. GT_ERR_ARG: their size is not one that the library knows. */
gt_status gt_complete_read_options (const char *path, const gt_read_options *o, gt_read_options *full);
gt_status gt_complete_write_options(const char *path, const gt_write_options *o, gt_write_options *full);
gt_status gt_check_writing  (const char *path, const gt_write_options *o, const gt_grid *grid);
/* All slices at once, then commits: the whole volume through its pieces. */
gt_status gt_slice_writer_write_all(gt_slice_writer *s, const float *data);
#endif
