#ifndef GT_CORE_DEVICE_MAPPED_FILES_H
#define GT_CORE_DEVICE_MAPPED_FILES_H
/* Arrays of the host for which there is no memory: files without names, mapped. Nothing is left of them however the
 * process ends. */
#include <stddef.h>
#include <gantry/status.h>
#ifdef __cplusplus
extern "C" {
#endif

typedef struct gt_mapped_files gt_mapped_files;

/* In this folder; `memory` bytes of arrays stay in memory. */
gt_status gt_mapped_files_new (const char *folder, double memory, gt_mapped_files **m);
void      gt_mapped_files_free(gt_mapped_files *m);             /* when all blocks are given back; NULL is fine */
/* 1: `bytes` more do not fit in memory in addition to `held` bytes, some of which may be in files. */
int       gt_mapped_files_want(const gt_mapped_files *m, size_t held, size_t bytes);
/* Zeros. NULL + gt_fail() text: the folder, what is missing there. */
void     *gt_mapped_files_take(gt_mapped_files *m, size_t bytes, const char *what);
/* 1: it was one of these, and is given back. */
int       gt_mapped_files_give(gt_mapped_files *m, void *block);

/* Free space of a folder, bytes; and its write rate, bytes per second, measured by writing at most half of the free
 * space. */
gt_status gt_folder_space(const char *folder, double *bytes);
gt_status gt_folder_rate(const char *folder, double *rate);

#ifdef __cplusplus
}
#endif
#endif
