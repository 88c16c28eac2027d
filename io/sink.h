#ifndef GT_IO_SINK_H
#define GT_IO_SINK_H
/* The numbers of a large file, written by two threads; private to io/. What the cache of files could not hold goes past it: pages that
 * must wait for the disk anyway would only be copied once more, and displace others. */
#include <sys/types.h>
#include "core/threads.h"

typedef struct gt_sink gt_sink;
/* file: an open one, `tmp` its name, `path` the one that messages have. Numbers begin at byte `begin`. past: past the cache, where they
 * begin with the file. water > 0: mm^-1 become HU. Takes GT_SINK_BYTES at most. Borrows all. */
int       gt_sink_past (double bytes);          /* is that more than the cache would hold? */
#define GT_SINK_BYTES ((size_t)16 << 20)
gt_status gt_sink_new  (const char *path, const char *tmp, int file, off_t begin, int past, double water, gt_sink **s);
void      gt_sink_free (gt_sink *s);
/* Numbers first ... first+n-1; returns when they are written. */
gt_status gt_sink_write(gt_sink *s, size_t first, size_t n, const float *data);
gt_pool  *gt_sink_pool (gt_sink *s);            /* idle between calls */

#endif
