#ifndef GT_IO_WRITE_KIT_DIRECT_WRITER_H
#define GT_IO_WRITE_KIT_DIRECT_WRITER_H
/* Writes the data of a large file with two threads; private to io/. Data that exceed the page cache bypass it: copying
 * them into pages that must be written immediately would only cost time and displace other pages. */
#include <sys/types.h>
#include <gantry/threads.h>

typedef struct gt_direct_writer gt_direct_writer;
/* file: open descriptor of `tmp`; `path`: name in messages; begin: offset of the data. past: bypass the cache, if begin
 * is 0. water > 0: convert mm^-1 to HU. Allocates at most GT_DIRECT_WRITER_BYTES. Borrows all arguments. */
int       gt_direct_writer_past (double bytes);          /* 1: more bytes than the cache would hold */
#define GT_DIRECT_WRITER_BYTES ((size_t)16 << 20)
gt_status gt_direct_writer_new  (const char *path, const char *tmp, int file, off_t begin, int past, double water, gt_direct_writer **s);
void      gt_direct_writer_free (gt_direct_writer *s);
/* Values first ... first+n-1; returns after they are written. */
gt_status gt_direct_writer_write(gt_direct_writer *s, size_t first, size_t n, const float *data);
gt_pool  *gt_direct_writer_pool (gt_direct_writer *s);            /* idle between calls */

#endif
