#ifndef GT_CORE_VARIANT_FOLDER_H
#define GT_CORE_VARIANT_FOLDER_H
/* The user's cache of tuned kernels: $XDG_CACHE_HOME/gantry/tune, else ~/.cache/gantry/tune. */
#include <stddef.h>
#include <gantry/status.h>
#ifdef __cplusplus
extern "C" {
#endif
/* Path of a file there; the caller frees it. make: creates the folders. NULL: out of memory, or no home folder. */
char *gt_cache_path(const char *name, int make);
/* Writes a temporary file, then renames it: readers find the old file or the new one. */
gt_status gt_cache_write(const char *path, const void *bytes, size_t n);
/* Contents with a terminating 0; the caller frees them. NULL: missing or unreadable. */
void *gt_cache_read(const char *path, size_t *n);
#ifdef __cplusplus
}
#endif
#endif
