#ifndef GT_IO_FRAMES_OLE2_FILE_H
#define GT_IO_FRAMES_OLE2_FILE_H
/* Compound files (OLE2, [MS-CFB]): a file system of streams in one file; private to io/. Validates the file: sectors
 * must lie within it, and chains must end. */
#include <stdint.h>
#include <stddef.h>
#include <gantry/status.h>

typedef struct gt_ole2 gt_ole2;
int       gt_is_ole2(const char *path);
gt_status gt_ole2_open (const char *path, gt_ole2 **file);
void      gt_ole2_close(gt_ole2 *file);
/* Finds a stream such as "ImageInfo/ImageWidth": its number and bytes; 0: missing. */
int       gt_ole2_find (const gt_ole2 *file, const char *name, uint32_t *stream, size_t *bytes);
/* GT_ERR_FORMAT: beyond the end of the stream, or a broken chain. Thread-safe. */
gt_status gt_ole2_read (const gt_ole2 *file, uint32_t stream, size_t at, size_t bytes, void *to);
/* Reads a stream of 4-byte numbers as doubles: `integers` 1: int32, else float32. At most n; *found: number read.
 * GT_ERR_FORMAT: no such stream. */
gt_status gt_ole2_numbers(const gt_ole2 *file, const char *name, int integers, size_t n, double *to, size_t *found);

#endif
