#ifndef GT_IO_FRAMES_OLE2_FILE_H
#define GT_IO_FRAMES_OLE2_FILE_H
/* Compound files (OLE2, [MS-CFB]): a small system of streams in one file; private to io/. Nothing in the file is
 * trusted: sectors lie within it, and chains end. */
#include <stdint.h>
#include <stddef.h>
#include <gantry/status.h>

typedef struct gt_ole2 gt_ole2;
int       gt_is_ole2(const char *path);
gt_status gt_ole2_open (const char *path, gt_ole2 **file);
void      gt_ole2_close(gt_ole2 *file);
/* "ImageInfo/ImageWidth": its number and bytes; 0: there is none. */
int       gt_ole2_find (const gt_ole2 *file, const char *name, uint32_t *stream, size_t *bytes);
/* GT_ERR_FORMAT: beyond its end, or a broken chain. Any number of threads at a time. */
gt_status gt_ole2_read (const gt_ole2 *file, uint32_t stream, size_t at, size_t bytes, void *to);
/* The whole of a stream of numbers of 4 bytes, as doubles: `integers` 1: int32, else float32. At most n of them;
 * *found: how many. GT_ERR_FORMAT: there is no such stream. */
gt_status gt_ole2_numbers(const gt_ole2 *file, const char *name, int integers, size_t n, double *to, size_t *found);

#endif
