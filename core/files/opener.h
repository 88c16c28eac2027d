#ifndef GT_CORE_FILES_OPENER_H
#define GT_CORE_FILES_OPENER_H
/* Opens files of the user for reading: the only way to do so in the library, built on gt_file_open(). It never
 * blocks, and refuses folders, pipes, devices and sockets. Symbolic links are followed; a file that another file or
 * folder names passes gt_external_check() first (io/external.h). All functions return GT_ERR_IO with the path and
 * the reason. */
#include <stdio.h>
#include <stddef.h>
#include <gantry/status.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Opens a file of the user for reading, as all readers do: never blocks, and follows symbolic links. *file: a
 * descriptor, which the caller closes; -1 on failure. *bytes: the size of the file; may be NULL. GT_ERR_IO: it
 * cannot be opened, or is a folder, a pipe, a device or a socket. */
gt_status gt_file_open(const char *path, int *file, size_t *bytes);
/* For libraries that open path themselves: GT_OK if gt_file_open() would succeed. */
gt_status gt_file_check (const char *path);
gt_status gt_file_size  (const char *path, size_t *bytes);
/* A stream, which the caller closes. bytes: size of the file; may be NULL. */
gt_status gt_file_stream(const char *path, FILE **file, size_t *bytes);
/* A stream of a text file. GT_ERR_FORMAT: larger than max bytes. */
gt_status gt_file_text  (const char *path, size_t max, FILE **file);
/* Reads up to n bytes for signatures; returns their number, 0 if the file cannot be read. Does not change
 * gt_error(). */
size_t    gt_file_start (const char *path, void *to, size_t n);
size_t    gt_file_part  (const char *path, long long at, void *to, size_t n);

#ifdef __cplusplus
}
#endif
#endif
