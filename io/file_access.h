#ifndef GT_IO_FILE_ACCESS_H
#define GT_IO_FILE_ACCESS_H
#include <pthread.h>
#include <stddef.h>
#include <sys/types.h>
#include <gantry/status.h>

/* Deflate compresses at most 1032:1; the rest is for blocks that end early. */
#define GT_MAX_DEFLATED 1100.0

/* All bytes at a place of a file, or GT_ERR_IO with the path; on any thread. */
gt_status gt_read_at (const char *path, int file, off_t at, size_t bytes, void *to);
gt_status gt_write_at(const char *path, int file, off_t at, size_t bytes, const void *from);
/* The disk begins to write that part of a file, which waits for nothing; not on systems without a call for it. */
void      gt_begin_to_disk(int file, off_t at, size_t bytes);
/* What items that are worked on at the same time failed with: of several the first item's, whose message the caller's thread gets. */
typedef struct { pthread_mutex_t lock; size_t item; gt_status status; char message[1024]; } gt_failure;
#define GT_NO_FAILURE { .lock = PTHREAD_MUTEX_INITIALIZER, .status = GT_OK }
void      gt_failure_note(gt_failure *f, size_t item, gt_status status);        /* with gt_error() of this thread */
int       gt_failure_at  (gt_failure *f, size_t item);                          /* did an item before this one fail? */
gt_status gt_failure_told(gt_failure *f);

#endif
