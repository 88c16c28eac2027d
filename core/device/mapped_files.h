#ifndef GT_CORE_DEVICE_MAPPED_FILES_H
#define GT_CORE_DEVICE_MAPPED_FILES_H
/* Arrays that exceed the memory of the host, in mapped unnamed files. They vanish however the process ends. */
#include <stddef.h>
#include <gantry/status.h>
#ifdef __cplusplus
extern "C" {
#endif

typedef struct gt_mapped_files gt_mapped_files;

/* folder: of the files; `memory` bytes of arrays stay in memory. */
gt_status gt_mapped_files_new (const char *folder, double memory, gt_mapped_files **m);
void      gt_mapped_files_free(gt_mapped_files *m);             /* call it after all blocks are returned; NULL is
                                                                 * allowed */
/* 1: `held` bytes, some of which may be in files, and `bytes` more exceed the memory. */
int       gt_mapped_files_want(const gt_mapped_files *m, size_t held, size_t bytes);
/* Zero-initialised block. NULL + gt_fail() text: the folder and what it lacks. */
void     *gt_mapped_files_take(gt_mapped_files *m, size_t bytes, const char *what);
/* 1: the block belonged to m and is returned. */
int       gt_mapped_files_give(gt_mapped_files *m, void *block);

/* Free space of a folder, bytes; and its write rate, bytes per second, measured by writing at most half of the free
 * space. */
gt_status gt_folder_space(const char *folder, double *bytes);
gt_status gt_folder_rate(const char *folder, double *rate);

#ifdef __cplusplus
}
#endif
#endif
