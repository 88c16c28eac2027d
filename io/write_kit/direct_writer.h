#ifndef GT_IO_WRITE_KIT_DIRECT_WRITER_H
#define GT_IO_WRITE_KIT_DIRECT_WRITER_H
/* The numbers of a large file, written by two threads; private to io/. What the cache of files could not hold goes past it: pages that
 * must wait for the disk anyway would only be copied once more, and displace others. */
#include <sys/types.h>
#include <gantry/threads.h>

typedef struct gt_direct_writer gt_direct_writer;
/* file: an open one, `tmp` its name, `path` the one that messages have. Numbers begin at byte `begin`. past: past the cache, where they
 * begin with the file. water > 0: mm^-1 become HU. Takes GT_DIRECT_WRITER_BYTES at most. Borrows all. */
int       gt_direct_writer_past (double bytes);          /* is that more than the cache would hold? */
#define GT_DIRECT_WRITER_BYTES ((size_t)16 << 20)
gt_status gt_direct_writer_new  (const char *path, const char *tmp, int file, off_t begin, int past, double water, gt_direct_writer **s);
void      gt_direct_writer_free (gt_direct_writer *s);
/* Numbers first ... first+n-1; returns when they are written. */
gt_status gt_direct_writer_write(gt_direct_writer *s, size_t first, size_t n, const float *data);
gt_pool  *gt_direct_writer_pool (gt_direct_writer *s);            /* idle between calls */

#endif
