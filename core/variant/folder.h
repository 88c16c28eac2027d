#ifndef GT_CORE_VARIANT_FOLDER_H
#define GT_CORE_VARIANT_FOLDER_H
/* The user's cache of tuned kernels: $XDG_CACHE_HOME/gantry/tune, else ~/.cache/gantry/tune. */
#include <stddef.h>
#include <gantry/status.h>
#ifdef __cplusplus
extern "C" {
#endif
/* malloc'ed path of a file there, NULL without memory or where there is no home; make: its folders are made. */
char *gt_cache_path(const char *name, int make);
/* Writes under another name, then renames: readers find the old file or the new one. */
gt_status gt_cache_write(const char *path, const void *bytes, size_t n);
/* malloc'ed contents with a 0 behind them; NULL: there is no such file, or no reading it. */
void *gt_cache_read(const char *path, size_t *n);
#ifdef __cplusplus
}
#endif
#endif
