#ifndef GT_IO_FILE_ACCESS_H
#define GT_IO_FILE_ACCESS_H
#include <pthread.h>
#include <stddef.h>
#include <sys/types.h>
#include <gantry/status.h>

/* Deflate compresses at most 1032:1; the rest is for blocks that end early. */
#define GT_MAX_DEFLATED 1100.0

/* Reads all bytes at an offset; thread-safe. GT_ERR_IO with the path. */
gt_status gt_read_at (const char *path, int file, off_t at, size_t bytes, void *to);
gt_status gt_write_at(const char *path, int file, off_t at, size_t bytes, const void *from);
/* Starts writeback of this part of the file and does not wait; no effect on systems without such a call. */
void      gt_begin_to_disk(int file, off_t at, size_t bytes);
/* Failure of items processed in parallel: the first item's, whose message gt_error() of the caller's thread then
 * returns. */
typedef struct { pthread_mutex_t lock; size_t item; gt_status status; char message[1024]; } gt_failure;
#define GT_NO_FAILURE { .lock = PTHREAD_MUTEX_INITIALIZER, .status = GT_OK }
void      gt_failure_note(gt_failure *f, size_t item, gt_status status);        /* records gt_error() of this thread */
int       gt_failure_at  (gt_failure *f, size_t item);                          /* 1: an earlier item failed */
gt_status gt_failure_status(gt_failure *f);

#endif
